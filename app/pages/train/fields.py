"""The settings of a run as fields, each bound to one key of the config; what has no field is in the text below them."""

import math
from collections.abc import Callable
from typing import Any

import streamlit as st

from likeness.data import SHIPPED_CARS, list_datasets, source_help
from likeness.errors import InputError
from likeness.labels import known_labels
from likeness.language import PRIMERS, short_names
from likeness.losses import OBJECTIVES, WRAPPERS, objectives_on
from likeness.training import RunConfig, native_size
from pages.train import draft as train_draft
from parts import cached, networks
from parts.config_access import dataset_of, resolve_backbone
from parts.sidebar import readable
from server.visitors import visitor

Changes = Callable[[Any], dict[str, Any]]

_MOST_EXACT = 2**53  # whole numbers that a browser tells apart
_NONE, _ELG, _PLG = "None", "Class names", "Pseudolabels"
_BY_CLASSES, _BY_LABELS = "Classes", "Numbers"


def show(config: RunConfig) -> None:
    """Draws the fields, those that most people change first and the others folded; what is changed goes into the draft at once."""
    _images(config)
    _network(config)
    with st.expander("More settings", icon=":material/tune:"):
        _objective(config)
        if not config.objective.continuous:
            _guidance(config)
        _training(config)


def _images(config: RunConfig) -> None:
    st.subheader("Images", divider="gray")
    data = config.data
    sources = {entry.source: entry.name for entry in list_datasets(visitor())}
    st.selectbox(
        "Images",
        _with(list(sources), data.source),
        format_func=lambda source: sources.get(source, source),
        help=f"Add more on the page Images. The text below also accepts: {source_help()}",
        **_bound("data.source", data.source, train_draft.of_source),
    )
    offered = _labels(data.source)
    if offered or data.split == "images":
        st.segmented_control(
            "Learn from",
            [_BY_CLASSES, _BY_LABELS],
            required=True,
            help="Classes: two images match or they do not. Numbers, such as viewpoints or poses: they match more or less.",
            **_bound("data.labels", _BY_CLASSES if data.labels is None else _BY_LABELS, lambda picked: _of_way(picked, offered, config)),
        )
    if data.split == "images":
        _scale(config, offered)
        return
    attributes = train_draft.attributes_of(data.source)
    unlabeled = not attributes and dataset_of(data.source) is not None
    named = [data.attribute] if isinstance(data.attribute, str) else list(data.attribute)
    now = [] if unlabeled else named
    st.multiselect(
        "Classes from",
        _with(attributes, *now),
        format_func=readable,
        placeholder="No labels yet" if unlabeled else "Choose one or more labels",
        disabled=unlabeled,
        help="Several labels are combined: car color and body type give classes such as red pickup.",
        **_bound("data.attribute", now, lambda names: train_draft.of_classes(names, config) if names else {}),
    )
    if data.split == "classes":
        help = "The other classes are held out: all figures are measured on them."
        _share("Classes to train on", 0.1, "data.train_classes", data.train_classes, help)


def _scale(config: RunConfig, offered: dict[str, dict[str, Any]]) -> None:
    """Which continuous labels, and how many images test."""
    data = config.data
    now = data.labels.model_dump(mode="json") if data.labels else {}
    names = {name: labels for name, labels in offered.items() if labels != now}
    current = next((name for name, labels in offered.items() if labels == now), readable(str(now.get("kind", ""))))
    st.selectbox(
        "Label",
        [current, *names],
        help="The network learns how far apart two images are by this label.",
        **_bound("data.labels.kind", current, lambda name: {"data.labels": names[name]} if name in names else {}),
    )
    if data.test_images < 1:
        help = "The last images are held out. If the images have a column named split, that column decides instead."
        _share("Images to test on", 0.05, "data.test_images", data.test_images, help)


def _labels(source: str) -> dict[str, dict[str, Any]]:
    """The continuous labels that these images have, by name."""
    entry = dataset_of(source)
    try:
        return {name: labels.model_dump(mode="json") for name, labels in known_labels(cached.table(entry.id)).items()} if entry else {}
    except InputError:  # its folder is gone, say; the page shows why
        return {}


def _of_way(picked: str, offered: dict[str, dict[str, Any]], config: RunConfig) -> dict[str, Any]:
    if picked == _BY_CLASSES:
        return {"data.labels": None, "data.split": "classes", "augment": True} | _of_objective(next(iter(objectives_on("classes"))), config)
    labels, batch = next(iter(offered.values()), None), config.batch
    # every image of a batch as an anchor, or an epoch would have as many steps as there are images
    anchors = {"batch.anchors": "all", "batch.drawn": max(1, batch.size // (batch.nearest + 1))}
    learned = {"data.labels": labels, "data.split": "images", "augment": "jitter", "guidance": None}
    return learned | anchors | _of_objective(next(iter(objectives_on("distances"))), config)


def _of_objective(name: str, config: RunConfig) -> dict[str, Any]:
    """An objective with the rest of the config that it allows."""
    none = dict.fromkeys(f"objective.{each}" for each in WRAPPERS) if OBJECTIVES[name].labels == "distances" else {}
    return {"objective.name": name, "objective.options": {}} | none


def _network(config: RunConfig) -> None:
    st.subheader("Network", divider="gray")
    backbone = config.backbone
    with st.container(horizontal=True, vertical_alignment="bottom"):
        networks.choose_network(
            "Start from",
            *([] if backbone.name in networks.NETWORKS else [backbone.name]),
            more_help="The text below also accepts a file.",
            **_bound("backbone.name", backbone.name, _of_network),
        )
        _number("Epochs", 1, 100_000, "epochs", config.epochs, width=130)
    st.toggle(
        "Train the last layer only",
        help="Trains an embedding layer on features that the network computes once. Takes seconds instead of hours, but gains less.",
        **_bound("backbone.head_only", backbone.head_only),
    )


def _of_network(name: str) -> dict[str, Any]:
    """A network with its own weights, which is shown images of its own size where that is known here."""
    changes = {"backbone.name": name, "backbone.weights": "pretrained", "backbone.options": {}}
    try:
        return changes | {"data.image_size": native_size(resolve_backbone(name))}
    except InputError:  # of no such name, say; the run says so
        return changes


def _objective(config: RunConfig) -> None:
    st.subheader("Objective", divider="gray")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Objective",
            _with(_objectives(config), config.objective.name),
            format_func=lambda name: OBJECTIVES[name].title,
            help=OBJECTIVES[config.objective.name].help,
            **_bound("objective.name", config.objective.name, lambda name: {"objective.name": name, "objective.options": {}}),
        )
        if not config.objective.continuous:
            st.toggle(
                "S2SD",
                help=WRAPPERS["s2sd"].help,
                **_bound("objective.s2sd", config.objective.s2sd is not None, lambda on: {"objective.s2sd": {} if on else None}),
            )


def _objectives(config: RunConfig) -> list[str]:
    return list(objectives_on("distances" if config.objective.continuous else "classes"))


def _guidance(config: RunConfig) -> None:
    st.subheader("Language guidance", divider="gray")
    chosen = config.guidance
    kind = _NONE if chosen is None else _PLG if chosen.kind == "plg" else _ELG
    st.segmented_control(
        "Guidance",
        [_NONE, _ELG, _PLG],
        required=True,
        label_visibility="collapsed",
        help="Class names: a language model rates how similar the class names are. Pseudolabels: it rates the ImageNet names that a classifier "
        "gives the classes; use them where the class names say little.",
        **_bound("guidance", kind, lambda picked: {"guidance": _of_kind(picked, config)}),
    )
    if chosen is None:
        st.caption("Labels only: any two classes count as equally different.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _number(
            "Weight (omega)",
            0.0,
            1000.0,
            "guidance.omega",
            chosen.omega,
            step=1.0,
            width=160,
            help="Weight of guidance relative to the objective. The paper uses 1 to 10.",
        )
        _number(
            "Shift (gamma)",
            -5.0,
            5.0,
            "guidance.gamma",
            chosen.gamma,
            step=0.5,
            width=160,
            help="The shift in Eq. 2 and 3 of the paper, which uses 1: images of different classes are pulled together too. 0 is milder.",
        )
        if chosen.kind == "plg":
            _number("Names per class (k)", 1, 100, "guidance.k", chosen.k, width=190)
    st.multiselect(
        "Language models",
        _with(list(short_names()), *chosen.language),
        accept_new_options=True,
        help="Several are averaged. minilm needs no download; others are fetched. wordnet and vectors:FILE work too.",
        **_bound("guidance.language", list(chosen.language), lambda models: {"guidance.language": models} if models else {}),
    )
    st.selectbox(
        "Sentence around the class name", _with(list(PRIMERS), chosen.primer), accept_new_options=True, **_bound("guidance.primer", chosen.primer)
    )


def _of_kind(picked: str, config: RunConfig) -> dict[str, Any] | None:
    before = config.guidance
    if picked == _NONE:
        return None
    kept = {"omega": before.omega, "gamma": before.gamma, "language": before.language, "primer": before.primer} if before else {"omega": 5.0}
    without_classifier = config.backbone.name.startswith("clip:") and config.data.source == SHIPPED_CARS.source
    shipped = {"pseudolabels": "synthetic-cars"} if picked == _PLG and without_classifier else {}
    return kept | {"kind": "plg" if picked == _PLG else "elg"} | shipped


def _training(config: RunConfig) -> None:
    st.subheader("Training", divider="gray")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _number("Dimensions", 2, 8192, "backbone.dim", config.backbone.dim or 512, width=120)
        batch = config.batch
        if config.objective.continuous:
            _number("Batch size", 3, 4096, "batch.size", batch.size, width=170)
            _number("Neighbors per anchor", 1, 512, "batch.nearest", batch.nearest, width=180)
        else:
            _number("Batch size", batch.per_class, 4096, "batch.size", batch.size, step=batch.per_class, width=170)
            _number("Images per class", 1, 512, "batch.per_class", batch.per_class, width=140)
        _number("Learning rate", 1e-8, 10.0, "optimizer.rate", config.optimizer.rate, step=1e-5, format="%.1e", width=160)
        _number("Seed", 0, 2**31, "seed", config.seed, width=130)


def _with(options: list[str], *more: str) -> list[str]:
    return [*options, *(each for each in more if each not in options)]


def _share(label: str, low: float, place: str, value: float, help: str) -> None:
    """A slider for a share from `low` to 0.9; one outside, which can stand in the text, is shown as it is."""
    st.slider(label, min(low, value), max(0.9, value), step=0.05, format="percent", help=help, **_bound(place, value))


def _number(label: str, low: float, high: float, place: str, value: float, *, width: int, **options: Any) -> None:
    """A field for a number from `low` to `high`; one outside, which can stand in the text, is shown as it is."""
    if not math.isfinite(value) or abs(value) > _MOST_EXACT:
        st.text_input(label, str(value), disabled=True, width=width, help="Out of range for this field. Change it in the text below.")
        return
    st.number_input(label, min(low, value), max(high, value), width=width, **options, **_bound(place, value))


def _bound(place: str, value: Any, changes: Changes | None = None) -> dict[str, Any]:
    """Arguments of a widget that shows `value` and writes what is chosen instead to the dotted key `place`, or what `changes` makes of it."""
    key = f"train_field_{place}"
    st.session_state[key] = value
    return {"key": key, "on_change": _take, "args": (key, changes or (lambda given: {place: given}))}


def _take(key: str, changes: Changes) -> None:
    train_draft.change(changes(st.session_state[key]))
