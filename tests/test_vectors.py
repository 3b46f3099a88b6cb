"""Checking vectors and scaling them to unit length."""

import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.vectors import as_numpy, checked_rows, unit_rows


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_unit_rows_have_length_one_and_keep_their_direction(scale: float) -> None:
    rows = np.random.default_rng(0).standard_normal((20, 5))
    unit = unit_rows(checked_rows(rows * scale, "Rows"), "Rows")
    np.testing.assert_allclose(unit, rows / np.linalg.norm(rows, axis=1, keepdims=True), atol=2e-7)
    assert unit.dtype == np.float32


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_torch_values_survive(dtype: torch.dtype) -> None:
    values = torch.tensor([[0.5, -2.0]], dtype=dtype, requires_grad=True)
    np.testing.assert_array_equal(as_numpy(values), [[0.5, -2.0]])


def test_large_finite_rows_are_not_taken_for_infinite() -> None:
    rows = np.full((2, 50), 3e38, np.float32)
    np.testing.assert_array_equal(checked_rows(rows, "Rows"), rows)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 2.0], [np.inf, 0.0]], "Rows row 1 holds NaN or infinity"),
        ([[1e300, 2.0]], "Rows row 0 holds NaN or infinity"),
        ([1.0, 2.0], r"Rows must be a non-empty array .* has shape \(2,\)"),
        (np.empty((3, 0)), r"has shape \(3, 0\)"),
    ],
)
def test_bad_rows_are_named(rows: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked_rows(rows, "Rows")


def test_a_row_without_direction_is_named() -> None:
    with pytest.raises(InputError, match="Rows row 1 is all zeros and has no direction"):
        unit_rows(np.array([[1, 0], [0, 0]], np.float32), "Rows")
