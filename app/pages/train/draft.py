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

from likeness.data import ImageClasses, image_classes, is_published_source
from likeness.errors import InputError
from likeness.io import parse_yaml, runs_dir, text_of
from likeness.training import RunConfig, as_yaml, config_from, fitting_batch, read_config, with_changes
from parts import cached
from parts.config_access import dataset_of
from parts.networks import network_of
from parts.three_way import merge_fields
from parts.view import current_view
from server import added_labels
from server.access import redact, refusal, shared_name
from server.quotas import write_draft
from server.visitors import draft_file, is_own_draft
from state import Item

FIRST = "shipped-cars-elg"
_LONGEST = 64  # of a token
_LONGEST_TEXT = 100_000
_lock = threading.Lock()  # of one tab at a time between reading a config and writing it


@dataclass(frozen=True)
class Clash:
    """What this tab and another one have both changed.

    Attributes:
        keys: dotted key -> its values here and there; none where the two texts cannot be put together.
        other: the text with the other tab's values.
    """

    keys: Mapping[str, tuple[Any, Any]]
    other: str


class _Draft:
    """What a session keeps of the config.

    Attributes:
        text: the YAML as typed, valid or not; None before anything is typed.
        token: of the link, and of the file on disk.
        base: the text as this tab last read or wrote it.
        clash: what another tab has changed too, until a person has chosen.
        refused: why the last change was not taken; empty where it was.
    """

    prefix = "train_"
    text = Item[str | None]()
    token = Item[str | None]()
    base = Item[str | None]()
    clash = Item[Clash | None]()
    refused = Item("")


session = _Draft()


def text() -> str:
    """The YAML as typed, valid or not; before anything is typed, a config for the images that are chosen."""
    content = session.text
    if content is None:
        token = st.query_params.get("config", "")
        kept = draft_file(_name(token)) if token.isascii() and token.isalnum() and len(token) <= _LONGEST else None
        if not kept or not kept.is_file():
            return as_yaml(_opening())
        session.token = token
        session.text = session.base = content = kept.read_text(encoding="utf-8", errors="replace")
    if session.token is not None:
        st.query_params["config"] = session.token
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
    except InputError:  # its folder is gone, say; the page shows why
        return []
    guessed = added_labels.made_by_encoder(attributes)
    return [*(name for name in attributes if name not in guessed), *guessed]


def of_classes(names: list[str], current: RunConfig) -> dict[str, Any]:
    """What changes in a config with the attributes that make a class, of which there is at least one."""
    changes = {"data.attribute": names[0] if len(names) == 1 else names}
    return changes | _batch_for(with_changes(current, changes))


def _classes_of(current: RunConfig) -> ImageClasses | None:
    """The classes of images that the app lists; None of others, which the run itself judges."""
    entry = dataset_of(current.data.source)
    try:
        return image_classes(cached.table(entry.id), current.data.attribute) if entry and current.data.split == "classes" else None
    except InputError:  # the page shows why
        return None


def count_classes(current: RunConfig) -> int:
    """How many classes the images of a config have; 0 where the app cannot tell."""
    classes = _classes_of(current)
    return len(classes.names) if classes else 0


def _batch_for(current: RunConfig) -> dict[str, Any]:
    """A batch that fits the classes of images that the app lists."""
    classes = _classes_of(current)
    return fitting_batch(current, pd.Series(classes.labels[classes.rows])) if classes else {}


def config() -> RunConfig:
    """What is typed, as a config.

    Raises:
        InputError: while it does not fit; the message names each key.
    """
    content = parse_yaml(text(), "The text")
    if content is None:
        raise InputError("The text is empty. Choose a preset to start from.")
    return config_from(content, "The config")


def take(content: str) -> None:
    """Makes `content` the config, valid or not; for a visitor who may not train, `session.refused` says why."""
    session.refused = refusal("train")
    if len(content) > _LONGEST_TEXT:
        session.refused = f"The config has {len(content):,} characters; the limit is {_LONGEST_TEXT:,}. Shorten it."
    if session.refused:
        return
    token = session.token
    if token is None or not is_own_draft(_name(token)):  # another visitor's, opened by a link, stays as it is
        token = session.token = secrets.token_hex(8)
    with _lock:
        theirs, base = _of_other_tab(), session.base
        content = content if theirs is None or base is None else _merge(base, content, theirs)
        session.text = session.base = content
        write_draft(_name(token), content.encode())


def follow_other_tabs() -> None:
    """Takes over what another tab has made of the config; called before the page is drawn, when all that was changed here is taken."""
    with _lock:
        theirs = _of_other_tab()
        if theirs is not None:
            session.text = session.base = theirs


def _of_other_tab() -> str | None:
    """The text as another tab has written it since this one last read or wrote it; None where no other one has."""
    token = session.token
    if token is None or refusal("train") or not is_own_draft(_name(token)):
        return None
    try:
        kept = text_of(draft_file(_name(token)))
    except InputError:  # gone or damaged: it is written again
        return None
    return None if kept == session.base else kept


def _merge(base: str, mine: str, theirs: str) -> str:
    """The text with the changes of both tabs; of what both changed, and of texts that are no configs, mine."""
    try:
        was, own, other = (_flat(parse_yaml(each, "The text")) for each in (base, mine, theirs))
        merged, clashes = merge_fields(was, own, other)
        found, swapped = (as_yaml(config_from(_nested(each), "The config")) for each in (merged, merged | {key: other.get(key) for key in clashes}))
    except InputError:
        session.clash = Clash({}, theirs)
        return mine
    if clashes:
        session.clash = Clash({key: (own.get(key), other.get(key)) for key in clashes}, swapped)
    return found


def _flat(content: Any, prefix: str = "") -> dict[str, Any]:
    """A nested mapping by dotted keys."""
    if not isinstance(content, Mapping):
        raise InputError("The text is not a mapping of keys.")
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


def settle_clash() -> None:
    """Keeps the values of this tab."""
    session.clash = None


def swap_clash() -> None:
    """Takes the other tab's values; those that stood here can be taken back."""
    found, before = session.clash, text()
    if found is not None:
        take(found.other)
        session.clash = Clash({key: (there, here) for key, (here, there) in found.keys.items()}, before)


def change(changes: dict[str, Any]) -> None:
    """Other values by dotted keys; what does not fit leaves the config as it is, and `session.refused` says why."""
    try:
        take(as_yaml(with_changes(config(), changes)))
    except InputError as error:
        session.refused = redact(error)


def _name(token: str) -> str:
    return f"{token}.yaml"
