"""The layout that clip-retrieval 2.45's own `NumpyWriter` was seen to write: parts of vectors in float16, and of metadata with `image_path`."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from likeness.errors import InputError
from numbered_pictures import numbers, write_pictures


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_pictures(tmp_path / "photos", "0.png", "1.png", "2.png")
    draw = np.random.default_rng(0)
    for kind in ("img_emb", "text_emb", "metadata"):
        (tmp_path / "out" / kind).mkdir(parents=True)
    for part, rows in ((10, [2]), (9, [0, 1])):
        np.save(tmp_path / f"out/img_emb/img_emb_{part}.npy", draw.normal(size=(len(rows), 4)).astype(np.float16))
        np.save(tmp_path / f"out/text_emb/text_emb_{part}.npy", draw.normal(size=(len(rows), 4)).astype(np.float16))
        names = [str(tmp_path / "photos" / f"{row}.png") for row in rows]
        about = pd.DataFrame({"image_path": names, "caption": [f"number {row}" for row in rows], "n": rows})
        about.to_parquet(tmp_path / f"out/metadata/metadata_{part}.parquet")
    return tmp_path / "out"


def test_vectors_and_metadata_in_the_order_of_the_parts(folder: Path) -> None:
    for source in (folder, folder / "img_emb" / "img_emb_9.npy"):
        space = lk.load(source)
        assert (space.name, numbers(space.table)) == ("out", [0, 1, 2])
        assert space.table.attributes == ["caption", "n"]
        vectors = np.concatenate([np.load(folder / f"img_emb/img_emb_{part}.npy") for part in (9, 10)]).astype(np.float64)
        np.testing.assert_allclose(space.vectors, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), rtol=1e-5)


def test_without_images_or_metadata(folder: Path) -> None:
    for file in folder.parent.glob("photos/*"):
        file.unlink()
    assert lk.load(folder).table.attributes == ["image_path", "caption", "n"]
    (folder / "metadata" / "metadata_10.parquet").unlink()
    with pytest.raises(InputError, match="'out' has 3 vectors and 2 rows of metadata; pass a folder with all parts of both"):
        lk.load(folder)
    with pytest.raises(InputError, match=r"'out' holds vectors \(vectors of clip-retrieval\); `lk\.load"):
        lk.read(folder)
