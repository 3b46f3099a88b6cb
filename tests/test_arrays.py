import numpy as np
import pytest
import torch

from likeness.arrays import checked_rows, is_torch, like, to_numpy, unit_rows
from likeness.errors import InputError


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.ones(3), r"prompt embeddings have shape \(3,\)"),
        (np.ones((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (np.array([["a", "b"]]), "give numbers"),
        (np.empty((0, 4)), r"shape \(0, 4\); give at least one row"),
        (np.array([[1.0, 2], [np.nan, 1]]), "prompt 1 has NaN or infinite"),
        (np.array([[np.inf, 2], [1, 1], [-np.inf, 1]]), "prompt 0 has NaN or infinite"),
    ],
)
def test_unusable_rows_are_refused(given: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked_rows(given, "prompt")


def test_the_row_of_zeros_is_named() -> None:
    with pytest.raises(InputError, match="image 1 is all zeros"):
        unit_rows(np.array([[1.0, 0], [0, 0]]), "image")


def test_float_types_are_kept_and_others_become_float32() -> None:
    assert checked_rows(np.ones((1, 2)), "prompt").dtype == np.float64
    assert checked_rows(np.ones((1, 2), np.float16), "prompt").dtype == np.float32
    assert checked_rows([[1, 2]], "prompt").dtype == np.float32
    assert checked_rows(torch.ones(1, 2, dtype=torch.bfloat16), "prompt").dtype == np.float32


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_unit_rows_survive_extreme_lengths(scale: float) -> None:
    unit = unit_rows(np.array([[3.0, 4.0]]) * scale, "image")
    assert unit == pytest.approx(np.array([[0.6, 0.8]]), abs=1e-15)


def test_results_go_back_as_the_kind_that_came() -> None:
    values = np.array([[1.0]])
    assert like(np.ones(1, np.float32))(values).dtype == np.float32
    assert like([[1.0]])(values).dtype == np.float64
    assert like(torch.ones(1, dtype=torch.float64))(values).dtype == torch.float64
    assert like(torch.ones(1, dtype=torch.float16))(values).dtype == torch.float32
    assert is_torch(torch.ones(1))
    assert not is_torch(values)
    assert to_numpy(torch.ones(2, requires_grad=True)).tolist() == [1, 1]
