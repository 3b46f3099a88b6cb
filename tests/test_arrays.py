"""Arrays of either kind, checked rows and unit rows."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

import made_rows
from likeness import arrays
from likeness.arrays import check_directions, checked_rows, is_torch, like, products_with_few, row_slices, to_numpy, unit_rows
from likeness.errors import InputError


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([1.0, 2.0], r"Rows must be a non-empty array .* has shape \(2,\)"),
        (np.ones((2, 2, 2)), r"has shape \(2, 2, 2\)"),
        (np.empty((0, 4)), r"has shape \(0, 4\); pass one vector per row"),
        (np.empty((3, 0)), r"has shape \(3, 0\)"),
        (np.array([["a", "b"]]), "pass numbers"),
        ([[1.0, 2.0], [np.nan, 0.0]], "Rows row 1 holds NaN or infinity"),
        ([[np.inf, 2], [1, 1], [-np.inf, 1]], "Rows row 0 holds NaN or infinity"),
        ([[1e300, 2.0]], "Rows row 0 holds NaN or infinity, expected finite float32"),
    ],
)
def test_bad_rows_are_named(rows: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked_rows(rows, "Rows")


def test_precision_is_that_asked_for_or_that_of_the_rows_of_any_kind() -> None:
    assert checked_rows(np.ones((1, 2)), "Rows").dtype == np.float32
    assert checked_rows(np.ones((1, 2), np.float32), "Rows", np.float64).dtype == np.float64
    assert checked_rows([[1e300, 2.0]], "Rows", None).dtype == np.float64
    for narrow in (np.ones((1, 2), np.float16), np.ones((1, 2), int), torch.ones(1, 2, dtype=torch.bfloat16)):
        assert checked_rows(narrow, "Rows", None).dtype == np.float32
    rows = np.full((2, 50), 3e38, np.float32)
    np.testing.assert_array_equal(checked_rows(rows, "Rows"), rows)
    np.testing.assert_array_equal(checked_rows(pd.DataFrame({"a": [1, 2], "b": [0.5, 3]}), "Rows"), [[1, 0.5], [2, 3]])


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_unit_rows_have_length_one_and_keep_their_direction(scale: float) -> None:
    rows = np.random.default_rng(0).standard_normal((20, 5))
    unit = unit_rows(checked_rows(rows * scale, "Rows"), "Rows")
    np.testing.assert_allclose(unit, made_rows.unit(rows), atol=2e-7)
    assert unit.dtype == np.float32
    assert unit_rows(np.array([[3.0, 4.0]]) * scale**6, "Rows") == pytest.approx(np.array([[0.6, 0.8]]), abs=1e-15)


def test_a_row_without_direction_is_named_by_its_number_in_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([[1, 0], [2, 0], [0, 0]], np.float32)
    with pytest.raises(InputError, match="Rows row 2 is all zeros, so its cosine is undefined"):
        unit_rows(rows, "Rows")
    with pytest.raises(InputError, match="Rows row 7 is all zeros"):
        unit_rows(rows, "Rows", first=5)
    monkeypatch.setattr(arrays, "PART_BYTES", 16)
    with pytest.raises(InputError, match="Rows row 2 is all zeros"):
        check_directions(rows, "Rows")
    monkeypatch.setattr(arrays, "PART_BYTES", 4 * 2 * 10)
    rows = np.ones((25, 2))
    rows[21] = 0
    with pytest.raises(InputError, match="The rows row 21 is all zeros"):
        arrays.as_unit_rows(rows, "The rows")
    assert not arrays.as_unit_rows(rows, "The rows", zeros=True)[21].any()
    rows[23, 1] = np.inf
    with pytest.raises(InputError, match="The rows row 23 holds NaN or infinity"):
        arrays.as_unit_rows(rows, "The rows", zeros=True)


def test_slices_cover_all_rows_once_in_bounded_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "PART_BYTES", 400)
    parts = list(row_slices(25, 10))
    assert parts == [slice(0, 10), slice(10, 20), slice(20, 25)]
    assert list(row_slices(2, 1000)) == [slice(0, 1), slice(1, 2)]


def test_torch_values_survive_and_results_go_back_as_the_kind_that_came() -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        np.testing.assert_array_equal(to_numpy(torch.tensor([[0.5, -2.0]], dtype=dtype, requires_grad=True)), [[0.5, -2.0]])
    values = np.array([[1.0]])
    assert like(np.ones(1, np.float32))(values).dtype == np.float32
    assert like([[1.0]])(values).dtype == np.float64
    assert like(torch.ones(1, dtype=torch.float64))(values).dtype == torch.float64
    assert like(torch.ones(1, dtype=torch.float16))(values).dtype == torch.float32
    assert is_torch(torch.ones(1))
    assert not is_torch(values)


def test_unit_rows_stay_the_array_that_they_are_and_others_are_scaled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "PART_BYTES", 4 * 8 * 10)  # parts of ten rows
    rows = np.random.default_rng(0).standard_normal((35, 8))
    unit = made_rows.unit(rows).astype(np.float32)
    np.save(tmp_path / "unit.npy", unit)
    mapped = np.load(tmp_path / "unit.npy", mmap_mode="r")
    assert arrays.as_unit_rows(unit, "The rows") is unit
    assert arrays.as_unit_rows(mapped, "The rows") is mapped
    for row in (3, 17, 34):  # one long row, in the first part, in the middle, at the end
        mixed = unit.copy()
        mixed[row] *= 3
        np.testing.assert_allclose(arrays.as_unit_rows(mixed, "The rows"), unit, atol=1e-7)
    for given in (rows, 1e30 * rows, 1e-30 * rows, rows.astype(np.float16)):
        np.testing.assert_allclose(arrays.as_unit_rows(given, "The rows"), unit, atol=1e-3 if given.dtype == np.float16 else 1e-7)


def test_products_with_few_are_the_products(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows, few = rng.standard_normal((50, 7)).astype(np.float32), rng.standard_normal((3, 7)).astype(np.float32)
    np.save(tmp_path / "rows.npy", rows)
    found = products_with_few(np.load(tmp_path / "rows.npy", mmap_mode="r"), few)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, rows.astype(float) @ few.T.astype(float), atol=1e-5)
    assert products_with_few(rows[:0], few).shape == (0, 3)
    same = np.repeat(rows[:1], 41, axis=0)
    assert (products_with_few(same, few) == products_with_few(same, few)[0]).all()
