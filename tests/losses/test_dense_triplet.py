from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from likeness.losses import binary_triplet, dense_triplet, log_ratio, make_objective


def drawn(seed: int, n: int = 10, ties: bool = False) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, 4))
    labels = rng.integers(0, 3, (n, 2)).astype(float) if ties else rng.standard_normal((n, 2))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), np.linalg.norm(labels[:, None] - labels[None], axis=2)


def plain(rows: np.ndarray, known: np.ndarray, margin: float) -> float:
    costs = [
        max(0.0, ((rows[a] - rows[i]) ** 2).sum() - ((rows[a] - rows[j]) ** 2).sum() + margin)
        for a in range(len(known))
        for i in range(len(rows))
        for j in range(len(rows))
        if a not in (i, j) and known[a, i] < known[a, j]
    ]
    return float(np.mean(costs))


@pytest.mark.parametrize("case", ["raw", "unit", "ties"])
def test_equals_the_reference(reference: Any, gradient: Any, case: str) -> None:
    arrays = reference("log_ratio")
    known = torch.tensor(arrays[f"{case}_label_distances"])
    for variant, name, relative in (("paper", "paper_dense_mean", 1e-12), ("official", "official_dense_loss", 1e-7)):
        value, slope = gradient(lambda rows, variant=variant: dense_triplet(rows, known, variant=variant), arrays[f"{case}_embeddings"])
        assert value == pytest.approx(float(arrays[f"{case}_{name}"]), rel=relative)
        expected = arrays[f"{case}_{name.removesuffix('_loss')}_grad"]
        np.testing.assert_allclose(slope, expected, atol=relative * np.abs(expected).max())


def test_binary_labels_equal_the_reference(reference: Any, gradient: Any) -> None:
    arrays = reference("log_ratio")
    known = torch.tensor(arrays["unit_label_distances"])
    value, slope = gradient(lambda rows: binary_triplet(rows, known, positives=5), arrays["unit_embeddings"])
    assert value == pytest.approx(float(arrays["naive_exact_loss"]), rel=1e-12)
    np.testing.assert_allclose(slope, arrays["naive_exact_grad"], atol=1e-12 * np.abs(slope).max())
    assert value == pytest.approx(float(arrays["naive_official_loss"]), rel=1e-3)  # theirs accumulates in single precision


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("anchors", [1, 3, 10])
def test_is_the_equation_for_any_number_of_anchors(anchors: int, ties: bool) -> None:
    rows, known = drawn(anchors, ties=ties)
    assert dense_triplet(rows, known[:anchors], margin=0.1) == pytest.approx(plain(rows, known[:anchors], 0.1), rel=1e-12)


def test_a_few_anchors_at_a_time_give_the_same(monkeypatch: pytest.MonkeyPatch, gradient: Any) -> None:
    rows, known = drawn(6)
    at_once = gradient(lambda leaf: dense_triplet(leaf, torch.tensor(known)), rows)
    monkeypatch.setattr("likeness.losses.anchor_distances._ENTRIES", 1)
    one_by_one = gradient(lambda leaf: dense_triplet(leaf, torch.tensor(known)), rows)
    assert at_once[0] == pytest.approx(one_by_one[0], rel=1e-12)
    np.testing.assert_allclose(at_once[1], one_by_one[1], rtol=1e-12)


LINE = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])


@pytest.mark.parametrize(("rows", "known"), [(drawn(0)[0], 1 - np.eye(10)), (LINE, [1.0, 4.0])], ids=["no triplets", "a satisfied order"])
def test_nothing_is_to_learn_without_triplets_and_where_the_order_is_right(gradient: Any, rows: np.ndarray, known: Any) -> None:
    """Section 3.1: unlike the log-ratio loss."""
    value, slope = gradient(lambda leaf: dense_triplet(leaf, torch.tensor(known)), rows)
    assert value == 0
    assert not slope.any()


def batch(seed: int, n: int = 20) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randn(n, 3, generator=generator)
    return normalize(torch.randn(n, 8, generator=generator), dim=1), torch.cdist(labels, labels)


def test_names_stand_for_the_functions_on_label_distances() -> None:
    rows, known = batch(1)
    torch.testing.assert_close(make_objective("log-ratio")(rows, known), log_ratio(rows, known))
    torch.testing.assert_close(make_objective("log-ratio-official")(rows, known), log_ratio(rows, known, "official"))
    torch.testing.assert_close(make_objective("dense-triplet", margin=0.5)(rows, known), dense_triplet(rows, known, 0.5))
    official = make_objective("dense-triplet-official", margin=0.5)(rows, known)
    torch.testing.assert_close(official, dense_triplet(rows, known, 0.5, variant="official"))


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


def test_margin_loss_draws_the_nearest_negative_more_often_than_by_chance() -> None:
    rows = normalize(torch.randn(40, 16, generator=torch.Generator().manual_seed(0)), dim=1)
    rows[1] = normalize(rows[0] + 0.1 * rows[1], dim=0)
    known = torch.arange(40.0).flip(0)[None]  # row 1 is the farthest by label
    torch.manual_seed(0)
    objective = make_objective("binary-margin", positives=1, margin=0.0, beta=1.0)
    losses = np.array([float(objective(rows, known)) for _ in range(50)])
    assert (losses > 0.5).mean() > 0.5
