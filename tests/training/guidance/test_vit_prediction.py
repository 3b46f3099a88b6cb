from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from likeness.training.config import config_from
from likeness.training.guidance.ablations import ViTPrediction
from likeness.training.loop.train import train

LABELS = torch.tensor([0, 0, 1, 1, 2, 2])
ROWS = torch.arange(6)


@pytest.fixture
def maps() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(6, 5, 2, 3)


@pytest.fixture
def loss() -> ViTPrediction:
    language = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    torch.manual_seed(0)
    return ViTPrediction(language, 5, 6, width=8, depth=2, heads=2)


def test_the_loss_is_one_minus_the_mean_cosine(loss: ViTPrediction, maps: torch.Tensor) -> None:
    predicted, language = loss.predict(maps), loss.language[LABELS]
    cosines = torch.nn.functional.cosine_similarity(predicted, language)
    assert loss(maps, LABELS, ROWS).item() == pytest.approx(1 - cosines.mean().item(), abs=1e-6)


def test_the_sequence_is_the_map_row_by_row_and_its_places_count(loss: ViTPrediction, maps: torch.Tensor) -> None:
    """By hand up to the blocks: token, then the vectors of (0, 0), (0, 1), (0, 2), (1, 0) ..., each with its place."""
    rows = [loss.token[0, 0]] + [loss.enter(maps[0, :, y, x]) for y in range(2) for x in range(3)]
    sequence = torch.stack([row + place for row, place in zip(rows, loss.places[0], strict=True)])
    assert torch.allclose(loss.leave(loss.blocks(sequence[None])[:, 0])[0], loss.predict(maps)[0], atol=1e-6)
    assert not torch.allclose(loss.predict(maps.flip(3)), loss.predict(maps), atol=1e-4)
    with torch.no_grad():
        loss.places.zero_()
    assert torch.allclose(loss.predict(maps.flip(3)), loss.predict(maps), atol=1e-5)


def test_gradients_reach_the_maps_and_every_parameter(loss: ViTPrediction, maps: torch.Tensor) -> None:
    maps.requires_grad_(True)
    loss(maps, LABELS, ROWS).backward()
    assert (maps.grad.flatten(1).norm(dim=1) > 0).all()
    assert all(parameter.grad is not None and parameter.grad.abs().sum() > 0 for parameter in loss.parameters())


@pytest.fixture
def guided(content: dict[str, Any]) -> dict[str, Any]:
    content["data"]["image_size"] = 64  # maps of 2 x 2
    return content | {"guidance": {"language": "clip:cars", "method": "vit", "omega": 10.0}, "epochs": 15, "evaluate_every": 15}


def test_a_transformer_that_predicts_language_learns_to(guided: dict[str, Any], tmp_path: Path) -> None:
    metrics = train(config_from(guided), tmp_path / "run").metrics()
    assert metrics["loss_guidance"].tail(5).mean() < 0.5 * metrics["loss_guidance"].head(5).mean()
    np.testing.assert_allclose(metrics["loss"], metrics["loss_objective"] + 10 * metrics["loss_guidance"], rtol=1e-4)
