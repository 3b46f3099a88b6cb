from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.special import log_softmax

from likeness.errors import InputError
from likeness.losses import interpolated, language_scales, multisimilarity
from likeness.training.config import config_from
from likeness.training.data.run_images import run_images
from likeness.training.guidance.ablations import LanguageContrast, LanguageMining, LanguageScaling, PredictedLanguage, ViTPrediction
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
        cosines = torch.nn.functional.cosine_similarity(loss.network(embeddings), torch.from_numpy(language)[LABELS])
    assert loss(embeddings, LABELS, ROWS).item() == pytest.approx(1 - float(cosines.mean()), abs=1e-6)


def test_contrast_is_equation_s5(embeddings: torch.Tensor, language: np.ndarray) -> None:
    loss, unit = LanguageContrast(language, 4, start=1.5), language / np.linalg.norm(language, axis=1, keepdims=True)
    mixed = embeddings.numpy() @ unit[LABELS.numpy()].T * np.exp(1.5)
    both = [np.diag(log_softmax(mixed, axis)).mean() for axis in (0, 1)]
    assert loss(embeddings, LABELS, ROWS).item() == pytest.approx(-np.mean(both), rel=1e-5)
    with pytest.raises(InputError, match=r"have 4 dimensions, image embeddings 5; set backbone\.dim to 4"):
        LanguageContrast(language, 5)


def test_mining_and_scaling_are_multisimilarity_with_language(embeddings: torch.Tensor, targets: ClassTargets) -> None:
    sims, words = embeddings @ embeddings.T, targets(LABELS, ROWS)[0]
    mined = multisimilarity(sims, LABELS, mining_sims=interpolated(words, sims, 0.5))
    assert LanguageMining(targets)(embeddings, LABELS, ROWS).item() == pytest.approx(mined.item())
    scaled = multisimilarity(sims, LABELS, 1.5, 45.0, scales=language_scales(words, sims))
    assert LanguageScaling(targets)(embeddings, LABELS, ROWS).item() == pytest.approx(scaled.item())
    assert LanguageMining(targets, weight=1.0)(embeddings, LABELS, ROWS).item() == pytest.approx(multisimilarity(sims, LABELS).item())


@pytest.mark.parametrize(
    ("method", "nu", "found"),
    [("mining", None, (0.5, 1.0)), ("mining", [0.9, 2], (0.9, 2.0)), ("scaling", None, (0.75, 0.75)), ("scaling", [0.5, 1], (0.5, 1.0))],
)
def test_nu_is_set_in_the_config(content: dict[str, Any], method: str, nu: Any, found: tuple[float, float]) -> None:
    config = config_from(content | {"guidance": {"language": "clip:cars", "method": method, "nu": nu}})
    made: Any = build_guidance(config, run_images(config.data, 0))
    assert ((made.weight, made.power) if method == "mining" else made.powers) == found


@pytest.mark.parametrize("method", ["devise", "clip-style", "mining", "scaling"])
def test_each_method_trains_with_the_objective_or_in_its_place(content: dict[str, Any], tmp_path: Path, method: str) -> None:
    content |= {"guidance": {"language": "clip:cars", "method": method, "omega": 2.0}, "objective": {"name": "multisimilarity"}}
    content["backbone"] |= {"dim": 512} if method == "clip-style" else {}
    metrics = train(config_from(content), tmp_path / "run").metrics()
    alone = method in ("mining", "scaling")
    assert ("loss_objective" not in metrics) == alone
    expected = metrics["loss_guidance"] if alone else metrics["loss_objective"] + 2 * metrics["loss_guidance"]
    np.testing.assert_allclose(metrics["loss"], expected, rtol=1e-4)


@pytest.fixture
def maps() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(6, 5, 2, 3)


@pytest.fixture
def loss() -> ViTPrediction:
    language = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    torch.manual_seed(0)
    return ViTPrediction(language, 5, 6, width=8, depth=2, heads=2)


def test_the_loss_is_one_minus_the_mean_cosine_and_its_gradients_reach_the_maps_and_every_parameter(loss: ViTPrediction, maps: torch.Tensor) -> None:
    found = loss(maps.requires_grad_(True), LABELS, ROWS)
    cosines = torch.nn.functional.cosine_similarity(loss.predict(maps), loss.language[LABELS])
    assert found.item() == pytest.approx(1 - cosines.mean().item(), abs=1e-6)
    found.backward()
    assert (maps.grad.flatten(1).norm(dim=1) > 0).all()
    assert all(parameter.grad is not None and parameter.grad.abs().sum() > 0 for parameter in loss.parameters())


def test_the_sequence_is_the_map_row_by_row_and_its_places_count(loss: ViTPrediction, maps: torch.Tensor) -> None:
    """By hand up to the blocks: token, then the vectors of (0, 0), (0, 1), (0, 2), (1, 0) ..., each with its place."""
    rows = [loss.token[0, 0]] + [loss.enter(maps[0, :, y, x]) for y in range(2) for x in range(3)]
    sequence = torch.stack([row + place for row, place in zip(rows, loss.places[0], strict=True)])
    assert torch.allclose(loss.leave(loss.blocks(sequence[None])[:, 0])[0], loss.predict(maps)[0], atol=1e-6)
    assert not torch.allclose(loss.predict(maps.flip(3)), loss.predict(maps), atol=1e-4)
    with torch.no_grad():
        loss.places.zero_()
    assert torch.allclose(loss.predict(maps.flip(3)), loss.predict(maps), atol=1e-5)


def test_a_transformer_that_predicts_language_learns_to(content: dict[str, Any], tmp_path: Path) -> None:
    content["data"]["image_size"] = 64  # maps of 2 x 2
    guided = content | {"guidance": {"language": "clip:cars", "method": "vit", "omega": 10.0}, "epochs": 15, "evaluate_every": 15}
    metrics = train(config_from(guided), tmp_path / "run").metrics()
    assert metrics["loss_guidance"].tail(5).mean() < 0.5 * metrics["loss_guidance"].head(5).mean()
    np.testing.assert_allclose(metrics["loss"], metrics["loss_objective"] + 10 * metrics["loss_guidance"], rtol=1e-4)
