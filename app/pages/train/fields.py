"""The settings of a run as fields, each bound to a config key, whose model defines the bounds; other keys are edited in the text below."""

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import streamlit as st

from likeness.data import CAPTION_COLUMN, CAPTIONS_COLUMN, SHIPPED_CARS, list_datasets, source_help
from likeness.errors import InputError
from likeness.labels import LabelsConfig, known_labels
from likeness.language import PRIMERS, short_names
from likeness.losses import WRAPPERS, find_objective, objectives_on
from likeness.training import RunConfig, native_size
from pages.train import draft
from parts import networks
from parts.config_access import dataset_of, resolve_backbone
from parts.sidebar import readable
from server.visitors import visitor

Changes = Callable[[Any], dict[str, Any]]

_MOST_EXACT = 2**53  # whole numbers that a browser tells apart
_CLASSES, _CAPTIONS = "Classes", "Captions"
_CLIP = "clip:cars"  # the CLIP that captions train where another kind of network was chosen
_GUIDANCE: dict[str, str | None] = {"None": None, "Class names": "elg", "Pseudolabels": "plg"}


def show(config: RunConfig) -> None:
    """Draws the fields, the most common first, the others folded; changes go into the draft at once."""
    st.subheader("Images", divider="gray")
    _images(config)
    st.subheader("Network", divider="gray")
    _network(config)
    with st.expander("More settings", icon=":material/tune:"):
        st.subheader("Objective", divider="gray")
        _objective(config)
        if not config.objective.continuous and config.data.split != "images":
            st.subheader("Language guidance", divider="gray")
            _guidance(config)
        st.subheader("Training", divider="gray")
        _training(config)


def _images(config: RunConfig) -> None:
    data, sources = config.data, {entry.source: entry.name for entry in list_datasets(visitor())}
    st.selectbox(
        "Images",
        _with(list(sources), data.source),
        format_func=lambda source: sources.get(source, source),
        help=f"Add more on the page Images. The text below also accepts: {source_help()}",
        **bound("data.source", data.source, draft.of_source),
    )
    table = draft.table_of(data.source)
    offered = known_labels(table) if table else {}
    captions = [_CAPTIONS] if table and {CAPTION_COLUMN, CAPTIONS_COLUMN} & set(table.frame.columns) else []
    if offered or captions or data.split == "images":
        known = next((name for name, labels in offered.items() if labels == data.labels), None)
        known = _CAPTIONS if config.objective.on_captions else known
        learned = known or (readable(data.labels.kind) if data.labels else _CLASSES)
        st.selectbox(
            "Learn from",
            _with([_CLASSES, *captions, *offered], learned),
            help="Classes: two images match or they do not. Captions: an image matches its own sentences; both sides of a CLIP are trained. Numbers, "
            "such as viewpoints or poses: images match more or less, by their difference.",
            **bound("data.labels", learned, lambda picked: {"note": ""} | _of_labels(picked, offered, config)),  # a preset's note is of its own task
        )
    if data.split == "images":
        if data.test_images < 1:
            help = "The last images are held out. If the images have a column named split, that column decides instead."
            _share("Images to test on", "data.test_images", data.test_images, help)
        return
    attributes = draft.attributes_of(data.source)
    unlabeled = not attributes and dataset_of(data.source) is not None
    current = [] if unlabeled else [data.attribute] if isinstance(data.attribute, str) else list(data.attribute)
    st.multiselect(
        "Classes from",
        _with(attributes, *current),
        format_func=readable,
        placeholder="No labels yet" if unlabeled else "Choose one or more labels",
        disabled=unlabeled,
        help="Several labels are combined: car color and body type give classes such as red pickup.",
        **bound("data.attribute", current, lambda names: draft.of_classes(names, config) if names else {}),
    )
    if data.split == "classes":
        _share("Classes to train on", "data.train_classes", data.train_classes, "The other classes are held out: all metrics are measured on them.")


def _of_labels(picked: str, offered: dict[str, LabelsConfig], config: RunConfig) -> dict[str, Any]:
    """Config changes for what the run learns from; an objective of the same kind stays."""
    network = {"backbone.text": None, "optimizer.clip": None} if config.objective.on_captions and picked != _CAPTIONS else {}
    if picked == _CLASSES:
        return {"data.labels": None, "data.split": "classes", "augment": True, **_of_objective(next(iter(objectives_on("classes")))), **network}
    without = {"guidance": None, "data.split": "images", **dict.fromkeys(f"objective.{each}" for each in WRAPPERS)}
    if picked == _CAPTIONS:
        clip = {} if config.backbone.name.startswith("clip:") else _of_network(_CLIP)
        both = {"backbone.dim": None, "backbone.text": "train", "backbone.head_only": False, "backbone.train_from": None, "optimizer.clip": 1.0}
        return without | clip | both | {"data.labels": None, "augment": False} | _of_objective(next(iter(objectives_on("captions"))))
    if config.data.split == "images" and config.objective.continuous:
        return {"data.labels": offered[picked].model_dump(mode="json")}
    batch = config.batch
    return {
        **without,
        **network,
        "data.labels": offered[picked].model_dump(mode="json"),
        "augment": "jitter",
        # every image of a batch as an anchor, or an epoch would have as many steps as there are images
        "batch.anchors": "all",
        "batch.drawn": max(1, batch.size // (batch.nearest + 1)),
        **_of_objective(next(iter(objectives_on("distances")))),
    }


def _of_objective(name: str) -> dict[str, Any]:
    return {"objective.name": name, "objective.options": {}}


def _network(config: RunConfig) -> None:
    backbone = config.backbone
    with st.container(horizontal=True, vertical_alignment="bottom"):
        networks.choose_network(
            "Start from",
            *([] if backbone.name in networks.NETWORKS else [backbone.name]),
            more_help="The text below also accepts a file.",
            **bound("backbone.name", backbone.name, _of_network),
        )
        _number("Epochs", "epochs", config)
    if config.objective.on_captions:
        keep = bound("backbone.text", backbone.text == "keep", lambda on: {"backbone.text": "keep" if on else "train"})
        st.toggle("Keep the text side", help="Trains the image side alone, so that texts mean what they meant.", **keep)
        return
    st.toggle(
        "Train the last layer only",
        help="Trains an embedding layer on features that the network computes once. Takes seconds instead of hours but gains less.",
        **bound("backbone.head_only", backbone.head_only),
    )


def _of_network(name: str) -> dict[str, Any]:
    """A network with its weights and, if known here, its image size."""
    changes = {"backbone.name": name, "backbone.weights": "pretrained", "backbone.options": {}}
    try:
        return changes | {"data.image_size": native_size(resolve_backbone(name))}
    except InputError:  # an unknown name, for example; the run reports it
        return changes


def _objective(config: RunConfig) -> None:
    chosen = config.objective
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Objective",
            _with(list(objectives_on(find_objective(chosen.name).labels)), chosen.name),
            format_func=lambda name: find_objective(name).title,
            help=find_objective(chosen.name).help,
            **bound("objective.name", chosen.name, _of_objective),
        )
        if not chosen.continuous and not chosen.on_captions:
            s2sd = bound("objective.s2sd", chosen.s2sd is not None, lambda on: {"objective.s2sd": {} if on else None})
            st.toggle("S2SD", help=WRAPPERS["s2sd"].help, **s2sd)


def _guidance(config: RunConfig) -> None:
    chosen = config.guidance
    kind = next(title for title, name in _GUIDANCE.items() if name == (chosen and chosen.kind))
    st.segmented_control(
        "Guidance",
        list(_GUIDANCE),
        required=True,
        label_visibility="collapsed",
        help="Class names: a language model rates how similar the class names are. Pseudolabels: it rates the ImageNet names that a classifier "
        "gives the classes. Use them if the class names say little.",
        **bound("guidance", kind, lambda picked: {"guidance": _of_kind(_GUIDANCE[picked], config)} if picked else {}),
    )
    if chosen is None:
        st.caption("Labels only: any two classes count as equally different.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        help = "Weight of guidance relative to the objective. The paper uses 1 to 10."
        _number("Weight (omega)", "guidance.omega", config, help=help, step=1.0)
        help = "The shift in Eq. 2 and 3 of the paper, which uses 1: images of different classes are pulled together too. 0 is milder."
        _number("Shift (gamma)", "guidance.gamma", config, help=help, step=0.5)
        if chosen.kind == "plg":
            _number("Names per class (k)", "guidance.k", config)
    st.multiselect(
        "Language models",
        _with(list(short_names()), *chosen.language),
        accept_new_options=True,
        help="Several are averaged. minilm needs no download; others are fetched. wordnet and vectors:FILE work too.",
        **bound("guidance.language", list(chosen.language), lambda models: {"guidance.language": models} if models else {}),
    )
    primers = _with(list(PRIMERS), chosen.primer)
    st.selectbox("Sentence around the class name", primers, accept_new_options=True, **bound("guidance.primer", chosen.primer))


def _of_kind(kind: str | None, config: RunConfig) -> dict[str, Any] | None:
    if kind is None:
        return None
    kept = config.guidance.model_dump(include={"omega", "gamma", "language", "primer"}) if config.guidance else {"omega": 5.0}
    without_classifier = config.backbone.name.startswith("clip:") and config.data.source == SHIPPED_CARS.source
    return kept | {"kind": kind} | ({"pseudolabels": "synthetic-cars"} if kind == "plg" and without_classifier else {})


def _training(config: RunConfig) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _number("Dimensions", "backbone.dim", config)
        if config.objective.continuous:
            _number("Batch size", "batch.size", config)
            _number("Neighbors per anchor", "batch.nearest", config)
        elif config.objective.on_captions:
            _number("Batch size", "batch.size", config)
        else:
            _number("Batch size", "batch.size", config, step=config.batch.per_class)
            _number("Images per class", "batch.per_class", config)
        _number("Learning rate", "optimizer.rate", config, step=1e-5, format="%.1e")
        _number("Seed", "seed", config)


def _with(options: list[str], *more: str) -> list[str]:
    return list(dict.fromkeys([*options, *more]))


def _share(label: str, place: str, value: float, help: str) -> None:
    """A slider for a share; a value beyond its ends, set in the text, is shown as it is."""
    st.slider(label, min(0.05, value), max(0.95, value), step=0.05, format="percent", help=help, **bound(place, value))


def _number(label: str, place: str, config: RunConfig, **options: Any) -> None:
    """A number field within the bounds of the config's model; a number too large for a browser is shown as it is."""
    *above, name = place.split(".")
    part: Any = reduce(getattr, above, config)
    value = getattr(part, name)
    if value is not None and (not math.isfinite(value) or abs(value) > _MOST_EXACT):
        st.text_input(label, str(value), disabled=True, width=160, help="Out of range for this field. Change it in the text below.")
        return
    limits, kind = type(part).model_fields[name].metadata, float if isinstance(value, float) else int
    low, high = (next((kind(getattr(each, side)) for each in limits if hasattr(each, side)), None) for side in ("ge", "le"))
    default = None if value is None else "min"  # only what may be left to the backbone can be cleared
    st.number_input(label, low, high, default, width=160, placeholder="Default", **options, **bound(place, value))


def bound(place: str, value: Any, changes: Changes | None = None) -> dict[str, Any]:
    """Arguments of a widget that shows `value` and writes changes to the dotted key `place`, or as `changes` returns them."""
    key = f"train_field_{place}"
    st.session_state[key] = value
    return {"key": key, "on_change": _take, "args": (key, changes or (lambda given: {place: given}))}


def _take(key: str, changes: Changes) -> None:
    draft.change(changes(st.session_state[key]))
