from typing import Any

import numpy as np
import pytest
import torch
from scipy.special import logsumexp
from sklearn.metrics.pairwise import cosine_similarity
from torch.nn.functional import normalize

from likeness.losses import make_objective, objectives_on
from likeness.samplers import rho_triplets


def triplets(arrays: dict[str, np.ndarray]) -> tuple[torch.Tensor, ...]:
    return tuple(torch.tensor(column) for column in arrays["triplets"].T)


@pytest.mark.parametrize(
    ("name", "options", "file", "stored"),
    [
        ("margin", {}, "margin", "pml"),
        ("margin-official", {"learn_beta": False}, "margin", "official"),
        ("margin-official", {}, "margin", "official_classbeta"),
        ("contrastive", {}, "contrastive_triplet", "contrastive_pml_triplets"),
        ("triplet", {}, "contrastive_triplet", "triplet_official"),
        ("triplet", {}, "contrastive_triplet", "triplet_pml_squared_meanreducer"),
    ],
)
def test_on_fixed_triplets_equals_the_reference(reference: Any, gradient: Any, name: str, options: dict[str, Any], file: str, stored: str) -> None:
    arrays = reference(file)
    labels, objective = torch.tensor(arrays["labels"]), make_objective(name, 7, 32, **options)
    learned = stored == "official_classbeta"
    if learned:
        objective.loss.beta.data.copy_(torch.tensor(arrays["beta_per_class"]))
    value, slope = gradient(lambda rows: objective.loss(rows, labels, triplets(arrays)), arrays["embeddings"])
    assert value == pytest.approx(float(arrays[f"{stored}_loss"]), rel=1e-7 if learned else 1e-6)
    if stored != "triplet_official":  # there the authors' code takes the rows as they come, so its gradient has a part along each row
        np.testing.assert_allclose(slope, arrays[f"{stored}_grad"], atol=1e-7)
    if learned:
        np.testing.assert_allclose(objective.loss.beta.grad, arrays["official_classbeta_grad_beta"], atol=1e-6)


def test_the_official_margin_divides_by_triplets_and_is_0_where_none_is_active() -> None:
    rows = torch.tensor([[0.0, 0.0], [1.5, 0.0], [0.0, 1.1]])
    triplet = tuple(torch.tensor([row]) for row in (0, 1, 2))
    labels, objective = torch.tensor([0, 0, 1]), make_objective("margin-official", 2, 2, learn_beta=False)
    assert float(objective.loss(rows, labels, triplet)) == pytest.approx((1.5 - 1.2 + 0.2) + (1.2 - 1.1 + 0.2), rel=1e-6)
    assert float(objective.loss(rows[[0, 0, 1]] * 1.2, labels, triplet)) == 0
    for name in ("margin", "r-margin"):  # a learned beta is a parameter of each class
        assert [each.shape for each in make_objective(name, 7, 32, learn_beta=True).parameters()] == [(7,)]


@pytest.mark.parametrize(
    ("name", "options", "file", "learned", "stored", "formula", "within"),
    [
        ("arcface", {"scale": 16.0}, "arcface", "class_weights", "pml_m0p5_s16", "formula_m0p5_s16", (1e-6, 1e-5)),
        ("arcface", {"scale": 64.0}, "arcface", "class_weights", "pml_m0p5_s64", "formula_m0p5_s64", (1e-6, 1e-5)),
        ("proxyanchor", {}, "proxyanchor", "proxies", "pml", "formula_paper", (1e-10, 1e-10)),
    ],
)
def test_with_learned_points_it_equals_the_reference(
    reference: Any, gradient: Any, name: str, options: Any, file: str, learned: str, stored: str, formula: str, within: tuple[float, float]
) -> None:
    arrays, objective = reference(file), make_objective(name, 8 if name == "proxyanchor" else 7, 32, **options)
    points = torch.tensor(arrays[learned], dtype=torch.float64)
    if name == "arcface":
        objective.loss.W = torch.nn.Parameter(points.T)
    else:
        objective.loss.proxies = torch.nn.Parameter(points)
    value, slope = gradient(lambda rows: objective(rows, torch.tensor(arrays["labels"])), arrays["embeddings"])
    assert [value, value] == pytest.approx([float(arrays[f"{each}_loss"]) for each in (stored, formula)], rel=within[0])
    np.testing.assert_allclose(slope, arrays[f"{stored}_grad"], atol=within[1])


def arcface_loop(rows: np.ndarray, directions: np.ndarray, labels: np.ndarray, scale: float) -> float:
    losses = []
    for row, label in zip(cosine_similarity(rows, directions).clip(0), labels, strict=True):
        logits = scale * row
        logits[label] = scale * np.cos(np.arccos(row[label]) + 0.5)
        losses.append(logsumexp(logits) - logits[label])
    return float(np.mean(losses))


def proxyanchor_loop(rows: np.ndarray, proxies: np.ndarray, labels: np.ndarray, scale: float) -> float:
    sims = cosine_similarity(rows, proxies)
    pulls = [np.log1p(np.exp(-scale * (sims[labels == label, label] - 0.1)).sum()) for label in labels]
    pushes = [np.log1p(np.exp(scale * (sims[labels != proxy, proxy] + 0.1)).sum()) for proxy in range(8)]
    return float(np.mean(pulls) + np.mean(pushes))


@pytest.mark.parametrize(
    ("name", "scale", "learned", "stored", "loop"),
    [
        ("arcface", 16.0, ("directions", "class_weights", "weights"), "official_m0p5_s16", arcface_loop),
        ("arcface", 64.0, ("directions", "class_weights", "weights"), "official_m0p5_s64", arcface_loop),
        ("proxyanchor", 32.0, ("proxies", "proxies", "proxies"), "official_oodml", proxyanchor_loop),
    ],
)
def test_official_losses_with_learned_points_equal_the_reference_and_a_loop(
    reference: Any, gradient: Any, name: str, scale: float, learned: tuple[str, str, str], stored: str, loop: Any
) -> None:
    arrays = reference(name)
    points, labels = arrays[learned[1]], torch.tensor(arrays["labels"])
    objective = make_objective(f"{name}-official", len(points), 32, **({"scale": scale} if name == "arcface" else {})).double()
    own = getattr(objective, learned[0])
    own.data.copy_(torch.tensor(points))
    value, slope = gradient(lambda rows: objective(rows, labels), arrays["embeddings"])
    assert value == pytest.approx(loop(arrays["embeddings"], points.astype(np.float64), arrays["labels"], scale), rel=1e-8)
    assert value == pytest.approx(float(arrays[f"{stored}_loss"]), rel=1e-6 if name == "proxyanchor" else 1e-7)
    np.testing.assert_allclose(slope, arrays[f"{stored}_grad"], atol=1e-6)
    np.testing.assert_allclose(own.grad, arrays[f"{stored}_grad_{learned[2]}"], atol=1e-6)


def test_where_the_official_directions_and_proxies_begin() -> None:
    torch.manual_seed(0)
    directions = make_objective("arcface-official", 400, 256).directions.detach()
    assert directions.abs().max() <= 1 / 16
    assert float(directions.std()) == pytest.approx(1 / 16 / 3**0.5, rel=0.01)
    assert float(make_objective("proxyanchor-official", 400, 256).proxies.detach().std()) == pytest.approx(1 / 8, rel=0.01)


def batch(classes: int = 4, each: int = 4, dim: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    rows = torch.nn.functional.normalize(torch.randn(classes * each, dim, generator=generator), dim=1)
    return rows, torch.arange(classes).repeat_interleave(each)


# one pair of each class alone, and several learned points a class, which part before its images meet
LEAST_GAIN = {"npairs": 0.15, "subcenter-arcface": 0.15, "softtriple": 0.015}


@pytest.mark.parametrize("name", objectives_on("classes"))
def test_descending_any_objective_brings_classes_together(name: str) -> None:
    torch.manual_seed(0)
    rows, labels = batch()
    objective = make_objective(name, 4, 8)
    free = torch.nn.Parameter(rows.clone())
    adam = torch.optim.Adam([free, *objective.parameters()], 0.02)

    def contrast() -> float:
        unit = torch.nn.functional.normalize(free.detach(), dim=1)
        sims, same = unit @ unit.T, labels[:, None] == labels[None, :]
        return float(sims[same].mean() - sims[~same].mean())

    before = contrast()
    for _ in range(60):
        adam.zero_grad()
        objective(torch.nn.functional.normalize(free, dim=1), labels).backward()
        adam.step()
    assert contrast() > before + LEAST_GAIN.get(name, 0.25)


@pytest.mark.parametrize("name", objectives_on("classes"))
@pytest.mark.parametrize("labels", [[2, 2, 2, 2], [0, 1, 2, 3]], ids=["one class", "a class each"])
def test_batches_without_pairs_give_a_finite_loss(name: str, labels: list[int]) -> None:
    torch.manual_seed(0)
    rows = torch.nn.functional.normalize(torch.randn(4, 8), dim=1).requires_grad_()
    loss = make_objective(name, 4, 8)(rows, torch.tensor(labels))
    loss.backward()
    assert torch.isfinite(loss)
    assert rows.grad is not None
    assert torch.isfinite(rows.grad).all()


def formula(rows: torch.Tensor, triplets: tuple[torch.Tensor, ...], beta: float, margin: float) -> torch.Tensor:
    """Sum of the hinges divided by how many are above 0, triplet by triplet; the distance of a row to itself is the number 0."""
    hinges = []
    for a, p, n in zip(*(each.tolist() for each in triplets), strict=True):
        near = (rows[a] - rows[p]).norm() if a != p else rows.new_zeros(())
        hinges += [(near - beta + margin).relu(), (beta - (rows[a] - rows[n]).norm() + margin).relu()]
    active = sum(bool(each > 0) for each in hinges)
    return torch.stack(hinges).sum() / max(active, 1)


@pytest.mark.parametrize("count", [10, 40])  # above 25 rows torch computes distances another way
@pytest.mark.parametrize(("beta", "margin"), [(1.2, 0.2), (0.6, 0.2), (0.1, 0.3)])
def test_equals_the_formula_in_value_and_gradient(gradient: Any, count: int, beta: float, margin: float) -> None:
    rows = normalize(torch.randn(count, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0)), dim=1).numpy()
    labels, objective = torch.arange(count) // 5, make_objective("r-margin", count // 5, 6, beta=beta, margin=margin, rho=0.5)
    torch.manual_seed(1)
    triplets = rho_triplets(torch.tensor(rows), labels, 0.5)
    assert 0 < int((triplets[0] == triplets[1]).sum()) < count
    torch.manual_seed(1)
    value, slope = gradient(lambda free: objective(normalize(free, dim=1), labels), rows)
    expected, its_slope = gradient(lambda free: formula(normalize(free, dim=1), triplets, beta, margin), rows)
    assert np.isfinite(slope).all()
    assert value == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(slope, its_slope, atol=1e-7)
