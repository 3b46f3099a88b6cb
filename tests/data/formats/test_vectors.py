"""Vectors in NumPy's files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from numbered_pictures import numbers, write_pictures

VECTORS = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
UNIT = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)


def test_npy_is_a_space_without_images(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", VECTORS)
    space = lk.load(tmp_path / "x.npy")
    assert (space.name, space.table.has_images) == ("x", False)
    np.testing.assert_allclose(space.vectors, UNIT, rtol=1e-6)


def test_npz_brings_attributes_and_images(tmp_path: Path) -> None:
    write_pictures(tmp_path, "a.png", "b.png", "c.png")
    np.savez(tmp_path / "x.npz", vectors=VECTORS, label=["x", "y", "z"], path=["a.png", "b.png", "c.png"], mean=np.zeros(4))
    space = lk.load(str(tmp_path / "x.npz"))
    assert numbers(space.table) == [0, 1, 2]
    assert (space.table.attributes, space.table.frame["label"].tolist()) == (["label"], ["x", "y", "z"])
    np.testing.assert_allclose(space.vectors, UNIT, rtol=1e-6)
    np.savez(tmp_path / "y.npz", vectors=VECTORS, path=["n.png"] * 3)
    assert lk.load(tmp_path / "y.npz").table.attributes == ["path (attribute)"]


def test_each_call_names_the_other(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", VECTORS)
    with pytest.raises(InputError, match=r"'x\.npy' holds vectors \(vectors of NumPy\); `lk\.load\('.*x\.npy'\)` makes a space of them"):
        lk.read(tmp_path / "x.npy")
    (tmp_path / "x.csv").write_text("path\na.png\n")
    with pytest.raises(InputError, match=r"x\.csv' holds no vectors; read its images by `lk\.read`, and embed them by `lk\.embed`"):
        lk.load(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": VECTORS, "b": VECTORS}, r"'x\.npz' has 2 arrays of vectors among a, b; save one"),
        ({"a": np.zeros(3)}, "has 0 arrays of vectors among a"),
        ({"a": np.array([[{}]], dtype=object)}, r"'x\.npz' cannot be read as arrays"),
    ],
)
def test_what_is_no_file_of_vectors(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(InputError, match=message):
        lk.load(tmp_path / "x.npz")
    np.save(tmp_path / "y.npy", np.zeros(3))
    with pytest.raises(InputError, match="must be a non-empty array of shape"):
        lk.load(tmp_path / "y.npy")
