from pathlib import Path

import numpy as np
import pytest

from likeness.projection import load_map, map_key, map_store, save_map

VECTORS = np.random.default_rng(0).standard_normal((6, 3)).astype(np.float32)
POSITIONS = np.arange(12, dtype=np.float32).reshape(6, 2)


def test_everything_that_changes_a_map_changes_its_key() -> None:
    changed = VECTORS.copy()
    changed[5, 2] += 1e-6
    keys = [map_key(vectors, "umap") for vectors in (VECTORS, changed, VECTORS.reshape(3, 6), "cars/encoder/notion")] + [map_key(VECTORS, "pca")]
    keys += [map_key(VECTORS, "umap", **given) for given in ({"seed": 1}, {"seed": "1"}, {"init": POSITIONS}, {"init": POSITIONS + 1})]
    assert len(set(keys)) == len(keys)
    assert map_key(np.asfortranarray(VECTORS), "umap", b=1, a=2) == map_key(VECTORS.copy(), "umap", a=2, b=1)


def test_what_is_saved_is_loaded_before_what_ships(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_map("some-key") is None
    file = save_map("some-key", POSITIONS.astype(np.float64))
    assert cache in file.parents
    np.testing.assert_array_equal(load_map("some-key"), POSITIONS)
    monkeypatch.setattr(map_store, "assets_dir", lambda: tmp_path)
    (tmp_path / "maps").mkdir()
    np.save(tmp_path / "maps" / "other-key.npy", POSITIONS)
    np.testing.assert_array_equal(load_map("other-key"), POSITIONS)
    save_map("other-key", POSITIONS + 1)
    np.testing.assert_array_equal(load_map("other-key"), POSITIONS + 1)


@pytest.mark.parametrize("content", [b"", b"not an array", b"\x93NUMPY\x01\x00", "cut"])
def test_a_damaged_file_is_no_map(content: bytes | str) -> None:
    file = save_map("some-key", POSITIONS)
    file.write_bytes(file.read_bytes()[:-5] if content == "cut" else content)
    assert load_map("some-key") is None
    save_map("some-key", POSITIONS)
    np.testing.assert_array_equal(load_map("some-key"), POSITIONS)
