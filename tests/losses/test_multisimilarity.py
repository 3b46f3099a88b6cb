from typing import Any

import numpy as np
import pytest
import torch

from likeness.losses import interpolated, language_scales, make_objective, multisimilarity
from likeness.losses.multi_similarity import mined_pairs

PARAMETERS = {"alpha": 2.0, "base": 0.5, "epsilon": 0.1}


def plain(sims: np.ndarray, labels: np.ndarray, alpha: float, beta: float, base: float, epsilon: float, variant: str) -> float:
    """Anchor by anchor, pair by pair."""
    pulls, pushes, n = [], [], len(sims)
    for i in range(n):
        same = [j for j in range(n) if j != i and labels[j] == labels[i]]
        others = [j for j in range(n) if labels[j] != labels[i]]
        positives = [j for j in same if others and sims[i, j] < max(sims[i, k] for k in others) + epsilon]
        negatives = [j for j in others if same and sims[i, j] > min(sims[i, k] for k in same) - epsilon]
        if variant == "oodml" and others and sims[i, i] - epsilon < max(sims[i, k] for k in others):
            positives.append(i)
        pulls.append(np.log1p(sum(np.exp(-alpha * (sims[i, j] - base)) for j in positives)))
        pushes.append(np.log1p(sum(np.exp(beta * (sims[i, j] - base)) for j in negatives)))
    if variant == "oodml":  # 0 is the value of an anchor without pairs
        pulls, pushes = [each for each in pulls if each], [each for each in pushes if each]
    pull, push = np.mean(pulls), np.mean(pushes)
    if variant == "official":
        pull, push = np.log1p(np.exp(pull)), np.log1p(np.exp(push))
    return float(pull / alpha + push / beta)


@pytest.mark.parametrize("variant", ["formula", "official", "oodml"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_is_the_formula(variant: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, labels = rng.standard_normal((12, 6)), rng.integers(0, 4, 12)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = multisimilarity(torch.tensor(rows @ rows.T), torch.tensor(labels), beta=40.0, **PARAMETERS, variant=variant)
    assert found.item() == pytest.approx(plain(rows @ rows.T, labels, beta=40.0, **PARAMETERS, variant=variant), rel=1e-12)


@pytest.mark.parametrize("beta", [40.0, 50.0])
def test_by_name_both_variants_are_the_reference(reference: Any, gradient: Any, beta: float) -> None:
    arrays = reference("multisimilarity")
    labels = torch.tensor(arrays["labels"])
    for name, stored in (
        ("multisimilarity", "pml_b{:.0f}_mined"),
        ("multisimilarity-official", "official_lg_b{:.0f}"),
        ("multisimilarity-oodml", "official_oodml_b{:.0f}"),
    ):
        value, slope = gradient(lambda rows, name=name: make_objective(name, 7, 32, beta=beta)(rows, labels), arrays["embeddings"])
        assert value == pytest.approx(float(arrays[stored.format(beta) + "_loss"]), rel=1e-10)
        np.testing.assert_allclose(slope, arrays[stored.format(beta) + "_grad"], atol=1e-10)


@pytest.fixture
def batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    rows, words = (torch.nn.functional.normalize(torch.randn(n, 5, dtype=torch.float64), dim=1) for n in (8, 4))
    labels = torch.tensor([0, 0, 1, 1, 2, 2, 3, 3])
    return rows @ rows.T, (words @ words.T)[labels][:, labels], labels


def test_language_in_the_mining(batch: tuple[torch.Tensor, ...]) -> None:
    """Eq. S1: the language decides which pairs are kept, the image similarities what they are held against."""
    sims, language, labels = batch
    found = mined_pairs(sims, labels, 0.1, interpolated(language, sims, 0.3))
    judged, same = 0.7 * language + 0.3 * sims, labels[:, None] == labels
    partners = same & ~torch.eye(8, dtype=torch.bool)
    others, own = (torch.stack([end(row[mask]) for row, mask in zip(sims, masks, strict=True)]) for end, masks in ((max, ~same), (min, partners)))
    assert torch.equal(found[0], partners & (judged < others[:, None] + 0.1))
    assert torch.equal(found[1], ~same & (judged > own[:, None] - 0.1))
    assert any(not torch.equal(a, b) for a, b in zip(found, mined_pairs(sims, labels), strict=True))


def test_interpolation_by_powers(batch: tuple[torch.Tensor, ...]) -> None:
    """Eq. S2: one weight gives one side alone, and the power mean lies between its sides."""
    sims, language = batch[0].abs(), batch[1].abs()
    for power in (1.0, 2.0, 3.0):
        assert torch.allclose(interpolated(language, sims, 1.0, power), sims)
        assert torch.allclose(interpolated(language, sims, 0.0, power), language)
        half = interpolated(language, sims, 0.5, power)
        assert torch.all(half >= torch.minimum(language, sims) - 1e-9)
        assert torch.all(half <= torch.maximum(language, sims) + 1e-9)


def test_language_as_a_scale(batch: tuple[torch.Tensor, ...]) -> None:
    """Eq. S3: equal similarities change nothing; a language that finds a negative more alike pushes it harder."""
    sims, language, labels = batch
    usual = multisimilarity(sims, labels)
    assert torch.allclose(multisimilarity(sims, labels, scales=language_scales(sims.clamp(min=0.01), sims)), usual)
    up, down = language_scales(language, sims, 0.75, 0.5)
    assert float(up[0, 2]) == pytest.approx(float((language[0, 2].clamp(min=0.01) / sims[0, 2].clamp(min=0.01)) ** 0.75))
    assert float(down[0, 2]) == pytest.approx(float((language[0, 2].clamp(min=0.01) / sims[0, 2].clamp(min=0.01)) ** 0.5))


def test_a_batch_of_one_class_or_without_partners_gives_no_pairs() -> None:
    rows = torch.nn.functional.normalize(torch.randn(5, 3), dim=1)
    for labels in (torch.zeros(5, dtype=torch.int64), torch.arange(5)):
        assert multisimilarity(rows @ rows.T, labels).item() == 0
