"""The config being edited on Train. Its YAML is saved to a file whose token is in the URL, so that no rerun or reload loses it.

Tabs with the same link share the file: each field changes its key in the current file. Replacing the whole text shows a message if another tab has
changed it.
"""

import re
import secrets
import threading
from contextlib import suppress
from typing import Any

import pandas as pd
import streamlit as st

from likeness.data import ImageTable, image_classes, is_published_source
from likeness.errors import InputError
from likeness.io import parse_yaml, runs_dir
from likeness.training import RunConfig, as_yaml, config_from, fitting_batch, read_config, with_changes
from parts import cached, names as folder_names
from parts.config_access import dataset_of
from parts.networks import network_of
from parts.view import current_view
from server import added_labels
from server.access import redact, refusal, shared_name
from server.quotas import write_draft
from server.visitors import draft_file, is_own_draft
from state import Item

FIRST = "shipped-cars-elg"
_TOKEN = re.compile(r"[0-9A-Za-z]{1,64}")
_LONGEST_NAME = 64
_LONGEST_TEXT = 100_000
_lock = threading.Lock()  # of one tab at a time between reading a config and writing it


class _Draft:
    """Per session: the YAML as last read or typed, valid or not; its file's token; and why the last change was rejected."""

    prefix = "train_"
    text = Item[str | None]()
    token = Item("")
    problem = Item("")


session = _Draft()


def text() -> str:
    """The YAML as typed, valid or not; at first, a config for the chosen images."""
    token = session.token or st.query_params.get("config", "")
    if _TOKEN.fullmatch(token) and (session.text is None or token != session.token or is_own_draft(_file(token))):
        with suppress(OSError):  # a link's config that does not exist, or no longer
            session.text = _written(token)
            session.token = token
    if session.token:
        st.query_params["config"] = session.token
    return as_yaml(_opening()) if session.text is None else session.text


def _opening() -> RunConfig:
    """The shipped preset for the chosen images, under a free name."""
    config, entry = read_config(FIRST), current_view().entry
    if entry.source == config.data.source:
        return with_changes(config, {"name": free_name(config.name)})
    name = re.sub(r"[^a-z0-9]+", "-", entry.name.lower()).strip("-")[:_LONGEST_NAME] or "run"
    network, size, _ = network_of(shared_name(entry.encoder))
    backbone = {"backbone.name": network, "data.image_size": size}
    changes = {"name": free_name(name), "data.attribute": "class", **of_source(shared_name(entry.source)), **backbone}
    config = with_changes(config, changes)
    return with_changes(config, _batch_for(config))


def free_name(name: str) -> str:
    """This name, or the next one with a number if a run has it."""
    return folder_names.free_name(name, lambda each: (runs_dir() / each).exists())


def of_source(source: str) -> dict[str, Any]:
    """Config changes for these images."""
    attributes = attributes_of(source)
    split = {} if is_published_source(source) else {"data.split": "classes", "data.labels": None}
    return {"data.source": source, "note": ""} | split | ({"data.attribute": attributes[0]} if attributes else {})


def table_of(source: str) -> ImageTable | None:
    """The listed images of a source; None if it is not listed, or cannot be read, which the page shows."""
    entry = dataset_of(source)
    with suppress(InputError):
        return cached.table(entry.id) if entry else None
    return None


def attributes_of(source: str) -> list[str]:
    """Attributes that a run can learn from, encoder's guesses last; empty for images that are not listed or cannot be read."""
    table = table_of(source)
    attributes = table.attributes if table else []
    guessed = added_labels.made_by_encoder(attributes)
    return [*(name for name in attributes if name not in guessed), *guessed]


def of_classes(names: list[str], current: RunConfig) -> dict[str, Any]:
    """Config changes for the attributes that define a class; at least one."""
    changes = {"data.attribute": names[0] if len(names) == 1 else names}
    return changes | _batch_for(with_changes(current, changes))


def _batch_for(current: RunConfig) -> dict[str, Any]:
    """A batch config that fits the classes of listed images."""
    table = table_of(current.data.source)
    if table is None or current.data.split != "classes":
        return {}
    try:
        classes = image_classes(table, current.data.attribute)
    except InputError:  # the page shows why
        return {}
    return fitting_batch(current, pd.Series(classes.labels[classes.rows]))


def config() -> RunConfig:
    """The typed text as a config.

    Raises:
        InputError: it is invalid; the message names each key.
    """
    content = parse_yaml(text(), "The text")
    if content is None:
        raise InputError("The text is empty. Choose a preset to start from.")
    return config_from(content, "The config")


def take(content: str) -> None:
    """Makes `content` the config, valid or not; sets `session.problem` for a visitor who may not train."""
    session.problem = refusal("train")
    if len(content) > _LONGEST_TEXT:
        session.problem = f"The config has {len(content):,} characters; the limit is {_LONGEST_TEXT:,}. Shorten it."
    if session.problem:
        return
    if not session.token or not is_own_draft(_file(session.token)):  # another visitor's, opened by a link, stays as it is
        session.token = secrets.token_hex(8)
    else:
        with suppress(OSError):
            if _written(session.token) not in (session.text, content):
                session.problem = "Another tab with this link had changed the config. This tab's text replaced it."
    session.text = content
    write_draft(_file(session.token), content.encode())


def change(changes: dict[str, Any]) -> None:
    """Changes values by dotted keys; an invalid change leaves the config as it is and sets `session.problem`."""
    try:
        with _lock:
            take(as_yaml(with_changes(config(), changes)))
    except InputError as error:
        session.problem = redact(error)


def _written(token: str) -> str:
    return draft_file(_file(token)).read_text(encoding="utf-8", errors="replace")


def _file(token: str) -> str:
    return f"{token}.yaml"
