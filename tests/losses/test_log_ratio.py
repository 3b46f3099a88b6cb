"""Log-ratio loss: the authors' numbers, the paper's equations in plain loops, laws."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from likeness.losses import log_ratio
from likeness.losses.squared_distances import squared_distances

CASES = ("raw", "unit", "ties")


def plain(rows: np.ndarray, known: np.ndarray) -> tuple[float, int]:
    """Eq. 5 summed over Eq. 10, triplet by triplet, and the number of triplets; row a of `known` belongs to anchor a."""
    total, count = 0.0, 0
    for a in range(len(known)):
        for i in range(len(rows)):
            for j in range(len(rows)):
                if a in (i, j) or not known[a, i] < known[a, j] or known[a, i] == 0:
                    continue
                image = math.log(((rows[a] - rows[i]) ** 2).sum() / ((rows[a] - rows[j]) ** 2).sum())
                label = math.log(known[a, i] ** 2 / known[a, j] ** 2)
                total, count = total + (image - label) ** 2, count + 1
    return total, count


def drawn(seed: int, n: int = 9, d: int = 5, ties: bool = False) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, (n, 2)).astype(float) if ties else rng.standard_normal((n, 3))
    return rng.standard_normal((n, d)), np.linalg.norm(labels[:, None] - labels[None], axis=2)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_equals_the_papers_equation_of_the_reference(reference: Any, gradient: Any, case: str, reduction: str) -> None:
    arrays = reference("log_ratio")
    known, name = torch.tensor(arrays[f"{case}_label_distances"]), f"{case}_paper_logratio_{reduction}"
    value, slope = gradient(lambda rows: log_ratio(rows, known, reduction=reduction), arrays[f"{case}_embeddings"])
    assert value == pytest.approx(float(arrays[name]), rel=1e-12)
    np.testing.assert_allclose(slope, arrays[f"{name}_grad"], rtol=1e-10, atol=1e-12 * np.abs(slope).max())


@pytest.mark.parametrize("case", [*CASES, "degenerate"])
def test_equals_the_authors_code(reference: Any, gradient: Any, case: str) -> None:
    arrays = reference("log_ratio")
    known = torch.tensor(arrays[f"{case}_label_distances"])
    value, slope = gradient(lambda rows: log_ratio(rows, known, variant="official"), arrays[f"{case}_embeddings"])
    assert value == pytest.approx(float(arrays[f"{case}_official_logratio_loss"]), rel=1e-7)
    np.testing.assert_allclose(slope, arrays[f"{case}_official_logratio_grad"], atol=1e-7 * np.abs(slope).max())


@pytest.mark.parametrize("case", CASES)
def test_single_precision(reference: Any, case: str) -> None:
    arrays = reference("log_ratio")
    rows, known = (torch.tensor(arrays[f"{case}_{name}"], dtype=torch.float32) for name in ("embeddings", "label_distances"))
    assert float(log_ratio(rows, known)) == pytest.approx(float(arrays[f"{case}_paper_logratio_mean"]), rel=1e-5)
    official = float(arrays[f"{case}_official_logratio_loss_float32"])
    assert float(log_ratio(rows, known, variant="official")) == pytest.approx(official, rel=1e-5)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("anchors", [1, 4, 9])
def test_is_the_equation_for_any_number_of_anchors(anchors: int, ties: bool) -> None:
    rows, known = drawn(anchors, ties=ties)
    total, count = plain(rows, known[:anchors])
    assert log_ratio(rows, known[:anchors], reduction="sum") == pytest.approx(total, rel=1e-12)
    assert log_ratio(rows, known[:anchors]) == pytest.approx(total / count, rel=1e-12)


def test_gradients_are_equations_6_to_9(gradient: Any) -> None:
    """One triplet (a, i, j): f_i moves along f_i - f_a, by l' / D(f_a, f_i)."""
    rows, known = np.random.default_rng(3).standard_normal((3, 4)), np.array([0.7, 2.1])
    _, slope = gradient(lambda leaf: log_ratio(leaf, torch.tensor(known)), rows)
    a, i, j = rows
    near, far = ((a - i) ** 2).sum(), ((a - j) ** 2).sum()
    factor = 4 * (math.log(near / far) - math.log(known[0] ** 2 / known[1] ** 2))
    of_i, of_j = (i - a) / near * factor, (a - j) / far * factor
    np.testing.assert_allclose(slope, [-of_i - of_j, of_i, of_j], rtol=1e-12)


def test_keeps_a_gradient_where_the_order_is_right_already(gradient: Any) -> None:
    """Unlike a triplet loss (section 3.2): i is nearer than j, but not as much nearer as its label."""
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    _, slope = gradient(lambda leaf: log_ratio(leaf, torch.tensor([1.0, 4.0])), rows)
    assert slope[1, 0] > 0.1  # descent moves i towards the anchor ...
    assert slope[2, 0] < -0.1  # ... and j away from it


@pytest.mark.parametrize("variant", ["paper", "official"])
def test_gradients_are_the_finite_differences(variant: str) -> None:
    rows, known = drawn(5)
    assert torch.autograd.gradcheck(lambda leaf: log_ratio(leaf, torch.tensor(known), variant), torch.tensor(rows, requires_grad=True))


@settings(max_examples=25)
@given(st.integers(0, 1000), st.floats(0.01, 100), st.floats(0.01, 100))
def test_only_ratios_count(seed: int, of_rows: float, of_labels: float) -> None:
    rows, known = drawn(seed)
    shift = np.random.default_rng(seed).standard_normal(rows.shape[1])
    assert log_ratio(of_rows * rows + shift, of_labels * known) == pytest.approx(log_ratio(rows, known), rel=1e-6)


def test_is_zero_where_distances_are_proportional() -> None:
    rows = np.random.default_rng(0).standard_normal((8, 3))
    known = 2.5 * np.linalg.norm(rows[:, None] - rows[None], axis=2)
    assert log_ratio(rows, known) == pytest.approx(0, abs=1e-20)


def test_the_anchor_alone_as_a_row_of_the_matrix() -> None:
    rows, known = drawn(1)
    assert log_ratio(rows, known[0, 1:]) == pytest.approx(log_ratio(rows, known[:1]), rel=1e-14)


def test_the_order_of_the_neighbors_does_not_matter() -> None:
    rows, known = drawn(2, ties=True)
    order = np.concatenate([[0], 1 + np.random.default_rng(0).permutation(8)])
    for variant in ("paper", "official"):
        assert log_ratio(rows[order], known[:1, order], variant) == pytest.approx(log_ratio(rows, known[:1], variant), rel=1e-12)


def test_neighbors_without_a_ratio_take_no_part(gradient: Any) -> None:
    """Equal labels, and equal embeddings."""
    rows, known = drawn(4, ties=False)
    known[:, 5] = known[5, :] = 0
    rows[7] = rows[2]
    kept = [each for each in range(9) if each != 5]
    first = log_ratio(rows, known[:1], reduction="sum")
    assert first == pytest.approx(plain(rows[kept], known[:1][:, kept])[0], rel=1e-12)
    value, slope = gradient(lambda leaf: log_ratio(leaf, torch.tensor(known)), rows)
    assert np.isfinite(value)
    assert np.isfinite(slope).all()


@pytest.mark.parametrize("known", [np.zeros((6, 6)), 1 - np.eye(6)])
def test_without_triplets_nothing_is_to_learn(gradient: Any, known: np.ndarray) -> None:
    """All images alike, or all equally far."""
    rows = np.random.default_rng(0).standard_normal((6, 3))
    value, slope = gradient(lambda leaf: log_ratio(leaf, torch.tensor(known)), rows)
    assert value == pytest.approx(0, abs=1e-20)
    np.testing.assert_allclose(slope, 0, atol=1e-12)


def test_small_distances_keep_their_digits() -> None:
    """Two rows a millionth of their length apart, in single precision."""
    rows = torch.tensor([[1.0, 0.0], [1.0, 2e-4], [1.0, 4e-4], [3.0, 1.0]])
    expected = torch.tensor([[0.0, 4e-8, 1.6e-7, 5.0]])
    torch.testing.assert_close(squared_distances(rows[:1], rows), expected, rtol=1e-5, atol=0)
