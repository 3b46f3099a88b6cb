"""Fixtures for saliency: a tower with a tiny random network behind real preprocessing, and spaces on it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image
from torchvision import transforms

from likeness.data import ImageTable
from likeness.encoders.models.tower import ImagesOnly, ImageTower
from likeness.saliency import ImageModel
from likeness.space import Space

SIZE, DIM = 12, 6


class CountingTower(ImageTower):
    """Two convolutions and a linear layer on the middle square of an image; counts what goes through it."""

    def __init__(self, seed: int = 0, forward: Callable[[torch.Tensor], torch.Tensor] | None = None) -> None:
        torch.manual_seed(seed)
        net = torch.nn.Sequential(
            torch.nn.Conv2d(3, 5, 3, stride=2), torch.nn.Tanh(), torch.nn.Conv2d(5, 4, 3), torch.nn.Flatten(), torch.nn.Linear(36, DIM)
        )
        steps = [transforms.Resize(SIZE), transforms.CenterCrop(SIZE), transforms.ToTensor(), transforms.Normalize((0.5, 0.4, 0.3), (0.2, 0.3, 0.25))]
        super().__init__(forward or net.requires_grad_(False), transforms.Compose(steps), torch.device("cpu"))
        self.batches: list[int] = []

    def embed(self, pixels: torch.Tensor) -> torch.Tensor:
        if pixels.requires_grad:
            self.batches.append(len(pixels))
        return super().embed(pixels)


def _photo(width: int, height: int, seed: int) -> Image.Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    """Five images of different shapes."""
    for i, (width, height) in enumerate([(20, 14), (14, 20), (30, 30), (12, 12), (40, 13)]):
        _photo(width, height, i).save(tmp_path / f"{i}.png")
    return ImageTable("photos", tmp_path, pd.DataFrame({"path": [f"{i}.png" for i in range(5)]}))


@pytest.fixture
def tower() -> CountingTower:
    return CountingTower()


@pytest.fixture
def make_space(table: ImageTable) -> Callable[..., Space]:
    """The space of a tower on the five images, or those of another table: `make_space(tower, name="raw", of=table)`."""

    def make(tower: Any, name: str = "raw", of: ImageTable = table) -> Space:
        model, encoder = ImageModel(tower), ImagesOnly()
        encoder.tower = tower
        return Space(encoder.encode_images(of.paths()), of, name=name, differentiable=lambda: model)

    return make


@pytest.fixture
def space(tower: CountingTower, make_space: Callable[..., Space]) -> Space:
    return make_space(tower)


@pytest.fixture
def make_tower() -> type[CountingTower]:
    return CountingTower


def _slow_sums(embed: Callable[[torch.Tensor], torch.Tensor], pixels: torch.Tensor, base: torch.Tensor, noise: Sequence[Any], spread: float) -> Any:
    """Definition by loops: one backward pass per copy, the channels averaged, then absolute values summed."""
    extent = float(pixels.max() - pixels.min())
    total = torch.zeros(pixels.shape[1:])
    for draw in noise:
        copy = (pixels + torch.as_tensor(draw) * spread * extent).clone().requires_grad_()
        row = embed(copy[None])[0]
        distance = 1 - (row @ base) / (row.norm() * base.norm())
        distance.backward()
        assert copy.grad is not None
        total += sum(copy.grad[channel] for channel in range(3)).abs() / 3 / len(noise)
    return total.numpy()


@pytest.fixture(scope="session")
def slow_sums() -> Callable[..., Any]:
    return _slow_sums
