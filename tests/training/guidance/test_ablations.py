from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.losses import interpolated, language_scales, mined_pairs, multisimilarity
from likeness.training.config import config_from
from likeness.training.data.run_images import run_images
from likeness.training.guidance.ablations import LanguageContrast, LanguageMining, LanguageScaling, PredictedLanguage
from likeness.training.guidance.guidance import build_guidance
from likeness.training.guidance.guided_loss import ClassTargets
from likeness.training.loop.train import train

LABELS = torch.tensor([0, 0, 1, 1, 2, 2])
ROWS = torch.arange(6)


@pytest.fixture
def embeddings() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.nn.functional.normalize(torch.randn(6, 4), dim=1)


@pytest.fixture
def language() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)


@pytest.fixture
def targets(language: np.ndarray) -> ClassTargets:
    unit = language / np.linalg.norm(language, axis=1, keepdims=True)
    return ClassTargets((unit @ unit.T).astype(np.float32))


def test_prediction_is_one_minus_the_mean_cosine(embeddings: torch.Tensor, language: np.ndarray) -> None:
    loss = PredictedLanguage(language, 4, hidden=7)
    with torch.no_grad():
        predicted = loss.network(embeddings).numpy()
    cosines = [predicted[i] @ language[y] / np.linalg.norm(predicted[i]) / np.linalg.norm(language[y]) for i, y in enumerate(LABELS.tolist())]
    assert loss(embeddings, LABELS, ROWS).item() == pytest.approx(1 - np.mean(cosines), abs=1e-6)


def test_contrast_is_equation_s5(embeddings: torch.Tensor, language: np.ndarray) -> None:
    loss, unit = LanguageContrast(language, 4, start=1.5), language / np.linalg.norm(language, axis=1, keepdims=True)
    mixed = embeddings.numpy() @ unit[LABELS.numpy()].T * np.exp(1.5)
    total = 0.0
    for i in range(6):
        row, column = (np.exp(each) / np.exp(each).sum() for each in (mixed[i], mixed[:, i]))
        total += -0.5 * np.log(row[i]) - 0.5 * np.log(column[i])
    assert loss(embeddings, LABELS, ROWS).item() == pytest.approx(total / 6, rel=1e-5)
    with pytest.raises(InputError, match=r"have 4 dimensions, image embeddings 5; set backbone\.dim to 4"):
        LanguageContrast(language, 5)


def test_mining_and_scaling_are_multisimilarity_with_language(embeddings: torch.Tensor, targets: ClassTargets) -> None:
    sims, words = embeddings @ embeddings.T, targets(LABELS, ROWS)[0]
    mined = multisimilarity(sims, LABELS, mining_sims=interpolated(words, sims, 0.5))
    assert LanguageMining(targets)(embeddings, LABELS, ROWS).item() == pytest.approx(mined.item())
    scaled = multisimilarity(sims, LABELS, 1.5, 45.0, scales=language_scales(words, sims))
    assert LanguageScaling(targets)(embeddings, LABELS, ROWS).item() == pytest.approx(scaled.item())
    assert LanguageMining(targets, weight=1.0)(embeddings, LABELS, ROWS).item() == pytest.approx(multisimilarity(sims, LABELS).item())


def test_nu_is_set_in_the_config(content: dict[str, Any]) -> None:
    def made(method: str, **options: Any) -> Any:
        config = config_from(content | {"guidance": {"language": "clip:cars", "method": method} | options})
        return build_guidance(config, run_images(config.data, 0))

    assert (made("mining").weight, made("mining").power) == (0.5, 1.0)
    assert (made("mining", nu=[0.9, 2]).weight, made("mining", nu=[0.9, 2]).power) == (0.9, 2.0)
    assert made("scaling").powers == (0.75, 0.75)
    assert made("scaling", nu=[0.5, 1]).powers == (0.5, 1.0)


def test_the_more_language_mines_the_fewer_positives_are_kept(embeddings: torch.Tensor) -> None:
    sims, labels = embeddings @ embeddings.T, torch.tensor([0, 0, 0, 1, 1, 1])
    words = torch.where(labels[:, None] == labels, 1.0, 0.3)
    kept = [int(mined_pairs(sims, labels, 0.1, interpolated(words, sims, weight))[0].sum()) for weight in (1.0, 0.75, 0.5, 0.25, 0.0)]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] > kept[2] > kept[-1] == 0


@pytest.mark.parametrize("method", ["devise", "clip-style", "mining", "scaling"])
def test_each_method_trains_with_the_objective_or_in_its_place(content: dict[str, Any], tmp_path: Path, method: str) -> None:
    content |= {"guidance": {"language": "clip:cars", "method": method, "omega": 2.0}, "objective": {"name": "multisimilarity"}}
    content["backbone"] |= {"dim": 512} if method == "clip-style" else {}
    metrics = train(config_from(content), tmp_path / "run").metrics()
    if method in ("mining", "scaling"):
        assert "loss_objective" not in metrics
        np.testing.assert_allclose(metrics["loss"], metrics["loss_guidance"])
    else:
        np.testing.assert_allclose(metrics["loss"], metrics["loss_objective"] + 2 * metrics["loss_guidance"], rtol=1e-4)
