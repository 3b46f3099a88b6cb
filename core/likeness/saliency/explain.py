"""Saliency maps of images, for one space or for several to compare."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.progress import Progress
from likeness.saliency.image_model import ImageModel, Pictures
from likeness.saliency.one_tower import Noise, by_tower
from likeness.saliency.smoothgrad import NOISE, PERCENTILE, check_percentile, scaled

if TYPE_CHECKING:
    from PIL.Image import Image

    from likeness.data import ImageTable

Maps = NDArray[np.float32]

BLACK = "black"
SAMPLES = 25  # as in the InDiReCT code; the ICCV 2021 code uses 50
BATCH = 50


class Explainable(Protocol):
    """A `likeness.Space`, or any object with these five members."""

    name: str
    table: "ImageTable"
    vectors: "NDArray[np.float32]"
    differentiable: "Callable[[], ImageModel] | None"

    def check_row(self, row: int) -> int: ...


@dataclass(frozen=True)
class Saliency:
    """Saliency of n images in one space.

    Attributes:
        sums: (n, h, w) float32, absolute gradients summed over the noisy copies, before scaling.
        pixels: (n, h, w, 3) uint8, the model's input, resized and cropped.
        percentile: of each image's sums that `maps` scales to 1.
    """

    name: str
    sums: Maps
    pixels: Pictures
    percentile: float = PERCENTILE

    def __len__(self) -> int:
        return len(self.sums)

    @cached_property
    def maps(self) -> Maps:
        """(n, h, w) float32 in [0, 1]; see `likeness.saliency.scaled`."""
        return scaled(self.sums, self.percentile).astype(np.float32, copy=False)

    def at(self, percentile: float) -> "Saliency":
        """The same sums scaled to another percentile, without new gradients."""
        return replace(self, percentile=percentile)


class SaliencySettings(TypedDict, total=False):
    """Keywords of `saliency_of_spaces`, described there."""

    base: "str | int | Path | Image"
    samples: int
    noise: float
    percentile: float
    seed: int
    batch_size: int
    progress: Progress | None
    should_stop: Callable[[], bool] | None


def saliency_maps(space: "Explainable", images: "Sequence[int | Path | Image]", **settings: "Unpack[SaliencySettings]") -> Saliency:
    """Saliency of images in one space; keywords and errors as in `saliency_of_spaces`."""
    return saliency_of_spaces([space], images, **settings)[0]


def saliency_of_spaces(
    spaces: "Sequence[Explainable]",
    images: "Sequence[int | Path | Image]",
    *,
    base: "str | int | Path | Image" = BLACK,
    samples: int = SAMPLES,
    noise: float = NOISE,
    percentile: float = PERCENTILE,
    seed: int = 0,
    batch_size: int = BATCH,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> list[Saliency]:
    """Saliency of images in several spaces (InDiReCT, section 6, after Kobs et al., ICCV 2021): a `Saliency` per space, for the same images.

    A pixel's saliency is the absolute gradient of the cosine distance between the embeddings of image and base image, summed over noisy copies of the
    image. Spaces of one encoder share copies and forward pass. The noise of a copy depends on `seed`, the copy's number and the model's input: other
    images and `batch_size` change a map only by rounding.

    Args:
        spaces: one or more, each with a differentiable model.
        images: row numbers in the spaces' common table, files or pictures.
        base: "black", or a row number, file or picture.
        samples: noisy copies of each image.
        noise: standard deviation, relative to the range of the image's values.
        percentile: of each map that is scaled to 1.
        batch_size: copies per forward pass; memory grows with it.
        progress, should_stop: called with (images done, images); checked after each batch of images, and if true the finished images are returned.

    Raises:
        InputError: a space without a differentiable model, missing or unreadable images, a number out of range.
    """
    if not spaces or not len(images):
        raise InputError(f"Got {len(spaces)} spaces and {len(images)} images to explain; pass at least one of each.")
    check_percentile(percentile)
    drawn = Noise(samples, noise, seed, batch_size)
    towers = by_tower([_model(space) for space in spaces], _base(spaces, base))
    # read all images before the first gradient, so that an unreadable one is reported at once
    opened = _opened(spaces, images)
    pictures = [tower.models[0].prepare(opened) for _, tower in towers]
    sums: list[list[Maps]] = [[] for _ in spaces]
    step = max(1, batch_size // samples)
    for start in range(0, len(opened), step):
        for (positions, tower), seen in zip(towers, pictures, strict=True):
            for position, part in zip(positions, tower.sums(seen[start : start + step], drawn), strict=True):
                sums[position].append(part)
        if progress:
            progress(min(start + step, len(opened)), len(opened))
        if should_stop and should_stop():
            break
    seen_by = {position: seen for (positions, _), seen in zip(towers, pictures, strict=True) for position in positions}
    done = [np.concatenate(parts) for parts in sums]
    return [Saliency(space.name, part, seen_by[place][: len(part)], percentile) for place, (space, part) in enumerate(zip(spaces, done, strict=True))]


def _base(spaces: "Sequence[Explainable]", base: "str | int | Path | Image") -> "Path | Image":
    from PIL import Image

    if base == BLACK:
        return Image.new("RGB", (64, 64))
    if isinstance(base, str):
        raise InputError(f"There is no base image '{base}'; pass 'black', a row number, a file path or a picture.")
    return _opened(spaces, [base])[0]


def _model(space: "Explainable") -> ImageModel:
    if space.differentiable is None:
        raise InputError(f"The space '{space.name}' has no differentiable model; choose an encoder's space, or that of a notion fitted on one.")
    return space.differentiable()


def _opened(spaces: "Sequence[Explainable]", images: "Sequence[int | Path | Image]") -> "list[Path | Image]":
    """Files and pictures, with row numbers replaced by the table's files."""
    return [_file(spaces, int(image)) if isinstance(image, int | np.integer) else image for image in images]


def _file(spaces: "Sequence[Explainable]", row: int) -> Path:
    path = spaces[0].table.file(spaces[0].check_row(row))
    for other in spaces[1:]:
        if row >= len(other.table) or other.table.file(row) != path:
            raise InputError(f"Image {row} is not the same in the spaces '{spaces[0].name}' and '{other.name}'; compare spaces of one dataset.")
    return path
