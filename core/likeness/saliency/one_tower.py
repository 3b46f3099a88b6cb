"""Spaces that share an encoder's tower: one forward pass of the noisy copies, and one gradient per space."""

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
    """Noisy copies of each image. InputError: a number out of range.

    Attributes:
        samples: number of copies.
        spread: standard deviation of the noise, relative to the image's range.
        batch_size: copies per forward pass.
    """

    samples: int
    spread: float
    seed: int
    batch_size: int

    def __post_init__(self) -> None:
        if self.samples < 1 or self.batch_size < 1:
            raise InputError(f"Got {self.samples} samples in batches of {self.batch_size}; both must be whole numbers of at least 1.")
        if not 0 <= self.spread < np.inf or self.seed < 0:
            raise InputError(f"Got noise {self.spread} and seed {self.seed}; both must be at least 0.")


@dataclass(frozen=True)
class OneTower:
    """Models with a common tower, and the base image's embedding in each, (1, d)."""

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
    """The models grouped by tower: their positions in `models`, and the tower."""
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
    """128 bits of a digest of the model's input (h, w, 3), as four integers."""
    digest = sha256(picture.tobytes()).digest()
    return [int.from_bytes(digest[start : start + 4], "little") for start in range(0, 16, 4)]


def copy_noise(copies: Sequence[tuple[list[int], int]], height: int, width: int, seed: int) -> NDArray[np.float32]:
    """Standard normal draws (b, 3, height, width), seeded by (`picture_key`, number of the copy)."""
    draws = np.empty((len(copies), 3, height, width), dtype=np.float32)
    for out, (key, copy) in zip(draws, copies, strict=True):
        np.random.default_rng([seed, copy, *key]).standard_normal(dtype=np.float32, out=out)
    return draws
