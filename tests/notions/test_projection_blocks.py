"""Projection block by block: whatever the blocks, the file or the scale of rows, the same places; errors name the row."""

from pathlib import Path

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.notions import projection
from likeness.notions.projection import project


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection, "_BLOCK", 7)


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((40, 6)).astype(np.float32)


@pytest.fixture
def U() -> np.ndarray:  # noqa: N802
    return np.random.default_rng(1).standard_normal((6, 3))


def plain(rows: np.ndarray, U: np.ndarray) -> np.ndarray:
    codes = rows.astype(np.float64) @ U
    return codes / np.linalg.norm(codes, axis=1, keepdims=True)


def test_blocks_and_mapped_files(tmp_path: Path, rows: np.ndarray, U: np.ndarray) -> None:
    np.save(tmp_path / "rows.npy", rows)
    np.testing.assert_allclose(project(rows, U), plain(rows, U), atol=1e-6)
    np.testing.assert_array_equal(project(np.load(tmp_path / "rows.npy", mmap_mode="r"), U), project(rows, U))


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_very_long_and_very_short_rows(rows: np.ndarray, U: np.ndarray, scale: float) -> None:
    rows[23] *= np.float32(scale)
    np.testing.assert_allclose(project(rows, U), plain(rows, U), atol=1e-6)


@pytest.mark.parametrize(
    ("value", "told"), [(np.nan, "row 23 holds NaN or infinity"), (np.inf, "row 23 holds NaN or infinity"), (0, "row 23 is all zeros")]
)
def test_a_broken_row_is_named(rows: np.ndarray, U: np.ndarray, value: float, told: str) -> None:
    rows[23] = value
    with pytest.raises(InputError, match=told):
        project(rows, U)
