"""Spaces that share an encoder's tower: the noisy copies go through it once, and a gradient comes back for each space."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.saliency.image_model import ImageModel, Pictures
from likeness.saliency.smoothgrad import distance_gradients, noisy

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


@dataclass(frozen=True)
class Noise:
    """The noisy copies of each image; raises InputError for a number out of range.

    Attributes:
        samples: how many.
        spread: deviation of their noise, in units of the image's range.
        batch_size: copies that go through the tower at once.
    """

    samples: int
    spread: float
    seed: int
    batch_size: int

    def __post_init__(self) -> None:
        if self.samples < 1 or self.batch_size < 1:
            raise InputError(f"{self.samples} samples in batches of {self.batch_size} can't be; give whole numbers from 1.")
        if not 0 <= self.spread < np.inf or self.seed < 0:
            raise InputError(f"Noise {self.spread} with seed {self.seed} can't be; give numbers from 0.")


@dataclass(frozen=True)
class OneTower:
    """Models on one tower and the base image's embedding in each, (1, d)."""

    models: list[ImageModel]
    bases: "list[torch.Tensor]"

    def sums(self, pictures: Pictures, noise: Noise) -> list[NDArray[np.float32]]:
        """For each model, absolute gradients of the mean distance, summed over the copies of each picture: (n, h, w)."""
        import torch

        pixels = self.models[0].pixels(pictures)
        keys = [picture_key(picture) for picture in pictures]
        copies = [(row, copy) for row in range(len(pictures)) for copy in range(noise.samples)]
        sums = [torch.zeros_like(pixels[:, 0]) for _ in self.models]
        for start in range(0, len(copies), noise.batch_size):
            batch = copies[start : start + noise.batch_size]
            draws = copy_noise([(keys[row], copy) for row, copy in batch], pictures.shape[1], pictures.shape[2], noise.seed)
            rows = torch.tensor([row for row, _ in batch], device=pixels.device)
            noised = noisy(pixels[rows], torch.from_numpy(draws).to(pixels)[:, None], noise.spread)[:, 0]
            for total, gradient in zip(sums, distance_gradients(self._embed, noised, self.bases), strict=True):
                total.index_add_(0, rows, gradient.abs())
        return [(total / noise.samples).cpu().numpy() for total in sums]

    def _embed(self, pixels: "torch.Tensor") -> "list[torch.Tensor]":
        common = self.models[0].tower.embed(pixels)
        return [model.head(common) for model in self.models]


def by_tower(models: Sequence[ImageModel], base_image: "Path | Image") -> list[tuple[list[int], OneTower]]:
    """The models grouped by tower: their positions in `models`, and what explains them together."""
    towers: dict[int, list[int]] = {}
    for position, model in enumerate(models):
        towers.setdefault(id(model.tower), []).append(position)
    return [(positions, _based([models[position] for position in positions], base_image)) for positions in towers.values()]


def _based(models: list[ImageModel], base_image: "Path | Image") -> OneTower:
    import torch

    pixels = models[0].pixels(models[0].prepare([base_image]))
    with torch.no_grad():
        return OneTower(models, [model.embed(pixels) for model in models])


def picture_key(picture: Pictures) -> list[int]:
    """128 bits of the digest of what the model sees of an image, (h, w, 3), as four whole numbers."""
    digest = sha256(picture.tobytes()).digest()
    return [int.from_bytes(digest[start : start + 4], "little") for start in range(0, 16, 4)]


def copy_noise(copies: Sequence[tuple[list[int], int]], height: int, width: int, seed: int) -> NDArray[np.float32]:
    """Standard normal draws (b, 3, height, width), one for each (`picture_key`, number of the copy)."""
    draws = np.empty((len(copies), 3, height, width), dtype=np.float32)
    for out, (key, copy) in zip(draws, copies, strict=True):
        np.random.default_rng([seed, copy, *key]).standard_normal(dtype=np.float32, out=out)
    return draws
