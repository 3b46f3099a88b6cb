import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from likeness.samplers import (
    distance_weighted_triplets,
    intra_triplets,
    inverse_density,
    random_label_triplets,
    rho_triplets,
    shared_triplets,
)
from likeness.samplers.distance_weighted import negative_probabilities


def test_probabilities_equal_the_authors_and_with_an_upper_cutoff_pytorch_metric_learning(shared: Path) -> None:
    with np.load(shared / "reference" / "distance_weighted.npz") as file:
        arrays = dict(file)
    rows, labels = torch.tensor(arrays["embeddings"]), torch.tensor(arrays["labels"])
    found = negative_probabilities(rows, labels).numpy()
    for name in ("prob_distance_lg", "prob_distance_oodml", "prob_rho_distance_lg", "prob_rho_distance_oodml"):
        np.testing.assert_allclose(found, arrays[name], atol=1e-10)
    np.testing.assert_allclose(negative_probabilities(rows, labels, upper=2.5).numpy(), arrays["prob_pml_nonzero2p5"], atol=1e-10)
    theirs = arrays["prob_pml_nonzero1p4"]
    near = theirs.sum(axis=1) > 0
    np.testing.assert_allclose(negative_probabilities(rows, labels, upper=1.4).numpy()[near], theirs[near], atol=1e-10)
    opposite = torch.tensor([[1.0, 0], [1, 0], [-1, 0], [-1, 0]])
    assert negative_probabilities(opposite, torch.tensor([0, 0, 1, 1])).sum(dim=1).tolist() == pytest.approx([1] * 4)


def test_triplets_are_drawn_by_these_probabilities() -> None:
    torch.manual_seed(0)
    rows, labels = normalize(torch.randn(8, 3), dim=1), torch.tensor([0, 0, 0, 1, 1, 2, 2, 3])
    draw = lambda *batch: distance_weighted_triplets(*batch[:2], generator=batch[2])  # noqa: E731
    shares = counted(draw, rows, labels, 3000, list(range(7)))  # the last row has no partner
    np.testing.assert_allclose(shares.sum(axis=1)[:7], negative_probabilities(rows, labels)[:7], atol=0.04)
    np.testing.assert_allclose(shares.sum(axis=2)[0], [0, 0.5, 0.5, 0, 0, 0, 0, 0], atol=0.04)


LABELS = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2, 3])


@pytest.fixture
def rows() -> torch.Tensor:
    torch.manual_seed(0)
    return normalize(torch.randn(len(LABELS), 4, dtype=torch.float64), dim=1)


Draw = Callable[[torch.Tensor, torch.Tensor, torch.Generator], tuple[torch.Tensor, ...]]


def counted(draw: Draw, rows: torch.Tensor, labels: torch.Tensor, times: int, expected: list[int]) -> np.ndarray:
    """How often each (anchor, positive, negative) came, as a share of the draws; the anchors are always these."""
    generator, counts = torch.Generator().manual_seed(0), np.zeros((len(rows),) * 3)
    for _ in range(times):
        anchors, positives, negatives = draw(rows, labels, generator)
        assert anchors.tolist() == expected
        counts[anchors, positives, negatives] += 1
    return counts / times


def inverse_densities(rows: torch.Tensor) -> np.ndarray:
    distances = torch.cdist(rows, rows).clamp(min=0.5).numpy()
    return distances**-2 * (1 - distances**2 / 4) ** -0.5


def test_shared_triplets_are_of_three_classes_and_drawn_by_inverse_density(rows: torch.Tensor) -> None:
    shares, weights, labels = counted(shared_triplets, rows, LABELS, 4000, list(range(9))), inverse_densities(rows), LABELS.numpy()
    for a in range(9):
        expected = np.zeros((9, 9))
        for p, n in itertools.product(range(9), repeat=2):
            if len({labels[each] for each in (a, p, n)}) == 3:
                first = weights[a, p] / weights[a, labels != labels[a]].sum()
                expected[p, n] = first * weights[a, n] / weights[a, ~np.isin(labels, [labels[a], labels[p]])].sum()
        np.testing.assert_allclose(shares[a], expected, atol=0.03)
        assert not shares[a][expected == 0].any()


def test_intra_triplets_are_three_rows_of_a_class_drawn_evenly(rows: torch.Tensor) -> None:
    shares = counted(intra_triplets, rows, LABELS, 3000, [0, 1, 2, 5, 6, 7])  # the other classes have fewer than three rows
    for a in (0, 5):
        assert shares[a, a + 1, a + 2] == pytest.approx(0.5, abs=0.04)
        assert shares[a, a + 1, a + 2] + shares[a, a + 2, a + 1] == pytest.approx(1)


def test_random_label_triplets_are_of_any_classes_and_their_negatives_drawn_by_inverse_density() -> None:
    torch.manual_seed(0)
    rows, labels = normalize(torch.randn(4, 4, dtype=torch.float64), dim=1), torch.tensor([0, 0, 1, 1])
    shares, weights = counted(random_label_triplets, rows, labels, 6000, [0, 1, 2, 3]), inverse_densities(rows)  # each label has two rows
    for a in range(4):
        expected = np.zeros((4, 4))
        for p in set(range(4)) - {a}:  # each other row has the anchor's label equally often
            rest = sorted(set(range(4)) - {a, p})
            expected[p, rest] = weights[a, rest] / weights[a, rest].sum() / 3
        np.testing.assert_allclose(shares[a], expected, atol=0.03)


def test_inverse_density_between_two_sets_is_that_within_one(rows: torch.Tensor) -> None:
    within = negative_probabilities(rows, LABELS)
    others = LABELS[:4, None] != LABELS[None, :]
    torch.testing.assert_close(inverse_density(rows[:4], rows, others), within[:4])
    assert inverse_density(rows, rows[:0], torch.ones(9, 0, dtype=torch.bool)).shape == (9, 0)
    assert inverse_density(rows, rows[:2], torch.zeros(9, 2, dtype=torch.bool)).abs().sum() == 0


def test_equal_rows_and_many_dimensions_can_be_drawn_from() -> None:
    """In 512 dimensions the densities of near and far rows differ by more than a float holds."""
    rows = torch.eye(9, 512)
    rows[3:5], rows[7:] = rows[0], -rows[0]
    for _ in range(20):
        anchors, positives, negatives = shared_triplets(rows, LABELS)
        assert all(
            len({*triplet}) == 3 for triplet in zip(LABELS[anchors].tolist(), LABELS[positives].tolist(), LABELS[negatives].tolist(), strict=True)
        )


def drawn(rows: torch.Tensor, labels: torch.Tensor, times: int, rho: float, anchors: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """How often each (anchor, negative) came, in triplets that are switched and in those that are not: (n, n) each."""
    counts = times * counted(lambda *batch: rho_triplets(*batch[:2], rho, generator=batch[2]), rows, labels, times, anchors)
    switched = counts[np.arange(len(rows)), np.arange(len(rows))]
    return switched, counts.sum(axis=1) - switched


def test_the_share_rho_is_switched_to_an_even_draw_from_the_anchors_class_and_the_others_are_not() -> None:
    torch.manual_seed(0)
    rows, labels = normalize(torch.randn(9, 4), dim=1), torch.tensor([0, 0, 0, 0, 1, 1, 1, 2, 3])
    switched, plain = (each[:7] for each in drawn(rows, labels, 5000, 0.2, list(range(7))))  # the last two are alone in their class
    np.testing.assert_allclose(switched.sum(axis=1) / (switched + plain).sum(axis=1), 0.2, atol=0.02)
    even = ((labels[:, None] == labels) & ~torch.eye(9, dtype=torch.bool))[:7].numpy()
    np.testing.assert_allclose(switched / switched.sum(axis=1, keepdims=True), even / even.sum(axis=1, keepdims=True), atol=0.04)
    np.testing.assert_allclose(plain / plain.sum(axis=1, keepdims=True), negative_probabilities(rows, labels)[:7], atol=0.04)


def test_rho_of_0_and_1_switch_none_and_all() -> None:
    rows, labels = normalize(torch.randn(12, 4), dim=1), torch.arange(3).repeat(4)
    plain = distance_weighted_triplets(rows, labels, generator=torch.Generator().manual_seed(3))
    none, all_of_them = (rho_triplets(rows, labels, rho, generator=torch.Generator().manual_seed(3)) for rho in (0.0, 1.0))
    assert all(torch.equal(a, b) for a, b in zip(none, plain, strict=True))
    anchors, positives, negatives = all_of_them
    assert torch.equal(anchors, positives)
    assert torch.equal(labels[anchors], labels[negatives])
    assert bool((anchors != negatives).all())
