from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.losses import make_objective
from likeness.samplers import distance_weighted_triplets, negative_probabilities, rho_triplets


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


def test_one_class_or_no_partner_gives_no_triplet() -> None:
    rows = normalize(torch.randn(4, 3), dim=1)
    for labels in (torch.zeros(4, dtype=torch.int64), torch.arange(4)):
        assert [len(each) for each in rho_triplets(rows, labels)] == [0, 0, 0]


@pytest.mark.parametrize("rho", [-0.1, 1.5])
def test_a_rho_that_is_no_share_is_refused(rho: float) -> None:
    with pytest.raises(InputError, match=f"rho is {rho}, but it is a share of the triplets; choose 0 to 1"):
        rho_triplets(torch.eye(3), torch.zeros(3), rho)
    with pytest.raises(InputError, match=f"rho is {rho}"):
        make_objective("r-margin", 3, 4, rho=rho)
    with pytest.raises(InputError, match=r"got labels of shape \(2,\)"):
        rho_triplets(torch.eye(3), torch.zeros(2))
