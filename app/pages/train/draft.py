"""The config that is being edited on Train: its YAML as typed. Kept on disk under a token in the URL, so that no rerun or reload loses it.

Several tabs may have the same link: what they change is put together by key.
"""

import re
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

import added_labels
from access import redact, refusal, shared_name
from config_access import dataset_of
from likeness.data import image_classes, is_published_source
from likeness.errors import InputError
from likeness.io import parse_yaml, runs_dir, text_of
from likeness.training import RunConfig, as_yaml, config_from, fitting_batch, read_config, with_changes
from quotas import write_draft
from shared import cached
from shared.networks import network_of
from shared.three_way import merge_fields
from shared.view import current_view
from visitors import draft_file, is_own_draft

FIRST = "shipped-cars-elg"
_LONGEST = 64  # of a token
_LONGEST_TEXT = 100_000
_READ, _CLASH = "train_read", "train_clash"  # of the session
_turn = threading.Lock()  # of one tab at a time between reading a config and writing it


@dataclass(frozen=True)
class Clash:
    """What this tab and another one have both changed.

    Attributes:
        keys: dotted key -> its values here and there; none where the two texts cannot be put together.
        other: the text with the other tab's values.
    """

    keys: Mapping[str, tuple[Any, Any]]
    other: str


def text() -> str:
    """The YAML as typed, valid or not; before anything is typed, a config for the images that are chosen."""
    if "train_text" not in st.session_state:
        token = st.query_params.get("config", "")
        kept = draft_file(_name(token)) if token.isascii() and token.isalnum() and len(token) <= _LONGEST else None
        if not kept or not kept.is_file():
            return as_yaml(_opening())
        st.session_state["train_token"] = token
        st.session_state["train_text"] = st.session_state[_READ] = kept.read_text(encoding="utf-8", errors="replace")
    if "train_token" in st.session_state:
        st.query_params["config"] = st.session_state["train_token"]
    content: str = st.session_state["train_text"]
    return content


def _opening() -> RunConfig:
    """The shipped preset, on the images that are chosen, under a name that is free."""
    config, entry = read_config(FIRST), current_view().entry
    if entry.source == config.data.source:
        return with_changes(config, {"name": free_name(config.name)})
    name = re.sub(r"[^a-z0-9]+", "-", entry.name.lower()).strip("-")[:_LONGEST] or "run"
    network, size, _ = network_of(shared_name(entry.encoder))
    backbone = {"backbone.name": network, "data.image_size": size}
    changes = {"name": free_name(name), "note": "", "data.attribute": "class", **of_source(shared_name(entry.source)), **backbone}
    config = with_changes(config, changes)
    return with_changes(config, _batch_for(config))


def free_name(name: str) -> str:
    """This name where no run has it, or else the next one with a number: "run-2"."""
    if not (runs_dir() / name).exists():
        return name
    stem, _, number = name.rpartition("-")
    base, first = (stem, int(number) + 1) if stem and number.isdigit() else (name, 2)
    return next(f"{base}-{each}" for each in range(first, first + 10_000) if not (runs_dir() / f"{base}-{each}").exists())


def of_source(source: str) -> dict[str, Any]:
    """What changes in a config with the images."""
    attributes = attributes_of(source)
    split = {} if is_published_source(source) else {"data.split": "classes", "data.labels": None}
    return {"data.source": source} | split | ({"data.attribute": attributes[0]} if attributes else {})


def attributes_of(source: str) -> list[str]:
    """Attributes that a run can learn from, those that an encoder has guessed last; none of images that are not listed, or cannot be read."""
    entry = dataset_of(source)
    try:
        attributes = cached.table(entry.id).attributes if entry else []
    except InputError:  # its folder is gone, say; the preview tells
        return []
    guessed = added_labels.made_by_encoder(attributes)
    return [*(name for name in attributes if name not in guessed), *guessed]


def of_classes(names: list[str], current: RunConfig) -> dict[str, Any]:
    """What changes in a config with the attributes that make a class, of which there is at least one."""
    changes = {"data.attribute": names[0] if len(names) == 1 else names}
    return changes | _batch_for(with_changes(current, changes))


def _batch_for(current: RunConfig) -> dict[str, Any]:
    """A batch that fits the classes of images that the app lists; nothing for others, which the run itself judges."""
    entry = dataset_of(current.data.source)
    try:
        classes = image_classes(cached.table(entry.id), current.data.attribute) if entry and current.data.split == "classes" else None
    except InputError:  # the preview tells
        return {}
    return fitting_batch(current, pd.Series(classes.labels[classes.rows])) if classes else {}


def config() -> RunConfig:
    """What is typed, as a config.

    Raises:
        InputError: while it does not fit; the message names each key.
    """
    content = parse_yaml(text(), "The text")
    if content is None:
        raise InputError("The text is empty, but a config is a mapping of keys such as data, backbone, objective; begin from a preset.")
    return config_from(content, "The config")


def take(content: str) -> None:
    """Makes `content` the config, valid or not; for a visitor who may not train, `refused` says why."""
    if refusal("train"):
        refuse(refusal("train"))
        return
    if len(content) > _LONGEST_TEXT:
        refuse(f"The config has {len(content):,} letters, and {_LONGEST_TEXT:,} are kept; shorten it.")
        return
    token = st.session_state.get("train_token")
    if token is None or not is_own_draft(_name(token)):  # another visitor's, opened by a link, stays as it is
        token = st.session_state["train_token"] = secrets.token_hex(8)
    with _turn:
        theirs, base = _of_other_tab(), st.session_state.get(_READ)
        content = content if theirs is None or base is None else _together(base, content, theirs)
        st.session_state["train_text"] = st.session_state[_READ] = content
        st.session_state.pop("train_refused", None)
        write_draft(_name(token), content.encode())


def follow_other_tabs() -> None:
    """Takes over what another tab has made of the config; called before the page is drawn, when all that was changed here is taken."""
    with _turn:
        theirs = _of_other_tab()
        if theirs is not None:
            st.session_state["train_text"] = st.session_state[_READ] = theirs


def _of_other_tab() -> str | None:
    """The text as another tab has written it since this one last read or wrote it; None where no other one has."""
    token = st.session_state.get("train_token")
    if token is None or refusal("train") or not is_own_draft(_name(token)):
        return None
    try:
        kept = text_of(draft_file(_name(token)))
    except InputError:  # gone or damaged: what is here is written anew
        return None
    return None if kept == st.session_state.get(_READ) else kept


def _together(base: str, mine: str, theirs: str) -> str:
    """The text with the changes of both tabs; of what both changed, and of texts that are no configs, mine."""
    try:
        was, own, other = (_flat(parse_yaml(each, "The text")) for each in (base, mine, theirs))
        merged, clashes = merge_fields(was, own, other)
        found, swapped = (as_yaml(config_from(_nested(each), "The config")) for each in (merged, merged | {key: other.get(key) for key in clashes}))
    except InputError:
        st.session_state[_CLASH] = Clash({}, theirs)
        return mine
    if clashes:
        st.session_state[_CLASH] = Clash({key: (own.get(key), other.get(key)) for key in clashes}, swapped)
    return found


def _flat(content: Any, prefix: str = "") -> dict[str, Any]:
    """A nested mapping by dotted keys."""
    if not isinstance(content, Mapping):
        raise InputError("The text is no mapping of keys.")
    flat: dict[str, Any] = {}
    for name, value in content.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) and value else {f"{prefix}{name}": value}
    return flat


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """What `_flat` made flat."""
    content: dict[str, Any] = {}
    for key, value in flat.items():
        *above, name = key.split(".")
        place = content
        for part in above:
            place = place[part] if isinstance(place.get(part), dict) else place.setdefault(part, {})
        place[name] = value
    return content


def clash() -> Clash | None:
    """What this tab and another one have both changed, until a person has chosen."""
    found: Clash | None = st.session_state.get(_CLASH)
    return found


def settle_clash() -> None:
    """What stands here stays."""
    st.session_state.pop(_CLASH, None)


def swap_clash() -> None:
    """Takes the other tab's values; those that stood here can be taken back."""
    found, before = clash(), text()
    if found is not None:
        take(found.other)
        st.session_state[_CLASH] = Clash({key: (there, here) for key, (here, there) in found.keys.items()}, before)


def change(changes: dict[str, Any]) -> None:
    """Other values by dotted keys; what does not fit leaves the config as it is, and `refused` says why."""
    try:
        take(as_yaml(with_changes(config(), changes)))
    except InputError as error:
        refuse(redact(error))
    else:
        st.session_state.pop("train_refused", None)


def refuse(why: str) -> None:
    """Leaves the config as it is; `refused` says why."""
    st.session_state["train_refused"] = why


def refused() -> str:
    """Why the last change was not taken; empty where it was."""
    why: str = st.session_state.get("train_refused", "")
    return why


def _name(token: str) -> str:
    return f"{token}.yaml"
