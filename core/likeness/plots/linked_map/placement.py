"""Where the points of a space lie on its map."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.projection import METHODS, SAMPLE, LayoutJob, align, differing, is_sampled, load_map, map_key, pca_map

Positions = NDArray[np.float32]


class MapSpace(Protocol):
    """What a map shows: a `likeness.Space`, or anything of its form. `key`, if there is one, names its vectors in the store of maps."""

    @property
    def name(self) -> str: ...

    @property
    def table(self) -> ImageTable: ...

    @property
    def vectors(self) -> NDArray[np.float32]: ...


@dataclass(frozen=True, eq=False)
class Placement:
    """One map: what it shows (None where only positions were given), positions (n, 2) as the method gave them, and turned to lie on another map."""

    space: MapSpace | None
    own: Positions
    shown: Positions
    caption: str = ""


def place(
    source: Any, method: str, parameters: dict[str, Any], *, positions: Any = None, before: Placement | None = None, onto: Placement | None = None
) -> Placement:
    """The map of a space, or of positions (n, 2) alone.

    Args:
        source: a space, or an array (n, 2).
        method, parameters: a name in `likeness.projection.METHODS` and what its function takes.
        positions: (n, 2), shown as they are in place of a layout of the space.
        before: the map that this one takes the place of; a layout that is not stored yet begins at its points.
        onto: the map on which this one is turned to lie; `before` without it.

    Raises:
        InputError: no space and no positions, another number of rows than in the map before, or a method that there is not.
        LayoutFailed: the layout could not be computed.
    """
    space = source if hasattr(source, "vectors") else None
    given = source if space is None else positions
    count = len(given) if space is None else len(space.vectors)
    reference = onto or before
    if reference is not None and len(reference.own) != count:
        raise InputError(f"The maps have {len(reference.own)} and {count} rows; pass spaces or positions of the same images.")
    if given is not None:
        own = _checked(given, count)
        return Placement(space, own, own)
    own = lay_out(source, method, parameters, None if before is None else before.own)
    title = METHODS[method].title
    caption = f"{title} of {SAMPLE:,} images, the others beside their nearest" if method != "pca" and is_sampled(count) else title
    return Placement(space, own, own if reference is None else align(own, reference.shown), caption)


def lay_out(space: MapSpace, method: str, parameters: dict[str, Any], near: Positions | None = None) -> Positions:
    """Positions (n, 2) of a space, from the store of maps or computed into it, beginning `near` these positions: close to them, and sooner."""
    content = getattr(space, "key", None)
    given = differing(method, parameters)
    kept = load_map(map_key(space.vectors if content is None else content, method, init=None, **given))
    if kept is not None and len(kept) == len(space.vectors):
        return kept
    if method == "pca":
        return pca_map(space.vectors)
    job = LayoutJob(space.vectors, content=content, method=method, init=near, **given)
    try:
        return job.result()
    except KeyboardInterrupt:
        job.cancel()
        raise


def _checked(given: Any, count: int) -> Positions:
    positions = np.asarray(to_numpy(given))
    if positions.shape != (count, 2) or positions.dtype.kind not in "fiu":
        kind = type(given).__name__
        raise InputError(f"A map takes a space, or positions (n, 2), not {kind} of shape {positions.shape}; for vectors pass a Space of them.")
    return np.ascontiguousarray(positions, dtype=np.float32)
