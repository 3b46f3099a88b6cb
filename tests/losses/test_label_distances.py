"""Objectives on label distances by name."""

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from likeness.losses import dense_triplet, log_ratio, make_objective


def batch(seed: int = 0, n: int = 20) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randn(n, 3, generator=generator)
    return normalize(torch.randn(n, 8, generator=generator), dim=1), torch.cdist(labels, labels)


def test_names_stand_for_the_functions() -> None:
    rows, known = batch(1)
    torch.testing.assert_close(make_objective("log-ratio")(rows, known), log_ratio(rows, known))
    torch.testing.assert_close(make_objective("log-ratio-official")(rows, known), log_ratio(rows, known, "official"))
    torch.testing.assert_close(make_objective("dense-triplet", margin=0.5)(rows, known), dense_triplet(rows, known, 0.5))


def test_margin_loss_pairs_anchors_with_their_nearest_labels() -> None:
    """With one negative left, nothing is drawn, and the loss can be computed by hand."""
    rows, known = batch(2, n=6)
    found = make_objective("binary-margin", positives=4)(rows, known[:1])
    order = [each for each in known[0].argsort().tolist() if each != 0]
    lengths = (rows - rows[0]).norm(dim=1)
    positive = [max(0.0, float(lengths[each]) - 1.2 + 0.2) for each in order[:4]]
    negative = [max(0.0, 1.2 - float(lengths[order[4]]) + 0.2)] * 4
    paid = [each for each in (*positive, *negative) if each > 0]
    assert float(found) == pytest.approx(sum(paid) / len(paid), rel=1e-5)


def test_margin_loss_draws_far_negatives_as_often_as_near_ones() -> None:
    """Negatives are drawn by the inverse density of their distance, so the nearest one is drawn more often than by chance."""
    generator = torch.Generator().manual_seed(0)
    rows = normalize(torch.randn(40, 16, generator=generator), dim=1)
    rows[1] = normalize(rows[0] + 0.1 * rows[1], dim=0)
    known = torch.arange(40.0).flip(0)[None]  # row 1 is the farthest by label
    torch.manual_seed(0)
    objective = make_objective("binary-margin", positives=1, margin=0.0, beta=1.0)
    losses = np.array([float(objective(rows, known)) for _ in range(50)])
    assert (losses > 0.5).mean() > 0.5
