"""Splits of classes into train and test: built from a space or read from a file, with settings and downloads."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.data import ImageClasses
from likeness.errors import InputError
from likeness.io import decoded, parse_json
from likeness.projection import LayoutFailed, LayoutJob, pca_map
from likeness.shifts import (
    RANDOM_CLASSES,
    SAME_CLASSES,
    SplitFile,
    SplitOptions,
    build_splits,
    class_mean_features,
    divisible_classes,
    list_splits,
    read_splits,
    reference_distances,
    shipped_splits,
    splits_from,
    write_splits,
)
from likeness.space import Space
from parts import cached, filters, progress
from parts.class_choice import choose_classes
from parts.errors import toast_errors
from parts.names import free_name, name_problem
from parts.on_request import WorkRequest, jobs_on_request
from parts.plain import plain
from parts.sidebar import listed, readable
from parts.view import View
from server.access import check_may, refusal
from server.jobs import Job
from server.quotas import check_count
from server.visitors import SPLITS, own_dir
from state import Item

_FEW = 15  # classes: UMAP keeps neighborhoods of as many
_DRAWS = 5
_LONGEST = 90  # letters of a name that is suggested
_BUILT, _OPENED, _SHIPPED, _KEPT = "built", "opened", "shipped:", "kept:"
_HELP = {
    "splits": "A split says which classes a network is trained on and which it is tested on. Build splits from the left map, or open a file.",
    "per_step": "How many classes each side swaps or loses in a step. With many classes, a larger number gives fewer steps.",
    "easier": "Adds steps in which train and test become more similar than at the start.",
    "random": "Off: the first half of the classes, by name, is used for training.",
    "build": (
        "**How far can train and test drift apart?** Builds splits of the classes, from the start to the hardest: classes are swapped between the "
        "two sides, then removed, so that the distance grows."
    ),
    "count": "How many splits to save: the start and others, spread evenly over the distances.",
}


_uploaded = Item[tuple[str, bytes] | None](key="shift_opened")  # a file, as name and content


@dataclass(frozen=True, eq=False)
class Progression:
    """Splits from easy to hard, and their images.

    Attributes:
        splits: all splits.
        classes: classes of the images; None if they are not the splits' images, as described by `problem`.
        positions: positions of the classes on a map (c, 2).
        references: name -> distance to compare the start's with; empty if the splits were not built from this space.
        is_built: whether they were built from this space, not read from a file.
    """

    splits: SplitFile
    classes: ImageClasses | None = None
    positions: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 2), np.float32))
    references: dict[str, float] = field(default_factory=dict)
    is_built: bool = False
    problem: str = ""

    @property
    def attributes(self) -> tuple[str, ...]:
        own = self.splits.attribute
        return (own,) if isinstance(own, str) else tuple(own)

    @property
    def images(self) -> dict[str, int]:
        assert self.classes is not None
        return dict(zip(self.classes.names, np.bincount(self.classes.labels, minlength=len(self.classes.names)).tolist(), strict=True))


def choose_splits(view: View) -> Progression | None:
    """Draws the settings; returns the splits, or None while they are built or wait for a file.

    Raises:
        InputError: invalid settings or file.
    """
    own = list_splits(own_dir() / SPLITS)
    kept = {f"{_KEPT}{name}": f"{name} (yours)" for name in own}
    shipped = {f"{_SHIPPED}{name}": f"{name} (shipped)" for name in shipped_splits()}
    named = {_BUILT: "Built from the left map"} | kept | shipped | {_OPENED: "From a file"}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        keep: dict[str, Any] = {"persist_state": "session", "width": 240}
        choice = st.selectbox("Splits", list(named), format_func=named.get, key="shift_splits", help=_HELP["splits"], **keep)
        if choice == _BUILT:
            shared = [name for name in view.base.table.attributes if 2 <= filters.distinct(view.frame, name) <= len(view.frame) // 2]
            attributes, options = tuple(choose_classes(shared, "shift_classes")), _options()
    if choice == _BUILT:
        if not attributes:
            raise InputError("Choose at least one label that defines the classes.")
        begun = jobs_on_request("Build splits", _HELP["build"], _build(view, attributes, options))
        return begun[0].result if begun and progress.follow(*begun) else None
    name = choice.removeprefix(_SHIPPED).removeprefix(_KEPT)
    splits = _opened() if choice == _OPENED else read_splits(name if choice.startswith(_SHIPPED) else own[name])
    return None if splits is None else _read(view, splits)


def _options() -> SplitOptions:
    def kept(name: str) -> dict[str, Any]:
        return {"key": f"shift_{name}", "persist_state": "session", "help": _HELP[name]}

    with st.popover("Options", icon=":material/tune:"):
        per_step = st.number_input("Classes per step", 1, 10_000, **kept("per_step"))
        easier = st.toggle("Also easier splits", **kept("easier"))
        random = st.toggle("Start from random halves", **kept("random"))
    return SplitOptions(int(per_step), easier=easier, random=random)


@st.cache_resource(max_entries=32, show_spinner=False)
def _classes_by(dataset: str, attributes: tuple[str, ...]) -> ImageClasses:
    return divisible_classes(cached.table(dataset), attributes)


def _build(view: View, attributes: tuple[str, ...], options: SplitOptions) -> WorkRequest:
    """A request for the `Progression` of splits."""
    space, classes, encoder = view.a, _classes_by(view.entry.id, attributes), view.entry.encoder
    attribute = attributes[0] if len(attributes) == 1 else attributes

    def work(job: Job) -> Progression:
        means = class_mean_features(space.vectors, classes.labels, len(classes.names))
        splits = build_splits(means, classes, options, dataset=space.table.name, attribute=attribute, encoder=encoder)
        return Progression(splits, classes, _positions(means), _references(space, classes, splits, job), True)

    return WorkRequest("splits", (view.entry.id, space.key, attributes, options), "Building splits", work, {"stoppable": False, "unit": "draws"})


def _references(space: Space, classes: ImageClasses, splits: SplitFile, job: Job) -> dict[str, float]:
    """Reference distances for the start; empty if a class has a single image, which cannot be on both sides."""
    if int(np.bincount(classes.labels).min()) < 2:
        return {}
    place = {name: number for number, name in enumerate(classes.names)}
    train, test = ([place[name] for name in side] for side in (splits.named("start").train, splits.named("start").test))
    table = reference_distances(space.vectors, classes.labels, train, test, _DRAWS, progress=job.report, images=False)
    distances = table.set_index("reference")["distance"]
    return {"Classes drawn at random": float(distances[RANDOM_CLASSES]), "Same classes on both sides": float(distances[SAME_CLASSES])}


def _positions(means: NDArray[np.float64]) -> NDArray[np.float32]:
    """Positions of the classes (c, 2): UMAP of their means, or PCA if they are few."""
    try:
        return pca_map(means) if len(means) < _FEW else LayoutJob(means).result()
    except LayoutFailed:  # the PCA shows the same classes, if less clearly
        return pca_map(means)


def _read(view: View, splits: SplitFile) -> Progression | None:
    """The splits of a file, None while they are laid out; without classes and with the reason if these images lack them."""
    found, table, space = Progression(splits), view.base.table, view.a
    message = f"These splits are of {splits.dataset}, by {listed([readable(name).lower() for name in found.attributes])}"
    remedy = "Only distances are shown. Choose the images of these splits in the sidebar to see the classes."
    if any(name not in table.attributes for name in found.attributes):
        return Progression(splits, problem=f"{message}, which {table.name} does not have. {remedy}")
    classes = _classes_by(view.entry.id, found.attributes)
    missing = sorted({name for split in splits for name in (*split.train, *split.test)} - set(classes.names))
    if missing:
        return Progression(splits, problem=f"{message}, and {table.name} has no '{missing[0]}'. {remedy}")

    def work(job: Job) -> Progression:
        return Progression(splits, classes, _positions(class_mean_features(space.vectors, classes.labels, len(classes.names))))

    job = WorkRequest("splits", (view.entry.id, space.key, splits), "Reading splits", work, {"stoppable": False}).begin()
    return job.result if progress.follow(job) else None


def _opened() -> SplitFile | None:
    reason = refusal("edit")
    help = reason or "A file that was downloaded here or written by `likeness splits build`."
    given = st.file_uploader("A file of splits", "json", key="shift_file", help=help, disabled=bool(reason))
    if given is not None:
        _uploaded.set((given.name, given.getvalue()))
    if (opened := _uploaded.get()) is None:
        return None
    name, content = opened
    if given is None:
        st.caption(f"Opened: {plain(name)}")
    return splits_from(parse_json(decoded(content, f"'{name}'"), f"'{name}'"), f"'{name}'")


def save(splits: SplitFile) -> None:
    """Draws the row that downloads splits or saves them on this server."""
    most, stem = len(splits.splits), " ".join([splits.dataset, *Progression(splits).attributes])
    if most < 2:
        st.caption("There is only one split.")
        return
    kept = list_splits(own_dir() / SPLITS)
    suggested = free_name(re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:_LONGEST], kept.__contains__)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        keep: dict[str, Any] = {"key": "shift_count", "persist_state": "session", "help": _HELP["count"]}
        count = st.number_input("Splits to take", 2, most, min(4, most), width=130, **keep)
        chosen = splits.evenly(int(count))
        name = st.text_input("Name", suggested, key=f"shift_name_{suggested}", width=260)
        wrong = name_problem(name) or (f"You already have splits named {name}. Choose another name." if name in kept else "")
        content = (json.dumps(chosen.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n").encode()
        file = f"{name if not wrong else 'splits'}.json"
        st.download_button("Download", content, file, "application/json", icon=":material/download:", on_click="ignore", key="shift_download")
        reason = refusal("edit")
        shut: dict[str, Any] = {"disabled": bool(wrong or reason), "help": reason or None}
        st.button("Save here", icon=":material/bookmark_add:", key="shift_keep", on_click=_keep, args=(name, chosen), **shut)
    message = ", ".join(f"{plain(split.name)} ({split.distance:.3g})" for split in chosen)
    st.caption(plain(wrong) or f"{message}. Saved splits appear under Splits above, and in benchmarks.")


@toast_errors("The splits could not be saved")
def _keep(name: str, splits: SplitFile) -> None:
    check_may("edit")
    check_count(own_dir() / SPLITS, "splits")
    write_splits(own_dir() / SPLITS / f"{name}.json", splits)
    st.toast(f"Saved as {plain(name)}", icon=":material/check:")
