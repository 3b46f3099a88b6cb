"""Shifts: how far train and test classes lie apart step by step, and benchmarks of methods as that distance grows."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from likeness.errors import InputError
from likeness.plots import STEP_KINDS, class_sides, distance_curve
from likeness.shifts import ClassSplit
from pages.shifts import PAGE, benchmarks, splits as shift_splits
from pages.shifts.splits import Progression, choose_splits
from parts import aspect_labels, progress
from parts.gallery import Section, gallery
from parts.plain import plain
from parts.sidebar import listed
from parts.view import View, current_view
from server.access import redact
from state import Item

_PICTURES = 8
_MOST_NAMED = 8
_TILE = 118
_APART, _HOLDS = "How far apart", "What holds up"


class _Choices:
    """step: name of the split that is shown."""

    prefix = "shift_"
    step = Item[str | None]()


choices = _Choices()


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head()
    distances, holding = st.tabs([_APART, _HOLDS], key="shifts", on_change="rerun", bind="query-params")
    if distances.open:
        with distances:
            _distances(view)
    if holding.open:
        with holding:
            benchmarks.show(view)


def _distances(view: View) -> None:
    if not view.base.table.attributes:
        aspect_labels.offer(view, "This page divides classes into train and test, and these images have no labels to use as classes.")
        return
    try:
        shown = choose_splits(view)
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    if shown is not None:
        aspect_labels.caution(shown.attributes)
        _show_steps(view, shown)


def _show_steps(view: View, shown: Progression) -> None:
    """Draws the splits."""
    if shown.problem:
        st.warning(plain(shown.problem), icon=":material/warning:")
    job = shift_splits.references(shown) if _comparable(shown) else None
    layout = shift_splits.layout(shown) if shown.classes else None
    progress.redraw_after(job)
    if layout is not None and not layout.done:
        progress.redraw_when(lambda: layout.done)
    with st.container():  # at the same place in every run
        st.fragment(_draw_step)(view, shown)
    st.subheader("Save splits", divider="gray")
    shift_splits.save(shown.splits)


def _comparable(shown: Progression) -> bool:
    return shown.built and shown.classes is not None and int(np.bincount(shown.classes.labels).min()) > 1


def _draw_step(view: View, shown: Progression) -> None:
    splits = {split.name: split for split in shown.splits}
    names = list(splits)
    if choices.step not in names:
        choices.step = "start" if "start" in names else names[0]
    chosen = names[0]
    if len(names) > 1:
        chosen = st.select_slider("Step", names, format_func=plain, key=_Choices.step.key, bind="query-params", help=_STEPS_HELP)
    split, place = splits[chosen], names.index(chosen)
    before = splits[names[place - 1]] if place else None
    changes = split.changes_from(before) if before else {}
    _numbers(shown, split)
    st.markdown(_moves(changes) if before else "This is the first split. Each later split is compared with the one before it.")
    curve, classes = st.columns(2, gap="medium") if shown.classes else (st.container(), None)
    with curve:
        st.plotly_chart(
            distance_curve(_steps(shown), chosen, _references(shown)), theme="streamlit", key="shift_curve", config={"displayModeBar": False}
        )
        st.caption(plain(_noted(shown)))
    if classes is None:
        return
    moved = {name for side in changes.values() for name in side}
    with classes:
        st.plotly_chart(class_sides(_map(shown, split, moved)), theme="streamlit", key="shift_map", config={"displayModeBar": False})
        st.caption("Each point is the mean of a class; nearby classes are similar in this space. Hover to see a name.")
    gallery(_pictures(shown, split, moved), thumbnails=view.thumbnails, key="shift_pictures", tile=_TILE, layout="columns")


_STEPS_HELP = (
    "From easy to hard. Swap: the two sides exchange the classes that are farthest from their own side and nearest to the other. "
    "Removal: once swaps no longer increase the distance, classes between the two sides are removed."
)


def _numbers(shown: Progression, split: ClassSplit) -> None:
    start = next((each for each in shown.splits if each.name == "start"), None)
    with st.container(border=True):
        distance, train, test = st.columns([2, 1, 1])
        times = "the start" if start is split else f"{split.distance / start.distance:.2f} times the start" if start and start.distance else None
        distance.metric(
            "Distance between train and test",
            f"{split.distance:.3g}",
            times,
            delta_color="off",
            delta_arrow="off",
            help="Frechet distance: how much the means and the spreads of the two sides differ. 0 means no difference; "
            "the larger it is, the less training on one side helps on the other.",
        )
        train.metric("Training classes", len(split.train))
        test.metric("Test classes", len(split.test))


def _moves(changes: dict[str, tuple[str, ...]]) -> str:
    """Which classes moved, in words."""
    moves = [
        f"{_named(names)} {words[len(names) > 1]}"
        for side, words in {
            "to train": ("moves to train", "move to train"),
            "to test": ("moves to test", "move to test"),
            "removed": ("is removed", "are removed"),
            "added": ("is added", "are added"),
        }.items()
        if (names := changes.get(side, ()))
    ]
    return f"In this step, {listed(moves)}." if moves else "In this step, no class moves."


def _named(names: Sequence[str]) -> str:
    shown = [f"**{plain(name)}**" for name in names[:_MOST_NAMED]]
    return listed([*shown, f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else shown)


def _steps(shown: Progression) -> pd.DataFrame:
    kinds = [split.name.partition(" ")[0] for split in shown.splits]
    kinds = [kind if kind in STEP_KINDS else "other" for kind in kinds]
    return pd.DataFrame({"name": [split.name for split in shown.splits], "kind": kinds, "distance": [split.distance for split in shown.splits]})


def _references(shown: Progression) -> dict[str, float]:
    job = shift_splits.references(shown) if _comparable(shown) else None
    return dict(job.result) if job is not None and job.finished and not job.error else {}


def _noted(shown: Progression) -> str:
    if not shown.built:
        measured = f" of {shown.splits.encoder}" if shown.splits.encoder else ""
        return f"Distances as the file has them{f', by features{measured}' if measured else ''}. {shown.splits.note}".strip()
    job = shift_splits.references(shown) if _comparable(shown) else None
    if job is not None and not job.finished:
        return "The dashed lines for comparison are still being measured."
    if job is None or job.error:
        return "A class with a single image cannot be on both sides, so there are no distances to compare with."
    return "Dashed lines, for comparison: classes assigned to the two sides at random, and the same classes on both sides."


def _map(shown: Progression, split: ClassSplit, moved: set[str]) -> pd.DataFrame:
    assert shown.classes is not None
    train, test, names = set(split.train), set(split.test), shown.classes.names
    where = shift_splits.positions(shown)
    return pd.DataFrame(
        {
            "name": names,
            "x": where[:, 0],
            "y": where[:, 1],
            "side": ["train" if name in train else "test" if name in test else "out" for name in names],
            "moved": [name in moved for name in names],
        }
    )


def _pictures(shown: Progression, split: ClassSplit, moved: set[str]) -> list[Section]:
    """An image of some classes of each side, first of those that moved."""
    assert shown.classes is not None
    numbers = {name: number for number, name in enumerate(shown.classes.names)}
    first = dict(zip(*np.unique(shown.classes.labels, return_index=True), strict=True))
    sections = []
    for words, side in (("training", split.train), ("test", split.test)):
        came = [name for name in side if name in moved]
        others = [name for name in side if name not in moved]
        spread = [others[place] for place in np.linspace(0, len(others) - 1, min(len(others), _PICTURES)).astype(int)]
        names = [*came, *spread][:_PICTURES]
        note = f"One picture for each of {len(names)} of the {len(side)} classes{', those that moved first' if came else ''}"
        sections.append(Section(f"Some {words} classes", [int(first[numbers[name]]) for name in names], captions=names, note=note))
    return sections


main()
