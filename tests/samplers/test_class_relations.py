import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.losses import make_objective
from likeness.samplers import (
    distance_weighted_triplets,
    intra_triplets,
    inverse_density,
    negative_probabilities,
    random_label_triplets,
    rho_triplets,
    shared_triplets,
)

LABELS = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2, 3])


@pytest.fixture
def rows() -> torch.Tensor:
    torch.manual_seed(0)
    return normalize(torch.randn(len(LABELS), 4, dtype=torch.float64), dim=1)


def test_shared_triplets_are_of_three_classes_and_drawn_by_inverse_density(rows: torch.Tensor) -> None:
    times, generator, counts = 4000, torch.Generator().manual_seed(0), np.zeros((9, 9, 9))
    for _ in range(times):
        anchors, positives, negatives = shared_triplets(rows, LABELS, generator)
        assert anchors.tolist() == list(range(9))
        counts[anchors, positives, negatives] += 1
    distances = torch.cdist(rows, rows).clamp(min=0.5).numpy()
    weights = distances**-2 * (1 - distances**2 / 4) ** -0.5
    for a in range(9):
        expected = np.zeros((9, 9))
        for p, n in itertools.product(range(9), repeat=2):
            if len({int(LABELS[each]) for each in (a, p, n)}) == 3:
                first = weights[a, p] / weights[a, LABELS.numpy() != int(LABELS[a])].sum()
                rest = ~np.isin(LABELS.numpy(), [int(LABELS[a]), int(LABELS[p])])
                expected[p, n] = first * weights[a, n] / weights[a, rest].sum()
        np.testing.assert_allclose(counts[a] / times, expected, atol=0.03)
        assert not counts[a][expected == 0].any()


def test_intra_triplets_are_three_rows_of_a_class_drawn_evenly(rows: torch.Tensor) -> None:
    times, generator, counts = 3000, torch.Generator().manual_seed(0), np.zeros((9, 9, 9))
    for _ in range(times):
        anchors, positives, negatives = intra_triplets(rows, LABELS, generator)
        assert anchors.tolist() == [0, 1, 2, 5, 6, 7]  # the other classes have fewer than three rows
        counts[anchors, positives, negatives] += 1
    for a in (0, 5):
        assert counts[a, a + 1, a + 2] / times == pytest.approx(0.5, abs=0.04)
        assert counts[a, a + 1, a + 2] + counts[a, a + 2, a + 1] == times


def test_random_label_triplets_are_of_any_classes_and_their_negatives_drawn_by_inverse_density() -> None:
    torch.manual_seed(0)
    rows, labels = normalize(torch.randn(4, 4, dtype=torch.float64), dim=1), torch.tensor([0, 0, 1, 1])
    times, generator, counts = 6000, torch.Generator().manual_seed(0), np.zeros((4, 4, 4))
    for _ in range(times):
        anchors, positives, negatives = random_label_triplets(rows, labels, generator)
        assert anchors.tolist() == [0, 1, 2, 3]  # each label has two rows, whichever they are
        counts[anchors, positives, negatives] += 1
    distances = torch.cdist(rows, rows).clamp(min=0.5).numpy()
    weights = distances**-2 * (1 - distances**2 / 4) ** -0.5
    for a in range(4):
        expected = np.zeros((4, 4))
        for p in set(range(4)) - {a}:  # each other row has the anchor's label equally often
            rest = sorted(set(range(4)) - {a, p})
            expected[p, rest] = weights[a, rest] / weights[a, rest].sum() / 3
        np.testing.assert_allclose(counts[a] / times, expected, atol=0.03)


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


def drawn(rows: torch.Tensor, labels: torch.Tensor, times: int, rho: float) -> tuple[torch.Tensor, torch.Tensor]:
    """How often each (anchor, negative) came, in triplets that are switched and in those that are not: (n, n) each."""
    generator, counts = torch.Generator().manual_seed(0), torch.zeros(2, len(rows), len(rows))
    for _ in range(times):
        anchors, positives, negatives = rho_triplets(rows, labels, rho, generator=generator)
        counts[(positives == anchors).long(), anchors, negatives] += 1
    return counts[1], counts[0]


def test_negatives_of_other_classes_have_the_authors_probabilities(shared: Path) -> None:
    with np.load(shared / "reference" / "distance_weighted.npz") as file:
        rows, labels, *theirs = (torch.tensor(file[name]) for name in ("embeddings", "labels", "prob_rho_distance_lg", "prob_rho_distance_oodml"))
    for expected in theirs:
        np.testing.assert_allclose(negative_probabilities(rows, labels).numpy(), expected.numpy(), atol=1e-10)
    _, plain = drawn(rows, labels, 4000, 0.2)
    anchors = plain.sum(dim=1) > 0
    assert anchors.tolist() == [int((labels == label).sum()) > 1 for label in labels]
    found = plain / plain.sum(dim=1, keepdim=True)
    assert (found[anchors] - theirs[0][anchors]).abs().max() < 0.04


def test_the_share_rho_is_switched_to_an_even_draw_from_the_anchors_class() -> None:
    torch.manual_seed(0)
    rows, labels = normalize(torch.randn(9, 4), dim=1), torch.tensor([0, 0, 0, 0, 1, 1, 1, 2, 3])
    switched, plain = drawn(rows, labels, 5000, 0.2)
    share = switched.sum(dim=1) / (switched + plain).sum(dim=1)
    assert (share[:7] - 0.2).abs().max() < 0.02
    assert (switched + plain).sum(dim=1).tolist() == [5000] * 7 + [0, 0]  # the last two are alone in their class
    even = ((labels[:, None] == labels) & ~torch.eye(9, dtype=torch.bool))[:7].float()
    assert (switched[:7] / switched[:7].sum(dim=1, keepdim=True) - even / even.sum(dim=1, keepdim=True)).abs().max() < 0.04


def test_rho_of_0_and_1_switch_none_and_all() -> None:
    rows, labels = normalize(torch.randn(12, 4), dim=1), torch.arange(3).repeat(4)
    plain = distance_weighted_triplets(rows, labels, generator=torch.Generator().manual_seed(3))
    none, all_of_them = (rho_triplets(rows, labels, rho, generator=torch.Generator().manual_seed(3)) for rho in (0.0, 1.0))
    assert all(torch.equal(a, b) for a, b in zip(none, plain, strict=True))
    anchors, positives, negatives = all_of_them
    assert torch.equal(anchors, positives)
    assert torch.equal(labels[anchors], labels[negatives])
    assert bool((anchors != negatives).all())


@pytest.mark.parametrize("rho", [-0.1, 1.5])
def test_a_rho_that_is_no_share_is_refused(rho: float) -> None:
    with pytest.raises(InputError, match=f"rho is {rho}, but it is a share of the triplets; choose 0 to 1"):
        rho_triplets(torch.eye(3), torch.zeros(3), rho)
    with pytest.raises(InputError, match=f"rho is {rho}"):
        make_objective("r-margin", 3, 4, rho=rho)
    with pytest.raises(InputError, match=r"got labels of shape \(2,\)"):
        rho_triplets(torch.eye(3), torch.zeros(2))
