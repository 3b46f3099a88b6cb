"""What a report holds: which images it shows, where they lie on its two maps, and what is near to each."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.plots.linked_map import place
from likeness.reports.figures import FigureTable
from likeness.reports.options import ReportOptions
from likeness.search import nearest
from likeness.space import Space

_NEIGHBORS = 8
_FEWER = 4  # where many images are shown, so that room is left for pictures
_MANY = 5000


@dataclass(frozen=True, eq=False)
class SpaceView:
    """One space as a report shows it, of m images: positions (m, 2), and the numbers of the nearest among them (m, k) with their cosines (m, k)."""

    name: str
    caption: str
    positions: NDArray[np.float32]
    rows: NDArray[np.int64]
    similarities: NDArray[np.float32]


@dataclass(frozen=True)
class Curve:
    """One figure over the epochs: points (epoch, value) by epoch, perhaps with a level to compare with, such as the raw encoder's, and its name."""

    title: str
    points: Sequence[tuple[float, float]]
    level: float | None = None
    level_name: str = ""


@dataclass(frozen=True, eq=False)
class Report:
    """What a report holds: what a space is, how good it is beside the raw encoder, and linked maps with pictures.

    Attributes:
        kind: what it is of, "Notion", "Trained run" or "Errors of a model".
        title, lead: its heading, and one sentence below.
        facts: (name, value) of what is told first.
        views: the raw encoder's space and, where there is one, the other.
        table: the m images that are shown, of `total`.
        first: the attributes that stand before the others; the maps are colored by the first one.
        curves, settings: of a run, what was measured while it trained, and its settings as YAML.
        pictures: of errors, each slice's name, a sentence, and numbers and captions of some of the images that are shown.
    """

    kind: str
    title: str
    lead: str
    facts: list[tuple[str, str]]
    tables: list[FigureTable]
    views: list[SpaceView]
    table: ImageTable
    total: int
    first: list[str]
    options: ReportOptions = field(default_factory=ReportOptions)
    curves: list[Curve] = field(default_factory=list)
    settings: str = ""
    pictures: list[tuple[str, str, list[int], list[str]]] = field(default_factory=list)


def shown_rows(count: int, options: ReportOptions) -> NDArray[np.int64]:
    """Numbers of the images that are shown, ascending: all, or so many drawn at random; InputError for fewer than three."""
    if count < 3:
        raise InputError(f"A report needs at least three images; there are {count}.")
    if count <= options.images:
        return np.arange(count)
    return np.sort(np.random.default_rng(options.seed).permutation(count)[: options.images]).astype(np.int64)


def space_views(spaces: Sequence[Space], rows: NDArray[np.int64], options: ReportOptions) -> list[SpaceView]:
    """The maps of spaces of the same images, the second turned to lie on the first, and the nearest images, of those shown.

    A map of all images is the one that the app shows; where only some are shown, these alone are laid out.
    """
    whole = len(rows) == len(spaces[0])
    # of some images vectors that are known by what they are
    chosen = [space if whole else Space(space.vectors[rows], name=space.name, estimator=space.estimator) for space in spaces]
    placements: list[Any] = []
    views: list[SpaceView] = []
    for space in chosen:
        options.progress(len(views), len(chosen), "Laying out the maps")
        options.check_stop()
        placements.append(place(space, options.layout, {}, onto=placements[0] if placements else None))
        found = nearest(space.vectors, space.vectors, min(_NEIGHBORS if len(rows) <= _MANY else _FEWER, len(rows) - 1), np.arange(len(rows)))
        views.append(SpaceView(space.name, placements[-1].caption, placements[-1].shown, found.rows, found.similarities))
    return views
