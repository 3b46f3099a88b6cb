"""Typical altered copies of images: recompressed, downscaled, cropped, brightened."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageEnhance

from likeness.errors import InputError
from likeness.io import read_image
from likeness.progress import Progress
from likeness.search import scan
from likeness.space import Space

_QUALITY, _CUT, _BRIGHTER = 50, 0.05, 1.2
_OTHERS = 10
_AT_ONCE = 16  # images whose copies are embedded at a time


def _saved_again(image: Image.Image) -> Image.Image:
    content = io.BytesIO()
    image.save(content, "JPEG", quality=_QUALITY)
    with Image.open(content) as copy:
        return copy.convert("RGB")


def _cropped(image: Image.Image) -> Image.Image:
    left, top = round(image.width * _CUT / 2), round(image.height * _CUT / 2)
    return image.crop((left, top, image.width - left, image.height - top))


# What is done to a picture, by name.
ALTERATIONS: Mapping[str, Callable[[Image.Image], Image.Image]] = MappingProxyType(
    {
        "JPEG of quality 50": _saved_again,
        "half size and back": lambda image: image.resize((max(1, image.width // 2), max(1, image.height // 2))).resize(image.size),
        "5 % cut off": _cropped,
        "20 % brighter": lambda image: ImageEnhance.Brightness(image).enhance(_BRIGHTER),
    }
)


@dataclass(frozen=True)
class CopySimilarities:
    """Similarities of altered copies of images `rows` (m,) to their originals and to all other images.

    Attributes:
        own: (a, m) cosine similarity of each copy to its original, a row for each of `ALTERATIONS`.
        other: (a, m, k) to the ten most similar other images, or to as many as there are.
    """

    rows: NDArray[np.int64]
    own: NDArray[np.float32]
    other: NDArray[np.float32]


def copy_similarities(space: Space, images: int = 100, seed: int = 0, progress: Progress | None = None) -> CopySimilarities:
    """Alters random images of a space in four ways, embeds the copies and compares them with all images.

    Raises:
        InputError: no image to alter, fewer than two in all, no model to embed new images, or an unreadable image.
    """
    if space.embed_images is None or not space.table.has_images:
        raise InputError(f"'{space.name}' has no model to embed altered copies; pass a threshold, such as 0.95.")
    if images < 1:
        raise InputError(f"{images} images are to be altered; ask for at least 1.")
    if len(space) < 2:
        raise InputError("A single image cannot be compared; choose more images.")
    rows = np.sort(np.random.default_rng(seed).permutation(len(space))[:images])
    found = []
    for begin in range(0, len(rows), _AT_ONCE):
        images_read = [read_image(space.table.file(int(row))) for row in rows[begin : begin + _AT_ONCE]]
        found.append(space.embed_images([alter(image) for image in images_read for alter in ALTERATIONS.values()]))
        if progress:
            progress(min(begin + _AT_ONCE, len(rows)), len(rows), "Embedding altered copies")
    copies = np.concatenate(found).reshape(len(rows), len(ALTERATIONS), -1)
    own = np.einsum("mad,md->am", copies, space.vectors[rows])
    others = scan(space.vectors, copies.reshape(-1, copies.shape[2]), _OTHERS, exclude=np.repeat(rows, len(ALTERATIONS))).similarities
    other = others.reshape(len(rows), len(ALTERATIONS), -1).swapaxes(0, 1)
    return CopySimilarities(rows, own.astype(np.float32), np.ascontiguousarray(other))
