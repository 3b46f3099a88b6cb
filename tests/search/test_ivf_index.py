import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.search import build_index, ivf_index, open_index
from likeness.search.ivf_index import cells_for
from made_rows import unit

PARTS = ("centers", "starts", "rows", "vectors")


def rows(n: int = 700, d: int = 12, seed: int = 0) -> np.ndarray:
    return unit(np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32))


def test_every_vector_lies_in_the_cell_of_its_nearest_center(tmp_path: Path) -> None:
    vectors = rows()
    index = build_index(vectors, tmp_path / "index", cells=9)
    np.testing.assert_array_equal(index.vectors, vectors[index.rows])
    np.testing.assert_allclose(np.linalg.norm(index.centers, axis=1), 1, atol=1e-5)
    nearest = np.argmax(vectors @ index.centers.T, axis=1)
    for number in range(9):
        np.testing.assert_array_equal(index.rows[index.cell(number)], np.flatnonzero(nearest == number))
    assert build_index(rows(1), tmp_path / "one").rows.tolist() == [0]
    assert [cells_for(n) for n in (1, 39, 80, 10_000, 1_000_000)] == [1, 1, 2, 250, 4000]


def test_blocks_of_a_mapped_file_give_the_same_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "vectors.npy", rows())
    whole = build_index(rows(), tmp_path / "whole", cells=9)
    monkeypatch.setattr(ivf_index, "_BLOCK_BYTES", 4 * 12 * 64)
    done: list[tuple[int, int]] = []
    blocks = build_index(np.load(tmp_path / "vectors.npy", mmap_mode="r"), tmp_path / "blocks", cells=9, progress=lambda *told: done.append(told))
    assert (done[0], done[-1], len(done)) == ((64, 1400), (1400, 1400), 22)
    for name in PARTS:
        np.testing.assert_array_equal(getattr(whole, name), getattr(blocks, name))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *[(f"{name}.npy", left, rf"\('{name}.npy' has not the size that it was written with\); build") for name in PARTS for left in (0, 128, -1)],
        *[("about.json", content, "is damaged") for content in ("", "{", "[]", "{}", '{"bytes": 3, "version": 1}')],
        ("about.json", '{"bytes": {"centers": 1}, "version": 1}', "is damaged"),
        ("about.json", None, "it is of another version"),
    ],
)
def test_damage_is_noticed(tmp_path: Path, name: str, content: int | str | None, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(rows(), tmp_path / "index")
    file = tmp_path / "index" / name
    if content is None:
        monkeypatch.setattr(ivf_index, "_VERSION", 2)
    else:
        file.write_bytes(file.read_bytes()[:content] if isinstance(content, int) else content.encode())
    with pytest.raises(InputError, match=message):
        open_index(tmp_path / "index", rows())


def test_an_index_of_other_vectors_or_none_or_of_another_content(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no complete index in"):
        open_index(tmp_path / "index", rows())
    build_index(rows(), tmp_path / "index")
    for other in (rows(seed=1), rows()[::-1], rows()[:-1], rows(d=13)):
        with pytest.raises(InputError, match=f"belongs to other vectors than these {len(other)} x {other.shape[1]}"):
            open_index(tmp_path / "index", other)
    file = tmp_path / "index" / "vectors.npy"
    file.write_bytes(bytes(len(file.read_bytes())))
    with pytest.raises(InputError, match="is damaged"):
        open_index(tmp_path / "index", rows())
    (tmp_path / "index" / "rows.npy").unlink()
    with pytest.raises(InputError, match="There is no complete index in"):
        open_index(tmp_path / "index", rows())


@pytest.mark.parametrize("when", [0, 1, 3])
def test_a_full_disk_leaves_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: int) -> None:
    build_index(rows(seed=1), tmp_path / "index")
    left, real = [when], np.save

    def save(*arguments: object) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(*arguments)

    monkeypatch.setattr(np, "save", save)
    monkeypatch.setattr(ivf_index.os, "posix_fallocate", lambda *arguments: save(tmp_path / "filler.npy", np.zeros(1)))
    with pytest.raises(InputError, match=r"The index cannot be written to '.*index' \(no space left on device\); free space"):
        build_index(rows(), tmp_path / "index")
    assert len(open_index(tmp_path / "index", rows(seed=1)).rows) == 700
    assert [path.name for path in tmp_path.iterdir() if path.name != "filler.npy"] == ["index"]


@pytest.mark.parametrize(
    ("vectors", "options", "told"),
    [
        (np.zeros((0, 4), np.float32), {}, r"shape \(0, 4\)"),
        (np.zeros(4, np.float32), {}, r"shape \(4,\)"),
        (np.zeros((4, 4), np.int64), {}, "type int64"),
        (rows(), {"cells": 0}, "0 cells do not fit 700 vectors"),
        (rows(), {"cells": 701}, "701 cells do not fit 700 vectors"),
        (np.full((9, 4), np.nan, np.float32), {}, "NaN or infinity"),
        (rows(), {"should_stop": lambda: True}, "stopped before it was complete"),
    ],
)
def test_what_cannot_be_indexed_or_is_stopped_leaves_nothing(tmp_path: Path, vectors: np.ndarray, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        build_index(vectors, tmp_path / "index", **options)
    assert not list(tmp_path.iterdir())
