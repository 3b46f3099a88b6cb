import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from likeness.losses import log_ratio
from likeness.losses.anchor_distances import squared_distances

CASES = ("raw", "unit", "ties")


def plain(rows: np.ndarray, known: np.ndarray) -> float:
    """The mean of Eq. 5 over Eq. 10, triplet by triplet; row a of `known` belongs to anchor a."""
    costs = []
    for a, i, j in itertools.product(range(len(known)), range(len(rows)), range(len(rows))):
        if a not in (i, j) and 0 < known[a, i] < known[a, j]:
            image = math.log(((rows[a] - rows[i]) ** 2).sum() / ((rows[a] - rows[j]) ** 2).sum())
            costs.append((image - math.log(known[a, i] ** 2 / known[a, j] ** 2)) ** 2)
    return float(np.mean(costs))


def drawn(seed: int, n: int = 9, d: int = 5, ties: bool = False) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, (n, 2)).astype(float) if ties else rng.standard_normal((n, 3))
    return rng.standard_normal((n, d)), np.linalg.norm(labels[:, None] - labels[None], axis=2)


@pytest.mark.parametrize("case", [*CASES, "degenerate"])
def test_equals_the_papers_equation_of_the_reference_and_the_authors_code(reference: Any, gradient: Any, case: str) -> None:
    arrays = reference("log_ratio")
    rows, known = arrays[f"{case}_embeddings"], torch.tensor(arrays[f"{case}_label_distances"])
    single, labels = torch.tensor(rows, dtype=torch.float32), known.float()
    value, slope = gradient(lambda rows: log_ratio(rows, known, variant="official"), rows)
    assert value == pytest.approx(float(arrays[f"{case}_official_logratio_loss"]), rel=1e-7)
    np.testing.assert_allclose(slope, arrays[f"{case}_official_logratio_grad"], atol=1e-7 * np.abs(slope).max())
    if case in CASES:
        for reduction in ("mean", "sum"):
            name = f"{case}_paper_logratio_{reduction}"
            value, slope = gradient(lambda rows, reduction=reduction: log_ratio(rows, known, reduction=reduction), rows)
            assert value == pytest.approx(float(arrays[name]), rel=1e-12)
            np.testing.assert_allclose(slope, arrays[f"{name}_grad"], rtol=1e-10, atol=1e-12 * np.abs(slope).max())
        name = f"{case}_paper_logratio_mean"
        assert float(log_ratio(single, labels)) == pytest.approx(float(arrays[name]), rel=1e-5)
        official = float(arrays[f"{case}_official_logratio_loss_float32"])
        assert float(log_ratio(single, labels, variant="official")) == pytest.approx(official, rel=1e-5)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("anchors", [1, 4, 9])
def test_is_the_equation_for_any_number_of_anchors(anchors: int, ties: bool) -> None:
    rows, known = drawn(anchors, ties=ties)
    assert log_ratio(rows, known[:anchors]) == pytest.approx(plain(rows, known[:anchors]), rel=1e-12)


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


def test_is_zero_where_distances_are_proportional_in_any_order_of_the_neighbors() -> None:
    rows = np.random.default_rng(0).standard_normal((8, 3))
    assert log_ratio(rows, 2.5 * np.linalg.norm(rows[:, None] - rows[None], axis=2)) == pytest.approx(0, abs=1e-20)
    rows, known = drawn(2, ties=True)
    assert log_ratio(rows, known[0, 1:]) == pytest.approx(log_ratio(rows, known[:1]), rel=1e-14)  # the anchor alone as a row of the matrix
    order = np.concatenate([[0], 1 + np.random.default_rng(0).permutation(8)])
    for variant in ("paper", "official"):
        assert log_ratio(rows[order], known[:1, order], variant) == pytest.approx(log_ratio(rows, known[:1], variant), rel=1e-12)


def test_neighbors_without_a_ratio_take_no_part(gradient: Any) -> None:
    """Equal labels, and equal embeddings; where all images are alike, or all equally far, there is nothing to learn."""
    rows, known = drawn(4, ties=False)
    known[:, 5] = known[5, :] = 0
    rows[7] = rows[2]
    kept = [each for each in range(9) if each != 5]
    assert log_ratio(rows, known[:1]) == pytest.approx(plain(rows[kept], known[:1][:, kept]), rel=1e-12)
    value, slope = gradient(lambda leaf: log_ratio(leaf, torch.tensor(known)), rows)
    assert np.isfinite(value)
    assert np.isfinite(slope).all()
    for alike in (np.zeros((9, 9)), 1 - np.eye(9)):
        value, slope = gradient(lambda leaf, alike=alike: log_ratio(leaf, torch.tensor(alike)), drawn(0)[0])
        assert value == pytest.approx(0, abs=1e-20)
        np.testing.assert_allclose(slope, 0, atol=1e-12)


def test_small_distances_keep_their_digits() -> None:
    """Two rows a millionth of their length apart, in single precision."""
    rows = torch.tensor([[1.0, 0.0], [1.0, 2e-4], [1.0, 4e-4], [3.0, 1.0]])
    expected = torch.tensor([[0.0, 4e-8, 1.6e-7, 5.0]])
    torch.testing.assert_close(squared_distances(rows[:1], rows), expected, rtol=1e-5, atol=0)
