import inspect
from typing import Any

import numpy as np
import pytest
import torch
from scipy.special import softmax
from torch import nn
from torch.nn.functional import normalize

from likeness.losses import DIVA_PARTS, WRAPPERS, DiVA, OfficialUniformPrior, UniformPrior, make_objective
from likeness.losses.diva import MomentumKeys, Separation, dance
from likeness.losses.uniform_prior import reversed_gradient
from likeness.options import defaults
from likeness.samplers import distance_weighted_triplets, intra_triplets, random_label_triplets, shared_triplets
from likeness.training.network.embedding_network import EmbeddingNetwork

LABELS = torch.arange(4).repeat_interleave(4)


def network(dim: int = 16) -> EmbeddingNetwork:
    torch.manual_seed(0)
    return EmbeddingNetwork(None, 10, dim, parts=4).double()


def diva(followed: EmbeddingNetwork, **options: Any) -> DiVA:
    torch.manual_seed(1)
    loss = DiVA(make_objective("margin", 4, 4), 16, **{"hidden": 8, "queue_batches": 2, "dropout": 0.0, **options}).double()
    loss.follow(followed, 16)
    return loss


def hinges(rows: torch.Tensor, triplets: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """The margin loss, beta 1.2 and margin 0.2, from its formula."""
    a, p, n = (rows[each] for each in triplets)
    both = torch.cat([((a - p).norm(dim=1) - 1).relu(), (1.4 - (a - n).norm(dim=1)).relu()])
    return both.sum() / (both > 0).sum()


def official_hinges(rows: torch.Tensor, triplets: tuple[torch.Tensor, ...], beta: torch.Tensor) -> torch.Tensor:
    """The margin loss of the authors' code: the sum over triplets, by how many have a term above 0."""
    a, p, n = (rows[each] for each in triplets)
    own = beta[LABELS[triplets[0]]]
    pull, push = ((a - p).norm(dim=1) - own + 0.2).relu(), (own + 0.2 - (a - n).norm(dim=1)).relu()
    return (pull + push).sum() / ((pull + push) > 0).sum()


@pytest.mark.parametrize("official", [False, True])
def test_equals_the_sum_of_its_parts_in_value_and_gradient(official: bool) -> None:
    """The authors' code is had by three switches."""
    torch.manual_seed(2)
    trained, features = network(), torch.randn(16, 10, dtype=torch.float64)
    weights = {"shared_weight": 0.5, "intra_weight": 0.25, "sample_weight": 2.0, "separation_weight": 30.0}
    switches = {"random_labels": True, "official_margin": True, "batch_weights": True, "classes": 4} if official else {}
    loss = diva(trained, **weights, **switches)
    betas = {name: each for name, each in loss.named_parameters() if name.endswith("loss.beta")}
    assert {name: each.shape for name, each in betas.items()} == ({"shared.loss.beta": (4,), "intra.loss.beta": (4,)} if official else {})
    with torch.no_grad():
        for number, each in enumerate(betas.values()):
            each.copy_(torch.linspace(0.8 + 0.1 * number, 1.3, 4, dtype=torch.float64))
    stored = normalize(torch.randn(20, 4, dtype=torch.float64), dim=1)
    loss.keys.enqueue(stored)
    torch.manual_seed(3)
    value = loss(trained(features).embeddings, LABELS, features)
    value.backward()
    slope = trained.head.weight.grad.clone()
    assert all(each.grad is not None and each.grad.abs().sum() > 0 for each in betas.values())

    trained.zero_grad()
    torch.manual_seed(3)
    first, *added = (normalize(each, dim=1) for each in trained.head(features).split(4, dim=1))
    draws = (random_label_triplets, random_label_triplets) if official else (shared_triplets, intra_triplets)
    drawn = [draw(part, LABELS) for draw, part in zip(draws, added, strict=False)]
    # the copy is equal to the network before the first step, and so is the view
    expected = 2 * dance(added[2], added[2].detach(), stored, batch_weights=official) + hinges(first, distance_weighted_triplets(first, LABELS))
    for weight, part, triplets, name in zip((0.5, 0.25), added, drawn, ("shared", "intra"), strict=False):
        own = official_hinges(part, triplets, betas[f"{name}.loss.beta"].detach()) if official else hinges(part, triplets)
        expected = expected + weight * own
    for separation, part in zip(loss.separations, added, strict=True):
        guessed = normalize(separation.network(reversed_gradient(part)), dim=1)
        expected = expected - 30 * ((reversed_gradient(first) * guessed) ** 2).mean()
    expected.backward()
    # pytorch-metric-learning's divisors are not quite whole; 1e-8 is inside the root of the code's distances
    assert value.item() == pytest.approx(expected.item(), rel=1e-6 if official else 1e-7)
    torch.testing.assert_close(slope, trained.head.weight.grad, rtol=1e-5 if official else 1e-7, atol=1e-7)


def test_parts_are_unit_quarters_and_two_images_of_each_class_are_enough_by_random_labels_alone() -> None:
    trained, features = network(), torch.randn(5, 10, dtype=torch.float64)
    rows = trained(features).embeddings
    torch.testing.assert_close(rows.norm(dim=1), torch.ones(5, dtype=torch.float64))
    torch.testing.assert_close(torch.cat(diva(trained).parts(rows), dim=1), 2 * rows)
    assert [WRAPPERS["diva"].per_class(options) for options in ({}, {"random_labels": True})] == [3, 2]
    labels, rows = torch.arange(3).repeat_interleave(2), normalize(torch.randn(6, 4), dim=1)
    assert [len(each) for each in intra_triplets(rows, labels)] == [0, 0, 0]
    assert [len(each) for each in random_label_triplets(rows, labels)] == [6, 6, 6]


def test_the_copy_follows_and_neither_it_nor_the_queue_is_trained() -> None:
    trained = network()
    loss, before = diva(trained, momentum=0.75), trained.head.weight.detach().clone()
    assert all(not each.requires_grad for each in loss.keys.parameters())
    assert {"keys.queue", "keys.seen", "keys.copy.head.weight"} <= set(loss.state_dict())
    assert not any("_followed" in name for name in loss.state_dict())
    with torch.no_grad():
        trained.head.weight += 1
    features = torch.randn(16, 10, dtype=torch.float64)
    loss(trained(features).embeddings, LABELS, features)
    torch.testing.assert_close(loss.keys.copy.head.weight, before + 0.25)
    torch.testing.assert_close(loss.keys.queued(), loss.parts(loss.keys.copy(features).embeddings)[-1])
    loss.eval()
    loss(trained(features).embeddings, LABELS, features)  # in evaluation nothing moves
    torch.testing.assert_close(loss.keys.copy.head.weight, before + 0.25)
    assert loss.keys.seen == 16


def test_the_queue_keeps_the_newest_and_the_copy_takes_over_statistics_and_stays_in_evaluation_mode() -> None:
    keys = MomentumKeys(nn.Linear(2, 2), 0.9, 5, 1)
    for number in range(4):
        keys.enqueue(torch.tensor([[2.0 * number], [2.0 * number + 1]]))
        assert sorted(keys.queued().flatten().tolist()) == list(range(max(0, 2 * number - 3), 2 * number + 2))
    body = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5))
    keys = MomentumKeys(body, 0.9, 5, 2).train()
    body(torch.randn(8, 2) + 3)
    keys.follow()
    assert torch.equal(keys.copy[0].running_mean, body[0].running_mean)
    assert keys.training
    assert not any(each.training for each in keys.copy.modules())


def test_features_lose_some_and_images_none_in_the_second_view() -> None:
    seen: list[torch.Tensor] = []

    class Watching(EmbeddingNetwork):
        def forward(self, inputs: torch.Tensor) -> Any:
            seen.append(inputs)
            return super().forward(inputs)

    torch.manual_seed(0)
    trained = Watching(nn.Sequential(nn.Flatten(), nn.Linear(12, 10)), 10, 16, parts=4)
    loss = DiVA(make_objective("margin", 4, 4), 16, dropout=0.4)
    loss.follow(trained, 16)
    features, images = torch.ones(16, 10), torch.rand(16, 3, 2, 2)
    for view in (features, images):
        loss(trained(features).embeddings, LABELS, view)
    assert sorted(set(seen[1].flatten().tolist())) == pytest.approx([0, 1 / 0.6])
    assert torch.equal(seen[3], images)


def test_batches_without_triplets_give_a_finite_loss() -> None:
    trained, features = network(), torch.randn(4, 10, dtype=torch.float64)
    for labels in (torch.zeros(4, dtype=torch.int64), torch.arange(4)):
        loss = diva(trained)(trained(features).embeddings, labels, features)
        loss.backward()
        assert torch.isfinite(loss)
        assert torch.isfinite(trained.head.weight.grad).all()


@pytest.mark.parametrize(("kind", "name"), [(DiVA, "diva"), (UniformPrior, "uniform_prior")])
def test_the_options_that_a_config_knows_are_those_of_the_class(kind: type, name: str) -> None:
    kinds = (kind, OfficialUniformPrior) if kind is UniformPrior else (kind,)  # the option `official` chooses
    signatures = {key: each.default for each_kind in kinds for key, each in inspect.signature(each_kind).parameters.items()}
    own = {key: default for key, default in signatures.items() if key not in ("objective", "dim", "feature_dim", "classes")}
    assert own | ({"official": False} if kind is UniformPrior else {}) == defaults(WRAPPERS[name].options or {})
    assert DIVA_PARTS == 4


def test_keys_of_a_part_of_the_batch_are_gathered_from_all() -> None:
    trained, features = network(), torch.randn(16, 10, dtype=torch.float64)
    rows, losses, kept = trained(features).embeddings, [], []
    for whole in (True, False):
        loss = diva(trained)
        others = loss.parts(loss.keys.embeddings(features[8:]))[-1]
        loss.gather = lambda own, others=others: torch.cat([own, others])
        torch.manual_seed(3)
        losses.append(loss(rows, LABELS, features if whole else features[:8]))
        kept.append(loss.keys.queued())
    torch.testing.assert_close(losses[1], losses[0])
    torch.testing.assert_close(kept[1], kept[0])
    assert len(kept[0]) == 16


def unit(count: int, seed: int, dim: int = 6) -> torch.Tensor:
    return normalize(torch.randn(count, dim, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)), dim=1)


def test_a_separation_equals_the_formula_and_turns_the_gradients_of_the_embeddings_alone() -> None:
    torch.manual_seed(0)
    loss = Separation(4, 7).double()
    source, target = (unit(6, seed, 4).requires_grad_() for seed in (0, 1))
    value = loss(source, target)
    value.backward()
    turned = [each.grad for each in (source, target, *loss.parameters())]
    arrays = [each.detach().numpy() for each in (source, target, *loss.parameters())]
    guessed = np.maximum(arrays[0] @ arrays[2].T + arrays[3], 0) @ arrays[4].T + arrays[5]
    guessed /= np.linalg.norm(guessed, axis=1, keepdims=True)
    assert value.item() == pytest.approx(-np.mean((arrays[1] * guessed) ** 2), rel=1e-12)

    source, target = (each.detach().requires_grad_() for each in (source, target))
    loss.zero_grad()
    (-((target * normalize(loss.network(source), dim=1)) ** 2).mean()).backward()
    for number, (found, plain) in enumerate(zip(turned, [each.grad for each in (source, target, *loss.parameters())], strict=True)):
        torch.testing.assert_close(found, -plain if number < 2 else plain)


@pytest.mark.parametrize(("temperature", "over_batch"), [(0.1, False), (1.0, False), (0.1, True)])
def test_dance_equals_the_formula_in_value_and_gradient(gradient: Any, temperature: float, over_batch: bool) -> None:
    queries, keys, negatives = unit(5, 0), unit(5, 1), unit(30, 2)
    value, slope = gradient(lambda rows: dance(rows, keys, negatives, temperature, over_batch), queries.numpy())
    q, k, n = (each.numpy() for each in (queries, keys, negatives))
    apart = np.maximum(np.linalg.norm(q[:, None] - n[None], axis=2), 0.5)
    weights = np.where(apart < 1.4, apart ** (2 - 6) * (1 - apart**2 / 4) ** (-(6 - 3) / 2), 0)
    sums = weights.sum(axis=0 if over_batch else 1, keepdims=True)
    assert (weights == 0).any()
    assert (sums == 0).any() == over_batch
    weights = np.where(sums == 0, 1 / 5, weights / np.where(sums == 0, 1, sums))
    logits = np.concatenate([(q * k).sum(axis=1, keepdims=True), weights * (q @ n.T)], axis=1) / temperature
    shares = softmax(logits, axis=1)
    assert value == pytest.approx(-np.log(shares[:, 0]).mean(), rel=1e-10)
    by_hand = ((shares[:, :1] - 1) * k + (shares[:, 1:] * weights) @ n) / temperature / 5  # in which the weights are constants
    np.testing.assert_allclose(slope, by_hand, atol=1e-10)


def test_nothing_flows_back_to_keys_and_without_negatives_dance_is_0() -> None:
    queries, keys, negatives = (unit(4, seed).requires_grad_() for seed in range(3))
    dance(queries, keys, negatives).backward()
    assert queries.grad is not None
    assert keys.grad is negatives.grad is None
    queries.grad = None
    loss = dance(queries, keys, unit(0, 2))
    loss.backward()
    assert loss.item() == queries.grad.abs().sum() == 0
