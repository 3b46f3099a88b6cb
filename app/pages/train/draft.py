"""The config that is being edited on Train: its YAML as typed. Kept on disk under a token in the URL, so that no rerun or reload loses it."""

import re
import secrets
from typing import Any

import pandas as pd
import streamlit as st

import added_labels
from access import redact, refusal, shared_name
from config_access import dataset_of
from likeness.data import image_classes, is_published_source
from likeness.errors import InputError
from likeness.io import parse_yaml, runs_dir
from likeness.training import RunConfig, as_yaml, config_from, fitting_batch, read_config, with_changes
from quotas import write_draft
from shared import cached
from shared.networks import network_of
from shared.view import current_view
from visitors import draft_file, is_own_draft

FIRST = "shipped-cars-elg"
_LONGEST = 64  # of a token
_LONGEST_TEXT = 100_000


def text() -> str:
    """The YAML as typed, valid or not; before anything is typed, a config for the images that are chosen."""
    if "train_text" not in st.session_state:
        token = st.query_params.get("config", "")
        kept = draft_file(_name(token)) if token.isascii() and token.isalnum() and len(token) <= _LONGEST else None
        if not kept or not kept.is_file():
            return as_yaml(_opening())
        st.session_state["train_token"] = token
        st.session_state["train_text"] = kept.read_text(encoding="utf-8", errors="replace")
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
    st.session_state["train_text"] = content
    st.session_state.pop("train_refused", None)
    write_draft(_name(token), content.encode())


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
