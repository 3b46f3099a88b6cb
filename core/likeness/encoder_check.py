"""Check without labels whether an encoder separates given images, before trusting its map."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from likeness.data import ImageTable
from likeness.encoders import encoder_family, is_encoder_name
from likeness.errors import InputError
from likeness.io import as_path, read_image
from likeness.space import Space

SIGHT_FILE = "sight.json"  # in an encoder's folder: how it sees images like those that it was trained on
IMAGES = 100
FEWEST = 30
_CROP = 0.75
_READ = 1024  # pixels of the shorter side that are enough for the crops of every published encoder
# Of the encoder's own score. The shipped encoders on four sets of photos and on the rendered cars, by two seeds: the right ones reach .69 to 1, the
# wrong ones .60 at most.
_ENOUGH = 0.64
# Cosine similarity above which two prompts are one to an encoder: an unknown word changes nothing, a known one more than this.
_SAME_TEXT = 0.99

Rows = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Sight:
    """How well an encoder separates up to 100 `images`.

    Attributes:
        gap: mean cosine similarity of two crops of an image minus that of crops of different images.
        rank: effective number of dimensions of their vectors, (sum of variances)^2 / sum of squared variances.
        agreement: share of images whose first crop has their second crop as its nearest neighbor among the second crops.
    """

    images: int
    gap: float
    rank: float
    agreement: float


@dataclass(frozen=True)
class EncoderCheck:
    """Result of `check_encoder`: the figures of these images, those of images like its training images if known, and the share of prompts that it
    cannot distinguish from another one; None without prompts or text side.
    """

    encoder: str
    sight: Sight
    own: Sight | None
    same_prompts: float | None

    @property
    def score(self) -> float | None:
        """Separation of these images relative to images like its training images, 0 to 1; None if unknown."""
        if self.own is None:
            return None
        # capped at 1: one figure above the encoder's own must not make up for a poor one
        shares = [min(1.0, max(0.0, getattr(self.sight, name) / max(getattr(self.own, name), 1e-9))) for name in ("gap", "rank", "agreement")]
        return float(np.prod(shares) ** (1 / len(shares)))

    @property
    def sees(self) -> bool:
        """True if its map of these images can be trusted."""
        return self.score >= _ENOUGH if self.score is not None else self.sight.agreement >= 0.5

    @property
    def figures(self) -> dict[str, object]:
        """A table row: measured values, those of the encoder's own images, the score and the verdict."""
        figures: dict[str, object] = {}
        for name in ("gap", "rank", "agreement"):
            figures |= {name: getattr(self.sight, name), f"own {name}": getattr(self.own, name, None)}
        return figures | {"score": self.score, "sees": "yes" if self.sees else "no"}

    @property
    def sentence(self) -> str:
        """The verdict as a sentence, with a remedy if needed."""
        words = self._words()
        if self.sees:
            return f"'{self.encoder}' tells these images apart{self._measure()}.{words}"
        remedy = "'photos', or a published encoder for photos" if self.encoder != "photos" else "a published encoder, or 'cars' for rendered cars"
        return f"'{self.encoder}' hardly tells these images apart{self._measure()}, so its map and neighbors mean little. Use {remedy}.{words}"

    def _measure(self) -> str:
        if self.score is None:
            return f" ({self.sight.agreement:.0%} of them are found again by a part)"
        return f" ({self.score:.0%} as well as images like those it learned from)"

    def _words(self) -> str:
        if not self.same_prompts:
            return ""
        return f" It cannot tell {self.same_prompts:.0%} of the prompts from each other; use words that it knows."


def check_encoder(space: Space, prompts: Sequence[str] = (), seed: int = 0) -> EncoderCheck:
    """Checks without labels whether the encoder of a space separates its images, and prompts.

    Up to 100 images and two crops of each, with three quarters of its width and height, are embedded. The similarity gap between crops of one image
    and of different images, and the effective number of dimensions, are compared with those of images like the encoder's training images. These are
    in its folder (`sight.json`) if it ships or was made here; for other encoders the share of crops that retrieve each other counts.

    Args:
        prompts: texts that should mean different things, such as those of a notion.
        seed: draws the images.

    Raises:
        InputError: no model behind the space, or fewer than 30 readable images.

    Example:
        >>> import likeness as lk
        >>> check_encoder(lk.embed(lk.read("cars"), "cars")).sees
        True
    """
    base = space.base or space
    if base.embed_images is None:
        raise InputError(f"There is no encoder behind '{space.name}' to check; embed the images with one.")
    name = base.encoder_name
    return EncoderCheck(name, _sight_of(base, seed), own_sight(name), _same_prompts(base, prompts))


def images_to_check(table: ImageTable, seed: int = 0) -> ImageTable:
    """The images of a table that `check_encoder` uses, so that no others need to be embedded."""
    return replace(table, frame=table.frame.iloc[_drawn(len(table), seed)].reset_index(drop=True))


def measure_sight(whole: Rows, first: Rows, second: Rows) -> Sight:
    """The figures of n images: unit rows (n, d) of the whole, and of two crops of each."""
    n = len(whole)
    # first crops against second crops: a crop is never compared with itself
    crossed = np.asarray(first, np.float64) @ np.asarray(second, np.float64).T
    same, others = np.diag(crossed), crossed[~np.eye(n, dtype=bool)]
    centered = np.asarray(whole, np.float64) - np.mean(whole, axis=0)
    # participation ratio: it equals r for r directions of equal variance
    variances = np.linalg.svd(centered, compute_uv=False) ** 2
    total = float((variances**2).sum())
    rank = float(variances.sum() ** 2 / total) if total > 0 else 0.0
    found = crossed.argmax(1) == np.arange(n)
    return Sight(n, float(same.mean() - others.mean()), rank, float(found.mean()))


def own_sight(encoder: str) -> Sight | None:
    """The stored figures of an encoder on images like its training images; None if its folder has none."""
    file = _sight_file(encoder)
    try:
        return Sight(**json.loads(file.read_text(encoding="utf-8"))) if file else None
    except (OSError, ValueError, TypeError):
        return None


def _sight_file(encoder: str) -> Path | None:
    if not is_encoder_name(encoder):
        return None
    family, target = encoder_family(encoder)
    return as_path(target) / SIGHT_FILE if family.name in ("photos", "local-dir") else None


def crops(image: Image.Image) -> tuple[Image.Image, Image.Image]:
    """Two opposite corners of an image, three quarters of its sides long."""
    width, height = (max(1, round(side * _CROP)) for side in image.size)
    left, top = image.width - width, image.height - height
    return image.crop((0, 0, width, height)), image.crop((left, top, image.width, image.height))


def _sight_of(base: Space, seed: int) -> Sight:
    paths, kept = base.table.paths(), []
    parts: tuple[list[Image.Image], list[Image.Image]] = ([], [])
    for row in _drawn(len(base), seed):
        try:
            image = read_image(paths[row], _READ)
        except (InputError, OSError):
            continue  # the embedding lists it
        kept.append(row)
        for part, crop in zip(parts, crops(image), strict=True):
            part.append(crop)
    if len(kept) < FEWEST:
        raise InputError(f"{len(kept)} images are too few to check an encoder; pass at least {FEWEST}.")
    assert base.embed_images is not None
    first, second = (base.embed_images(part) for part in parts)
    return measure_sight(base.vectors[kept], first, second)


def _drawn(count: int, seed: int) -> NDArray[np.intp]:
    return np.sort(np.random.default_rng(seed).permutation(count)[:IMAGES])


def _same_prompts(base: Space, prompts: Sequence[str]) -> float | None:
    distinct = list(dict.fromkeys(prompts))
    if len(distinct) < 2 or base.embed_texts is None:
        return None
    vectors = base.embed_prompts(distinct)[0]
    similarities = vectors @ vectors.T
    # a prompt is not its own double
    np.fill_diagonal(similarities, -1)
    return float((similarities.max(1) > _SAME_TEXT).mean())
