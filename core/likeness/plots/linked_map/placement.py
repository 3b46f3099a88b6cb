"""Positions of the points of a space on its map."""

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
    """The content of a map: a `likeness.Space`, or any object with these members. `key`, if any, identifies its vectors in the store of maps."""

    @property
    def name(self) -> str: ...

    @property
    def table(self) -> ImageTable: ...

    @property
    def vectors(self) -> NDArray[np.float32]: ...


@dataclass(frozen=True, eq=False)
class Placement:
    """A map: its space (None for positions alone), positions (n, 2) as the method gave them, and aligned to another map."""

    space: MapSpace | None
    own: Positions
    shown: Positions
    caption: str = ""


def place(
    source: Any, method: str, parameters: dict[str, Any], *, positions: Any = None, before: Placement | None = None, onto: Placement | None = None
) -> Placement:
    """Places a space, or positions (n, 2) alone, on a map.

    Args:
        source: a space, or an array (n, 2).
        method, parameters: a name in `likeness.projection.METHODS` and its function's parameters.
        positions: (n, 2), used instead of a layout of the space.
        before: the map that this one replaces, whose points are the start of a layout that is not stored yet.
        onto: the map that this one is aligned to; by default `before`.

    Raises:
        InputError: neither space nor positions, another number of rows than in the other map, or an unknown method.
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
    caption = f"{title} of {SAMPLE:,} images, others beside their nearest" if method != "pca" and is_sampled(count) else title
    return Placement(space, own, own if reference is None else align(own, reference.shown), caption)


def lay_out(space: MapSpace, method: str, parameters: dict[str, Any], near: Positions | None = None) -> Positions:
    """Positions (n, 2) of a space, stored, or computed and stored. A start `near` given positions is faster and keeps close to them."""
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
