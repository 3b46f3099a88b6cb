"""Splits of classes into train and test: built from a space or read from a file, the settings that choose them, and files of them."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
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
from parts.on_request import WorkRequest, jobs_on_request
from parts.plain import plain
from parts.sidebar import listed, readable
from parts.view import View
from server.access import check_may, redact, refusal
from server.jobs import Job, run_in_background
from server.quotas import check_count
from server.visitors import splits_dir
from state import Item

_FEW = 15  # classes: UMAP keeps neighborhoods of as many
_DRAWS = 5


class _Choices:
    """What the settings hold: which splits, the labels that define classes, an opened file as name and content, and how many splits to save."""

    prefix = "shift_"
    splits = Item[str | None]()
    classes = Item[list[str] | None]()
    opened = Item[tuple[str, bytes] | None]()
    count = Item(4)


choices = _Choices()


@dataclass(frozen=True, eq=False)
class Progression:
    """Splits from easy to hard, and the images that they divide.

    Attributes:
        splits: all of them.
        dataset: the catalog's id of the images.
        space: whose vectors they are shown by.
        classes: of the images; None where the images are not those of the splits, as `problem` says.
        built: from this very space, so that its references can be compared with the distances.
    """

    splits: SplitFile
    dataset: str
    space: Space
    classes: ImageClasses | None
    built: bool
    problem: str = ""

    @property
    def attributes(self) -> tuple[str, ...]:
        """What the class of an image is."""
        own = self.splits.attribute
        return (own,) if isinstance(own, str) else tuple(own)


@st.cache_resource(max_entries=32, show_spinner=False)
def classes_by(dataset: str, attributes: tuple[str, ...]) -> ImageClasses:
    """The classes of a dataset's images.

    Raises:
        InputError: as `divisible_classes`.
    """
    return divisible_classes(cached.table(dataset), attributes)


def build(dataset: str, space: Space, attributes: tuple[str, ...], encoder: str, options: SplitOptions) -> WorkRequest:
    """Work that builds splits; its result is a `SplitFile`.

    Raises:
        InputError: as `classes_by`.
    """
    classes = classes_by(dataset, attributes)

    def work(job: Job) -> SplitFile:
        attribute = attributes[0] if len(attributes) == 1 else attributes
        means = class_means(dataset, space, attributes)
        return build_splits(means, classes.names, options, dataset=space.table.name, attribute=attribute, encoder=encoder)

    key = (dataset, space.key, attributes, options)
    return WorkRequest("splits", key, "Building splits", work, {"stoppable": False})


def class_means(dataset: str, space: Space, attributes: tuple[str, ...]) -> NDArray[np.float64]:
    """The mean vector (c, d) of each class."""
    return _means(dataset, space.key, attributes, space)


@st.cache_resource(max_entries=32, show_spinner=False)
def _means(dataset: str, key: str, attributes: tuple[str, ...], _space: Space) -> NDArray[np.float64]:
    classes = classes_by(dataset, attributes)
    return class_mean_features(_space.vectors, classes.labels, len(classes.names))


def references(shown: Progression) -> Job:
    """The job that measures distances to compare the start with; its result is name -> distance."""
    assert shown.classes is not None
    classes, start = shown.classes, shown.splits.named("start")
    place = {name: number for number, name in enumerate(classes.names)}
    train, test = ([place[name] for name in side] for side in (start.train, start.test))

    def work(job: Job) -> dict[str, float]:
        table = reference_distances(shown.space.vectors, classes.labels, train, test, _DRAWS, progress=job.report, images=False)
        of_means = table.set_index("reference")["distance"]
        return {"Classes drawn at random": float(of_means[RANDOM_CLASSES]), "Same classes on both sides": float(of_means[SAME_CLASSES])}

    return run_in_background("shift references", (shown.dataset, shown.space.key, shown.attributes, start.train), "References", work)


def layout(shown: Progression) -> LayoutJob | None:
    """The map of the class means on its way; None where there are so few that they have their PCA."""
    assert shown.classes is not None
    return None if len(shown.classes.names) < _FEW else _layout(shown.dataset, shown.space.key, shown.attributes, shown.space)


@st.cache_resource(max_entries=32, show_spinner=False)
def _layout(dataset: str, key: str, attributes: tuple[str, ...], _space: Space) -> LayoutJob:
    return LayoutJob(class_means(dataset, _space, attributes))


def positions(shown: Progression) -> NDArray[np.float32]:
    """Where the classes lie (c, 2): UMAP where it is ready, else the PCA of their means."""
    job = layout(shown)
    flat = _flat(shown.dataset, shown.space.key, shown.attributes, shown.space)
    if job is None or not job.done:
        return flat
    try:
        return job.result()
    except LayoutFailed:  # the PCA shows the same classes, if less clearly
        return flat


@st.cache_resource(max_entries=32, show_spinner=False)
def _flat(dataset: str, key: str, attributes: tuple[str, ...], _space: Space) -> NDArray[np.float32]:
    return pca_map(class_means(dataset, _space, attributes))


_PROCEDURES: dict[str, tuple[Any, Any]] = {
    "As in the paper": ("paper", "paper"),
    "Paper, removal by swap score": ("paper", "score"),
    "As in the authors' code": ("official", "official"),
}


def choose_splits(view: View) -> Progression | None:
    """Draws the settings; the splits, or None while they are being built or wait for a file.

    Raises:
        InputError: settings or a file that do not fit.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = splits_on_offer()
        if choices.splits not in named:
            choices.splits = BUILT
        choice = st.selectbox(
            "Splits",
            list(named),
            format_func=lambda each: named.get(each, each),
            key=_Choices.splits.key,
            width=240,
            persist_state="session",
            help="A split says which classes a network is trained on and which it is tested on. Build splits from the left map, or open a file.",
        )
        if choice == BUILT:
            attributes, options = _classes(view), _options()
    if choice == BUILT:
        if not attributes:
            raise InputError("Choose at least one label that defines the classes.")
        return _built(view, attributes, options)
    splits = read_choice(choice)
    return None if splits is None else _read(view, splits)


def _classes(view: View) -> tuple[str, ...]:
    frame, attributes = view.frame, view.base.table.attributes
    shared = [name for name in attributes if 2 <= filters.distinct(frame, name) <= len(frame) // 2]
    shipped = [name for name in ("car_color", "body_type") if name in shared]
    default = shipped if len(shipped) == 2 else ["class"] if "class" in shared else shared[:1]
    choices.classes = [name for name in (default if choices.classes is None else choices.classes) if name in shared]
    return tuple(
        st.multiselect(
            "Classes by",
            shared,
            format_func=readable,
            key=_Choices.classes.key,
            bind="query-params",
            placeholder="Choose one or more labels",
            help="The labels that define the classes. Several are combined: car color and body type give classes such as red pickup.",
        )
    )


def _options() -> SplitOptions:
    with st.popover("Options", icon=":material/tune:"):
        per_step = st.number_input(
            "Classes per step",
            1,
            10_000,
            key="shift_per_step",
            persist_state="session",
            help="How many classes each side swaps or loses in a step. With many classes, a larger number gives fewer steps.",
        )
        easier = st.toggle(
            "Also easier splits",
            key="shift_easier",
            persist_state="session",
            help="Adds steps in which train and test become more similar than at the start.",
        )
        random = st.toggle(
            "Start from random halves",
            key="shift_random",
            persist_state="session",
            help="Off: the first half of the classes, by name, is used for training.",
        )
        procedure = st.radio("Swaps and removals", list(_PROCEDURES), key="shift_procedure", persist_state="session", help=_PROCEDURE_HELP)
    return SplitOptions(int(per_step), *_PROCEDURES[str(procedure)], bool(easier), bool(random))


_PROCEDURE_HELP = (
    "In the paper, each step swaps the classes that are farthest from their own side and nearest to the other; then the classes nearest to the "
    "center of the other side are removed, or those with the highest swap score. The authors' code never swaps a class again within five steps."
)


def _built(view: View, attributes: tuple[str, ...], options: SplitOptions) -> Progression | None:
    help = (
        "**How far can train and test drift apart?** Builds splits of the classes, from the start to the hardest: classes are swapped between the "
        "two sides, then removed, so that the distance grows."
    )
    begun = jobs_on_request("Build splits", help, build(view.entry.id, view.a, attributes, view.entry.encoder, options))
    if begun is None or not progress.follow(*begun):
        return None
    return Progression(begun[0].result, view.entry.id, view.a, classes_by(view.entry.id, attributes), True)


def _read(view: View, splits: SplitFile) -> Progression:
    """The splits of a file; where these images do not have its classes, without them and with the reason."""
    attributes = (splits.attribute,) if isinstance(splits.attribute, str) else tuple(splits.attribute)
    table = view.base.table
    message = f"These splits are of {splits.dataset}, by {listed([readable(name).lower() for name in attributes])}"
    remedy = "Only distances are shown. Choose the images of these splits in the sidebar to see the classes."
    if any(name not in table.attributes for name in attributes):
        return Progression(splits, view.entry.id, view.a, None, False, f"{message}, which {table.name} does not have. {remedy}")
    classes = classes_by(view.entry.id, attributes)
    wanted = {name for split in splits for name in (*split.train, *split.test)}
    missing = sorted(wanted - set(classes.names))
    if missing:
        return Progression(splits, view.entry.id, view.a, None, False, f"{message}, and {table.name} has no '{missing[0]}'. {remedy}")
    return Progression(splits, view.entry.id, view.a, classes, False)


BUILT, OPENED = "built", "opened"
_SHIPPED, _KEPT = "shipped:", "kept:"
_LONGEST = 100


def splits_on_offer() -> dict[str, str]:
    """What splits can be looked at -> what people call it."""
    kept = {f"{_KEPT}{name}": f"{name} (yours)" for name in _kept()}
    shipped = {f"{_SHIPPED}{name}": f"{name} (shipped)" for name in shipped_splits()}
    return {BUILT: "Built from this space"} | kept | shipped | {OPENED: "From a file"}


def read_choice(choice: str) -> SplitFile | None:
    """The splits of a choice but BUILT; None while no file was opened.

    Raises:
        InputError: a file that does not fit.
    """
    if choice == OPENED:
        return _opened()
    name = choice.removeprefix(_SHIPPED).removeprefix(_KEPT)
    return read_splits(name if choice.startswith(_SHIPPED) else _kept()[name])


def _opened() -> SplitFile | None:
    reason = refusal("edit")
    help = reason or "A file that was downloaded here or written by `likeness splits build`."
    given = st.file_uploader("A file of splits", "json", key="shift_file", help=help, disabled=bool(reason))
    if given is not None:
        choices.opened = given.name, given.getvalue()
    if choices.opened is None:
        return None
    name, content = choices.opened
    if given is None:
        st.caption(f"Opened: {plain(name)}")
    return splits_from(parse_json(decoded(content, f"'{name}'"), f"'{name}'"), f"'{name}'")


def save(splits: SplitFile) -> None:
    """The row that downloads splits, or keeps them on this server."""
    most = len(splits.splits)
    if most < 2:
        st.caption("There is only one split.")
        return
    choices.count = min(max(choices.count, 2), most)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input(
            "Splits to take",
            2,
            most,
            key=_Choices.count.key,
            width=130,
            persist_state="session",
            help="How many splits to save: the start, and others that cover the range of distances evenly.",
        )
        chosen = splits.evenly(int(count))
        name = st.text_input("Name", _suggested(splits), key=f"shift_name_{_suggested(splits)}", width=260)
        content = (json.dumps(chosen.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n").encode()
        wrong = _wrong(name)
        st.download_button(
            "Download",
            content,
            f"{name if not wrong else 'splits'}.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
            key="shift_download",
        )
        reason = refusal("edit")
        st.button(
            "Save here",
            icon=":material/bookmark_add:",
            key="shift_keep",
            disabled=bool(wrong or reason),
            help=reason or None,
            on_click=_keep,
            args=(name, chosen),
        )
    message = ", ".join(f"{plain(split.name)} ({split.distance:.3g})" for split in chosen)
    st.caption(plain(wrong) or f"{message}. Saved splits appear under Splits above, and in benchmarks.")


def _keep(name: str, splits: SplitFile) -> None:
    try:
        check_may("edit")
        check_count(splits_dir(), "splits")
        write_splits(splits_dir() / f"{name}.json", splits)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
    except OSError as error:
        message = f"The splits could not be saved ({error.strerror or redact(error)}); make room, or download them."
        st.toast(plain(message), icon=":material/error:", duration="long")
    else:
        st.toast(f"Saved as {plain(name)}", icon=":material/check:")


def _wrong(name: str) -> str:
    if not name.strip() or any(sign in name for sign in "/\\\0:") or name.startswith(".") or len(name.encode()) > _LONGEST:
        return f"Enter a name of at most {_LONGEST} characters, without slashes or colons and not starting with a dot."
    return f"You already have splits called {name}. Choose another name." if name in _kept() else ""


def _suggested(splits: SplitFile) -> str:
    attributes = [splits.attribute] if isinstance(splits.attribute, str) else list(splits.attribute)
    stem = re.sub(r"[^a-z0-9]+", "-", " ".join([splits.dataset, *attributes]).lower()).strip("-")[: _LONGEST - 10]
    return next(name for name in (stem, *(f"{stem}-{number}" for number in range(2, 10_000))) if name not in _kept())


def _kept() -> dict[str, Path]:
    return list_splits(splits_dir())
