import itertools

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.samplers import intra_triplets, inverse_density, negative_probabilities, random_label_triplets, shared_triplets

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


def test_classes_that_are_too_few_or_too_small_give_no_triplet(rows: torch.Tensor) -> None:
    for labels in (torch.zeros(4, dtype=torch.int64), torch.tensor([0, 0, 1, 1])):
        assert [len(each) for each in shared_triplets(rows[:4], labels)] == [0, 0, 0]
    for labels in (torch.arange(4), torch.tensor([0, 0, 1, 1])):
        assert [len(each) for each in intra_triplets(rows[:4], labels)] == [0, 0, 0]


def test_equal_rows_and_many_dimensions_can_be_drawn_from() -> None:
    """In 512 dimensions the densities of near and far rows differ by more than a float holds."""
    rows = torch.eye(9, 512)
    rows[3:5], rows[7:] = rows[0], -rows[0]
    for _ in range(20):
        anchors, positives, negatives = shared_triplets(rows, LABELS)
        assert all(
            len({*triplet}) == 3 for triplet in zip(LABELS[anchors].tolist(), LABELS[positives].tolist(), LABELS[negatives].tolist(), strict=True)
        )


@pytest.mark.parametrize("miner", [shared_triplets, intra_triplets])
def test_labels_that_do_not_fit_are_refused(miner: type) -> None:
    with pytest.raises(InputError, match=r"got labels of shape \(2,\)"):
        miner(torch.eye(3), torch.zeros(2))
