"""Saliency maps, computed in the background and shared by equal requests; and rows of pictures: the image, each space's map, and the differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.saliency import (
    Saliency,
    blurred,
    control_spaces,
    difference,
    difference_picture,
    difference_shares,
    map_picture,
    mass_share,
    object_masks,
    overlay,
    saliency_of_spaces,
)
from likeness.space import Space
from parts.gallery import Picture, PictureRow
from parts.on_request import WorkRequest
from parts.plain import plain
from parts.sidebar import readable
from server.jobs import Job

Masks = NDArray[np.bool_]
Shares = NDArray[np.float64]
_BLUR = 2.0  # deviation in pixels; at 0 the grid of the model's patches would show
_OPTIONS = {"max_finished": 16}


@dataclass(frozen=True)
class SaliencyRequest:
    """Rows of images, spaces of one dataset (the last is the reference), and the settings of `saliency_of_spaces`."""

    dataset: str
    spaces: tuple[Space, ...]
    rows: tuple[int, ...]
    base: str | int
    samples: int
    noise: float

    @property
    def key(self) -> tuple[object, ...]:
        """A key of equal maps."""
        return self.dataset, tuple(space.key for space in self.spaces), self.rows, self.base, self.samples, self.noise

    @property
    def dims(self) -> tuple[int, ...]:
        """Dimensions of the compared spaces; 0 if not a notion's."""
        return tuple(space.vectors.shape[1] if space.base is not None else 0 for space in self.spaces[:-1])

    def work(self) -> WorkRequest:
        """A request for one `Saliency` per space."""
        return WorkRequest("saliency", self.key, "Saliency maps", lambda job: self._maps(self.spaces, job), _OPTIONS)

    def controls(self) -> WorkRequest:
        """A request for the maps of random projections, for each of the notions' numbers of dimensions."""
        dims = [dim for dim in dict.fromkeys(self.dims) if dim]
        encoded = next(space.base for space in self.spaces if space.base is not None)

        def work(job: Job) -> dict[int, list[Saliency]]:
            projections = [(dim, space) for dim in dims for space in control_spaces(encoded, dim)]
            found = self._maps([space for _, space in projections], job)
            return {dim: [each for (of, _), each in zip(projections, found, strict=True) if of == dim] for dim in dims}

        return WorkRequest("saliency", ("controls", *self.key), "Saliency maps of random projections", work, _OPTIONS)

    def _maps(self, spaces: Sequence[Space], job: Job) -> list[Saliency]:
        options = {"base": self.base, "samples": self.samples, "noise": self.noise}
        return saliency_of_spaces(spaces, self.rows, progress=job.report, should_stop=job.should_stop, **options)


@dataclass(frozen=True)
class Look:
    """How maps are drawn.

    Attributes:
        maps, differences: which of them to draw.
        percentile: percentile of a map that is drawn as its maximum.
    """

    maps: bool
    differences: bool
    percentile: float


def grid(found: Sequence[Saliency], names: Sequence[str], masks: Masks | None, look: Look) -> tuple[list[str], list[PictureRow]]:
    """Titles of the columns, and a row of pictures for each image.

    Args:
        found: the spaces' maps; the last is the reference.
        names: the images' names.
        masks: masks of the cars (n, h, w), if known.
        look: how the maps are drawn.
    """
    *spaces, against = (each.at(look.percentile) for each in found)
    named = readable(against.name)
    areas = [""] * len(against.pixels) if masks is None else [f"car: {mask.mean():.0%} of the picture" for mask in masks]
    columns = {"Image": [Picture(pixels, area) for pixels, area in zip(against.pixels, areas, strict=False)]}
    if look.maps or not spaces:
        columns[named] = _maps(against, masks)
    for space in spaces:
        own, differs = readable(space.name), look.differences and alike(space, against)
        if look.maps or not differs:
            columns[own] = _maps(space, masks if alike(space, against) else None)
        if differs:
            columns[f"{own} − {named}"] = _differences(space, against, masks)
    return list(columns), [PictureRow(name, row) for name, row in zip(names, zip(*columns.values(), strict=True), strict=False)]


def alike(a: Saliency, b: Saliency) -> bool:
    """Whether both models saw the same pixels: a run that crops sees others than an encoder that does not, so there is no difference to draw."""
    return np.array_equal(a.pixels, b.pixels)


def known_masks(space: Space, image_rows: Sequence[int]) -> Masks | None:
    """Masks of the car as the model sees it; None for images that were not rendered."""
    try:
        return object_masks(space, image_rows)
    except InputError:
        return None


def control_sentence(found: Sequence[Saliency], dims: Sequence[int], controls: Mapping[int, Sequence[Saliency]], masks: Masks, look: Look) -> str:
    """The mean share of the maps on the cars, compared with random projections of as many dimensions.

    Args:
        found: the spaces' maps; the last is the reference.
        dims: dimensions of the spaces except the last; 0 if not a notion's.
        controls: maps of random projections, by dimensions.
        masks: masks of the cars (n, h, w).
        look: of differences, if shown, only the yellow counts; of maps, everything.
    """
    *spaces, against = (each.at(look.percentile) for each in found)
    drawn = {dim: [each.at(look.percentile) for each in projections] for dim, projections in controls.items()}
    parts = []
    for space, dim in zip(spaces, dims, strict=True):
        if dim in drawn and alike(space, against):
            chance = np.mean([_share(control, against, masks, look) for control in drawn[dim]])
            parts.append(
                f"{plain(readable(space.name))} {_share(space, against, masks, look):.0%}, a random projection to {dim} dimensions {chance:.0%}"
            )
    what = "the yellow" if look.differences else "the maps"
    return (
        f"Share of {what} that lies on the cars: {'; '.join(parts)}. Only what exceeds the random projection is due to the notion." if parts else ""
    )


def _share(space: Saliency, against: Saliency, masks: Masks, look: Look) -> float:
    shares = difference_shares(difference(space, against), masks)[0] if look.differences else mass_share(space.maps, masks)
    return float(np.nanmean(shares))


def _maps(found: Saliency, masks: Masks | None) -> list[Picture]:
    shares = None if masks is None else mass_share(found.maps, masks[: len(found.maps)])
    return _pictures(map_picture(blurred(found.maps, _BLUR)), found, shares, "on the car")


def _differences(space: Saliency, against: Saliency, masks: Masks | None) -> list[Picture]:
    differences = difference(space, against)
    soft = blurred(differences, _BLUR)
    # a blur flattens; the strongest place of each image is drawn in full color
    strongest = np.abs(soft).max(axis=(1, 2), keepdims=True)
    shares = None if masks is None else difference_shares(differences, masks[: len(differences)])[0]
    return _pictures(difference_picture(soft / np.maximum(strongest, 1e-12)), space, shares, "of the yellow on the car")


def _pictures(colors: NDArray[np.uint8], found: Saliency, shares: Shares | None, words: str) -> list[Picture]:
    """Colors blended over the grayscale images."""
    drawn = overlay(found.pixels, colors, 0.7)
    captions = [""] * len(drawn) if shares is None else [f"{share:.0%} {words}" for share in shares]
    return [Picture(pixels, caption) for pixels, caption in zip(drawn, captions, strict=True)]
