"""Layouts of the maps: PCA at once, others when they are ready; each new layout is aligned to the previous one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import unit_rows
from likeness.plots.linked_map import cache_by_identity
from likeness.projection import SAMPLE, LayoutFailed, LayoutJob, align, is_sampled, placed
from likeness.space import Space
from parts import cached, growing, progress
from parts.drafts import MARK
from parts.map_controls import Choice
from server.access import redact
from state import Item

Positions = NDArray[np.float32]
_Wanted = tuple[Space, Choice]


@dataclass(frozen=True)
class Layout:
    """The layout of one map.

    Attributes:
        name: the space's name.
        choice: the method used, which differs from the requested one until that is ready.
        own: positions (n, 2) from the method.
        shown: the same, rotated and scaled to match the previous map.
        note: a few words if the map is not the requested one.
        problem: why the requested map could not be computed.
    """

    name: str
    choice: Choice
    own: Positions
    shown: Positions
    note: str = ""
    problem: str = ""


# by the slot of a page's maps: the layouts shown last, and what they waited for
_last = Item[dict[str, list[Layout]]](make=dict, key="layouts_last")
_waited_for = Item[dict[str, list[_Wanted]]](make=dict, key="layouts_waited_for")


def lay_out(spaces: Sequence[Space], choice: Choice, slot: str) -> list[Layout]:
    """A layout for each space.

    Until one is ready, a map keeps the previous layout of `slot`, or shows the PCA. The first map is aligned to the previous layout, the others to
    the first, so that unchanged points stay in place.
    """
    last: list[Layout] = _last.get().get(slot, [])
    moved = growing.moved_rows.get()
    if moved is not None:
        last = [_grown(each, moved, space) for each, space in zip(last, spaces, strict=False) if len(each.shown) == len(moved)]
    last = [each for each in last if len(each.shown) == len(spaces[0].table)]
    placed: list[Layout] = []
    waited_for: list[_Wanted] = []
    for place, space in enumerate(spaces):
        before = last[place] if place < len(last) else None
        found, ready = _find(space, choice, before)
        if not ready:
            waited_for.append((space, choice))
        placed.append(replace(found, shown=_turned(found, before, placed, last)))
    _wait(waited_for, slot)
    _last.get()[slot] = placed
    return placed


def _grown(layout: Layout, moved: NDArray[np.int64], space: Space) -> Layout:
    """The layout of a grown dataset: old points stay, new ones lie beside their nearest old neighbors."""
    stays, vectors = moved >= 0, space.vectors
    positions = np.empty((len(vectors), 2), np.float32)
    new = np.ones(len(vectors), bool)
    new[moved[stays]] = False
    positions[moved[stays]] = layout.shown[stays]
    if new.any():
        positions[new] = placed(vectors[new], unit_rows(vectors[moved[stays]], "The vectors"), layout.shown[stays])
    return replace(layout, own=positions, shown=positions)


def _find(space: Space, choice: Choice, before: Layout | None) -> tuple[Layout, bool]:
    """The requested layout; until it is ready, the previous one of this space or the PCA, with a note."""
    if choice.method == "pca":
        return _pca(space), True
    # a refit starts from the previous map; another space or method starts afresh, so that a link always shows the same map
    earlier = before if before is not None and before.name.removesuffix(MARK) == space.name.removesuffix(MARK) else None
    job = cached.layout(space, choice.method, choice.parameters, earlier.own if earlier is not None and earlier.choice == choice else None)
    if not job.done:
        note = f"{choice.title} is being computed"
        return (_pca(space, f"PCA while {note}") if earlier is None else replace(earlier, note=note, problem="")), False
    try:
        own = _positions(job)
    except LayoutFailed as error:
        return _pca(space, f"PCA, since {choice.title} failed", redact(error)), True
    note = f"computed from {SAMPLE:,} images; the others are placed next to their nearest neighbors among these" if is_sampled(len(own)) else ""
    return Layout(space.name, choice, own, own, note), True


def _turned(found: Layout, before: Layout | None, placed: Sequence[Layout], last: Sequence[Layout]) -> Positions:
    """The aligned positions; the identical array if nothing has changed, so that it is not sent or compared again."""
    same = before is not None and (found.own is before.own or np.array_equal(found.own, before.own))
    if before is not None and same and (not placed or placed[0].shown is last[0].shown):
        return before.shown
    if placed:
        return align(found.own, placed[0].shown)
    return found.own if before is None else align(found.own, before.shown)


@cache_by_identity
def _positions(job: LayoutJob) -> Positions:
    return job.result()


def _pca(space: Space, note: str = "", problem: str = "") -> Layout:
    own = cached.pca(space)
    return Layout(space.name, Choice("pca"), own, own, note, problem)


def _wait(waited_for: list[_Wanted], slot: str) -> None:
    """Redraws the page once each layout is ready, and cancels layouts that are no longer needed."""
    for space, choice in _waited_for.get().get(slot, []):
        if not any(space.key == other.key and choice == wanted for other, wanted in waited_for):
            cached.give_up_layout(space, choice.method, choice.parameters)
    _waited_for.get()[slot] = waited_for
    if waited_for:
        progress.redraw_when(lambda: any(cached.layout(space, each.method, each.parameters).done for space, each in waited_for))
