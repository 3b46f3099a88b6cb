"""Suggest the minimum similarity of copies, measured on altered copies of a dataset's images and on its most similar pairs."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import Field, TypeAdapter, ValidationError

from likeness.data import ImageTable
from likeness.duplicates.altered_copies import ALTERATIONS, CopySimilarities, copy_similarities
from likeness.duplicates.pairs import PairCollector, TooManyPairsError, join_blocks
from likeness.errors import InputError
from likeness.io import UnreadableImageError, cache_dir, read_image, text_of, write_atomic
from likeness.progress import Progress
from likeness.space import Space

_LEAST = 0.01  # a threshold is above 0
# Of the pairs above the line, so many are to look like copies; of the last ones above it, which people look at, most.
_PRECISION, _LAST, _PRECISION_AT_LINE = 0.95, 10, 0.5
_LOOKED_AT = 100  # pairs
_MOST_IMAGES = (20_000, 2_000)  # whose pairs are looked for; the fewer where the others have too many
_JUST_ABOVE = 1e-4


@dataclass(frozen=True)
class SuggestedThreshold:
    """A cosine similarity threshold, and its results on the altered copies it was chosen by. Bounds are validated when it is read from a file.

    Attributes:
        found: recall: share of copies that reach it with their original, 0 to 1.
        confused: share of copies that reach it with another image, including real copies in the dataset.
        copies: how many there were.
        pairs: how many pairs of the dataset's own images were compared pixel by pixel, the most similar ones; 0: none was similar enough, or none was
            compared, as in a notion's space.
        alike: how many of them look like copies.
    """

    threshold: Annotated[float, Field(gt=0, le=1)]
    found: Annotated[float, Field(ge=0, le=1)]
    confused: Annotated[float, Field(ge=0, le=1)]
    copies: Annotated[int, Field(gt=0)]
    pairs: Annotated[int, Field(ge=0)] = 0
    alike: Annotated[int, Field(ge=0)] = 0

    @property
    def message(self) -> str:
        """A sentence or two for people."""
        measured = (
            f"Threshold {self.threshold:.4f}: of {self.copies} altered copies (saved again, halved, cropped, brightened) {self.found:.0%} are found, "
            f"and {self.confused:.0%} are also taken for copies of another image."
        )
        return f"{measured} {self.pairs_message}".rstrip()

    @property
    def pairs_message(self) -> str:
        """A sentence on the dataset's own pairs; empty if none were compared."""
        if not self.pairs:
            return ""
        if not self.alike:
            return f"None of the {self.pairs} most similar pairs looks like a copy pixel by pixel, so the threshold is above them."
        return f"Of the {self.pairs} most similar pairs that were compared pixel by pixel, {self.alike} look like copies."


def suggest_threshold(space: Space, images: int = 100, seed: int = 0, progress: Progress | None = None) -> SuggestedThreshold:
    """The threshold that best separates altered copies from other images; in an encoder's space raised until pairs above it look alike.

    There the most similar pairs of the dataset's own images are compared pixel by pixel (`look_alike`), and the threshold is raised to where nineteen
    of twenty pairs above it look like copies, and most of the last ones; above all pairs where none does. In a notion's space it is the resolution of
    the notion: images above it differ in the notion by no more than copies of one image do.

    Args, Raises: as `copy_similarities`.

    Example:
        >>> import likeness as lk
        >>> 0.5 < suggest_threshold(lk.embed(lk.read("cars"), "cars"), images=20).threshold < 1
        True
    """
    measured = copy_similarities(space, images, seed, progress)
    found = best_threshold(measured)
    return found if space.base is not None else _raised(found, measured, space, seed, progress)


def _raised(found: SuggestedThreshold, measured: CopySimilarities, space: Space, seed: int, progress: Progress | None) -> SuggestedThreshold:
    """The threshold, or a higher one, by the dataset's own pairs."""
    pairs, similarities = _own_pairs(space, found.threshold, seed)
    if not len(pairs):
        return found
    places = np.unique(np.linspace(0, len(pairs) - 1, _LOOKED_AT).astype(np.int64))
    if progress:
        progress(0, len(places), "Comparing the most similar pairs")
    alike, is_read = look_alike(space.table, pairs[places])
    similarities, alike = similarities[places][is_read], alike[is_read]
    if not len(alike):
        return found
    threshold = precise_threshold(similarities, alike, found.threshold)
    return replace(_at(threshold, measured), pairs=len(alike), alike=int(alike.sum()))


def _own_pairs(space: Space, threshold: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Pairs (p, 2) of the images, or of some drawn from them, that reach a threshold, the most similar first, and their similarities (p,)."""
    for most in _MOST_IMAGES:
        rows = np.sort(np.random.default_rng(seed).permutation(len(space))[:most])
        collector = PairCollector(len(rows), threshold, within=True)
        try:
            join_blocks(np.asarray(space.vectors[rows]), None, threshold, collector, None)
            pairs, similarities = collector.pairs()
        except TooManyPairsError:
            continue
        return rows[pairs], similarities
    return np.empty((0, 2), np.int64), np.empty(0, np.float32)


def precise_threshold(similarities: NDArray[np.float32], alike: NDArray[np.bool_], least: float) -> float:
    """The lowest threshold, from `least` on, above which nearly all pairs look like copies: the middle between the last pair that counts and the next
    one; above all pairs where none looks like a copy.

    Args:
        similarities: (p,) of pairs, falling, all of at least `least`.
        alike: (p,) whether a pair looks like a copy.
    """
    whole = np.cumsum(alike) / np.arange(1, len(alike) + 1)
    last = np.array([alike[max(0, place - _LAST + 1) : place + 1].mean() for place in range(len(alike))])
    kept = np.flatnonzero(alike & (whole >= _PRECISION) & (last >= _PRECISION_AT_LINE))
    if not len(kept):
        return float(min(1.0, similarities[0] + _JUST_ABOVE))
    if kept[-1] + 1 == len(alike):
        return least
    return float((float(similarities[kept[-1]]) + float(similarities[kept[-1] + 1])) / 2)


def best_threshold(measured: CopySimilarities) -> SuggestedThreshold:
    """The threshold of the largest F1 = 2 TP / (TP + FP + copies), where TP copies reach it with their original, and FP pairs of a copy with another
    image reach it, of the ten most similar ones of each copy.

    It lies in the middle between the least similar copy that is found and the next lower similarity of any kind.
    """
    own, other = measured.own.ravel(), measured.other.ravel()
    values = np.unique(np.concatenate([own, other]))[::-1].astype(np.float64)
    hits, false = ((np.searchsorted(np.sort(each), values)) for each in (own, other))
    true_positives, false_positives = len(own) - hits, len(other) - false
    best = int(np.argmax(2 * true_positives / (true_positives + false_positives + len(own))))
    threshold = values[best] if best + 1 == len(values) else (values[best] + values[best + 1]) / 2
    return _at(float(np.clip(threshold, _LEAST, 1)), measured)


def _at(threshold: float, measured: CopySimilarities) -> SuggestedThreshold:
    """Evaluates a threshold on the altered copies."""
    own = measured.own.ravel()
    return SuggestedThreshold(threshold, float((own >= threshold).mean()), float((measured.other >= threshold).any(axis=2).mean()), len(own))


ALIKE = 0.95  # correlation from which on two pictures look like copies
_SIDE = 32  # pixels of the thumbnails that are compared
_CUTS = (0.0, 0.05, 0.1)  # shares of one of the two pictures that may be cut off the other
_READ = 128  # pixels that are enough of a JPEG


def pixel_correlation(first: Image.Image, second: Image.Image) -> float:
    """Correlation (-1 to 1) of the gray values of two images resized to 32 x 32 pixels: the maximum over crops of either by up to a tenth of width
    and height. Two uniform images have 1.
    """
    one, other = _cuts(first), _cuts(second)
    return float(max((one[:1] @ other.T).max(), (one @ other[0]).max()))


def _cuts(image: Image.Image) -> NDArray[np.float64]:
    """Thumbnails (c, 32 * 32) of center crops, centered and of unit length."""
    gray, rows = image.convert("L"), []
    for cut in _CUTS:
        left, top = image.width * cut / 2, image.height * cut / 2
        part = gray.resize((_SIDE, _SIDE), Image.Resampling.BOX, box=(left, top, image.width - left, image.height - top))
        pixels = np.asarray(part, np.float64).ravel()
        pixels = pixels - pixels.mean()
        length = float(np.linalg.norm(pixels))
        rows.append(pixels / length if length else np.full(len(pixels), len(pixels) ** -0.5))
    return np.stack(rows)


def look_alike(table: ImageTable, pairs: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which pairs (p, 2) of a table's images look like copies (p,), and which are both readable (p,)."""
    alike, is_read = np.zeros(len(pairs), np.bool_), np.ones(len(pairs), np.bool_)
    for place, pair in enumerate(pairs.tolist()):
        try:
            alike[place] = pixel_correlation(*(read_image(table.file(row), _READ) for row in pair)) >= ALIKE
        except (UnreadableImageError, OSError):
            is_read[place] = False
    return alike, is_read


# Part of every key: raise it when the same images come to give another threshold.
_VERSION = 2


def known_threshold(space: Space, images: int = 100, seed: int = 0, progress: Progress | None = None) -> SuggestedThreshold:
    """As `suggest_threshold`, cached on disk by the space's content.

    Example:
        >>> import likeness as lk
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> known_threshold(space, images=20) == known_threshold(space, images=20) == stored_threshold(space, images=20)
        True
    """
    found = stored_threshold(space, images, seed)
    if found is None:
        found = suggest_threshold(space, images, seed, progress)
        write_atomic(_file(space, images, seed), json.dumps(asdict(found)).encode())
    return found


def stored_threshold(space: Space, images: int = 100, seed: int = 0) -> SuggestedThreshold | None:
    """The cached threshold of `known_threshold`; None if missing or damaged."""
    file = _file(space, images, seed)
    try:
        found = TypeAdapter(SuggestedThreshold).validate_json(text_of(file), strict=True) if file.is_file() else None
    except (InputError, ValidationError):
        return None
    return found if found and found.alike <= found.pairs else None


def _file(space: Space, images: int, seed: int) -> Path:
    recipe = json.dumps([_VERSION, space.key, len(space), images, seed, list(ALTERATIONS)])
    return cache_dir() / "thresholds" / f"{hashlib.sha256(recipe.encode()).hexdigest()[:32]}.json"
