"""Find the notions of a collection: library notions that vary in its images, and directions that no notion covers."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.notion_trust import FEWEST_IMAGES, Trust, notion_trust
from likeness.notions import FEWEST_DIVIDED, Notion, division_scores, fitting_notions, parts_of, varying_directions
from likeness.space import Space

_SAMPLE = 20_000  # images from which directions are found
_EXTREMES = 6


class FoundNotion(NamedTuple):
    """A notion, its trust on the images, and the share of the images' variance along its aspects, 0 to 1."""

    notion: Notion
    trust: Trust
    share: float


class Direction(NamedTuple):
    """A direction of variation that no notion covers: a unit vector (r,), its share of the images' variance, 0 to 1, and the rows of the images at
    both ends, outermost first.
    """

    vector: NDArray[np.float64]
    share: float
    low: NDArray[np.int64]
    high: NDArray[np.int64]


def found_notions(space: Space, notions: Sequence[Notion] | None = None, *, folder: Path | None = None, seed: int = 0) -> list[FoundNotion]:
    """Notions that vary in the images, most trustworthy first (`likeness.notion_trust`); labels are not used.

    Args:
        space: for a notion's space, its base is used.
        notions: to rank; None: those of the library that fit such images.
        folder: of the user's own notions; by default in the cache.
        seed: as for `notion_trust`.

    Raises:
        InputError: the space reads no text, or has fewer than three images.

    Example:
        >>> import likeness as lk
        >>> [found.notion.name for found in found_notions(lk.embed(lk.read("cars"), "cars-small"))][-2:]
        ['sun side', 'sun height']
    """
    base = space.base or space
    chosen = fitting_notions(base.table, base.encoder_name, folder) if notions is None else notions
    seen, whole = _centered(base.vectors)
    found = []
    for notion in chosen:
        along = varying_directions(_aspects(base, [notion]), seen.shape[1])
        found.append(FoundNotion(notion, notion_trust(base, notion, seed), float(((seen @ along) ** 2).sum()) / whole if whole else 0.0))
    return sorted(found, key=lambda each: each.trust.score, reverse=True)


def most_dividing(space: Space, notions: Sequence[Notion], seed: int = 0) -> Notion | None:
    """The reliable notion (`likeness.notion_trust`) of `notions` whose aspects divide the images most clearly, by the unsupervised
    `likeness.notions.division_scores`.

    Args:
        space: of an encoder that reads text; of a notion's space, the one that it is made from counts.

    Returns:
        None if no reliable notion divides better than meaningless words, or there are fewer than three images.

    Raises:
        InputError: the space reads no text.

    Example:
        >>> import likeness as lk
        >>> color, season = lk.Notion("color", "a {} car", ["red", "green", "blue"]), lk.Notion("season", "{}", ["summer", "winter"])
        >>> most_dividing(lk.embed(lk.read("cars"), "cars"), [season, color]).name
        'color'
    """
    base = space.base or space
    if not notions or len(base) < FEWEST_IMAGES:
        return None
    scores = division_scores(base.vectors, [base.embed_aspects(notion)[0] for notion in notions], seed)
    ranked = sorted((place for place, score in enumerate(scores) if score >= FEWEST_DIVIDED), key=lambda place: -scores[place])
    return next((notions[place] for place in ranked if notion_trust(base, notions[place], seed).reads), None)


def unnamed_directions(space: Space, notions: Sequence[Notion], count: int = 3) -> list[Direction]:
    """The `count` principal directions of the images after projecting out the directions along which the aspects of notions vary (90 % of their
    variance).

    On the shipped cars, if one notion is omitted, the first direction recovers it (`python -m experiments.analyses unnamed`). Without notions they
    are the principal components. For a notion's space, its base is used. Raises InputError for a space without text side, a count below 1, or notions
    that leave no variance.
    """
    if count < 1:
        raise InputError(f"Cannot return {count} directions; pass at least 1.")
    base = space.base or space
    seen, whole = _centered(base.vectors)
    left = seen
    if notions:
        taken = varying_directions(_aspects(base, notions), seen.shape[1])
        left = seen - (seen @ taken) @ taken.T
    values, vectors = np.linalg.eigh(left.T @ left)
    if values[-1] <= np.finfo(np.float32).eps * whole:
        raise InputError("The notions cover all variance, or all images are equal; pass fewer notions.")
    found = []
    for vector, value in zip(vectors.T[::-1][:count], values[::-1][:count], strict=True):
        order = np.argsort(base.vectors @ vector.astype(np.float32), kind="stable")
        ends = min(_EXTREMES, len(order) // 2)
        found.append(Direction(vector, float(value / whole), order[:ends], order[::-1][:ends]))
    return found


def _aspects(base: Space, notions: Sequence[Notion]) -> list[NDArray[np.float32]]:
    """The rows of the aspects of notions, including the parts of compositions."""
    return [base.embed_aspects(part)[0] for notion in notions for weight, part in parts_of(notion) if weight > 0]


def _centered(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    """At most 20,000 evenly spaced rows (n, r), centered, and the sum of their squares."""
    rows = np.asarray(vectors[:: -(-len(vectors) // _SAMPLE)], np.float64)
    rows = rows - rows.mean(axis=0)
    return rows, float((rows**2).sum())
