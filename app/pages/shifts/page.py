"""Page Shifts: the distance between train and test classes step by step, and benchmarks of methods as it grows."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from likeness.data import ImageClasses
from likeness.plots import STEP_KINDS, class_sides, distance_curve
from likeness.shifts import ClassSplit
from pages.shifts import PAGE, benchmarks, splits as shift_splits
from pages.shifts.splits import Progression, choose_splits
from parts import aspect_labels
from parts.app_page import show_tabs
from parts.errors import show_errors
from parts.gallery import Section, gallery
from parts.plain import plain
from parts.sidebar import listed
from parts.view import View, current_view

_PICTURES, _MOST_NAMED, _TILE = 8, 8, 118
_QUIET = {"displayModeBar": False}
_STEPS_HELP = (
    "From easy to hard. Swap: the two sides exchange the classes that are farthest from their own side and nearest to the other. "
    "Removal: once swaps no longer increase the distance, classes between the two sides are removed."
)
_DISTANCE_HELP = (
    "Frechet distance: how much the means and the spreads of the two sides differ. 0 means no difference; the larger it is, the less training "
    "on one side helps on the other."
)


def main() -> None:
    PAGE.show_head()
    show_tabs("shifts", {"How far apart": _distances, "What holds up": benchmarks.show}, current_view())


@show_errors()
def _distances(view: View) -> None:
    if not PAGE.suits(view.base.table):
        aspect_labels.offer(view, "This page splits classes into train and test, and these images have no classes yet.")
        return
    shown = choose_splits(view)
    if shown is None:
        return
    aspect_labels.caution(shown.attributes)
    if shown.problem:
        st.warning(plain(shown.problem), icon=":material/warning:")
    with st.container():  # at the same place in every run
        st.fragment(_draw_step)(view, shown)
    st.subheader("Save splits", divider="gray")
    shift_splits.save(shown.splits)


def _draw_step(view: View, shown: Progression) -> None:
    splits = {split.name: split for split in shown.splits}
    names = list(splits)
    chosen = "start" if "start" in names else names[0]
    if len(names) > 1:
        chosen = st.select_slider("Step", names, chosen, format_func=plain, key="shift_step", bind="query-params", help=_STEPS_HELP)
    split, place = splits[chosen], names.index(chosen)
    before = splits[names[place - 1]] if place else None
    changes = split.changes_from(before) if before else {}
    _numbers(split, splits.get("start"))
    st.markdown(_moves(changes) if before else "This is the first split. Each later split is compared with the one before it.")
    curve, classes = st.columns(2, gap="medium") if shown.classes else (st.container(), None)
    with curve:
        kinds = [name.partition(" ")[0] for name in names]
        kinds = [kind if kind in STEP_KINDS else "other" for kind in kinds]
        steps = pd.DataFrame({"name": names, "kind": kinds, "distance": [each.distance for each in shown.splits]})
        figure = distance_curve(steps, chosen, shown.references)
        st.plotly_chart(figure, theme="streamlit", key="shift_curve", config=_QUIET)
        st.caption(plain(_note(shown)))
    if classes is None or shown.classes is None:
        return
    moved = {name for side in changes.values() for name in side}
    with classes:
        figure = class_sides(_map(shown.classes, shown.positions, split, moved))
        st.plotly_chart(figure, theme="streamlit", key="shift_map", config=_QUIET)
        st.caption("Each point is the mean of a class; nearby classes are similar in this space. Hover to see a name.")
    sections = [_pictures(shown.classes, title, side, moved) for title, side in (("training", split.train), ("test", split.test))]
    gallery(sections, thumbnails=view.thumbnails, key="shift_pictures", tile=_TILE, layout="columns")


def _numbers(split: ClassSplit, start: ClassSplit | None) -> None:
    times = "the start" if start is split else f"{split.distance / start.distance:.2f} times the start" if start and start.distance else None
    with st.container(border=True):
        distance, train, test = st.columns([2, 1, 1])
        distance.metric(
            "Distance between train and test", f"{split.distance:.3g}", times, delta_color="off", delta_arrow="off", help=_DISTANCE_HELP
        )  # fmt: skip
        train.metric("Training classes", len(split.train))
        test.metric("Test classes", len(split.test))


def _moves(changes: dict[str, tuple[str, ...]]) -> str:
    """Which classes moved in this step."""
    words = {"to train": ("moves", "move", " to train"), "to test": ("moves", "move", " to test")}
    words |= {side: ("is", "are", f" {side}") for side in ("removed", "added")}
    moves = [f"{_named(names)} {words[side][len(names) > 1]}{words[side][2]}" for side in words if (names := changes.get(side, ()))]
    return f"In this step, {listed(moves)}." if moves else "In this step, no class moves."


def _named(names: Sequence[str]) -> str:
    shown = [f"**{plain(name)}**" for name in names[:_MOST_NAMED]]
    return listed([*shown, f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else shown)


def _note(shown: Progression) -> str:
    if not shown.is_built:
        measured = f", by features of {shown.splits.encoder}" if shown.splits.encoder else ""
        return f"Distances as the file has them{measured}. {shown.splits.note}".strip()
    if not shown.references:
        return "A class with a single image cannot be on both sides, so there are no distances to compare with."
    return "Dashed lines for comparison: classes assigned to the two sides at random, and the same classes on both sides."


def _map(classes: ImageClasses, positions: "np.ndarray", split: ClassSplit, moved: set[str]) -> pd.DataFrame:
    sides = dict.fromkeys(split.train, "train") | dict.fromkeys(split.test, "test")
    columns = {"name": classes.names, "x": positions[:, 0], "y": positions[:, 1], "side": [sides.get(name, "out") for name in classes.names]}
    return pd.DataFrame(columns | {"moved": [name in moved for name in classes.names]})


def _pictures(classes: ImageClasses, title: str, side: Sequence[str], moved: set[str]) -> Section:
    """Draws an image of some classes of a side, those that moved first."""
    first = dict(zip(*np.unique(classes.labels, return_index=True), strict=True))
    came, others = [name for name in side if name in moved], [name for name in side if name not in moved]
    spread = [others[place] for place in np.linspace(0, len(others) - 1, min(len(others), _PICTURES)).astype(int)]
    names = [*came, *spread][:_PICTURES]
    note = f"One picture for each of {len(names)} of the {len(side)} classes{', those that moved first' if came else ''}"
    rows = [int(first[classes.names.index(name)]) for name in names]
    return Section(f"Some {title} classes", rows, captions=names, note=note)


main()
