"""The config that is being edited on Train: its YAML as typed. Kept on disk under a token in the URL, so that no rerun or reload loses it."""

import secrets
from typing import Any

import streamlit as st

from access import redact, refusal
from likeness.errors import InputError
from likeness.io import parse_yaml
from likeness.training import RunConfig, as_yaml, config_from, read_config, with_changes
from quotas import write_draft
from visitors import draft_file, is_own_draft

FIRST = "shipped-cars-elg"
_LONGEST = 64  # of a token
_LONGEST_TEXT = 100_000


def text() -> str:
    """The YAML as typed, valid or not."""
    if "train_text" not in st.session_state:
        token = st.query_params.get("config", "")
        kept = draft_file(_name(token)) if token.isascii() and token.isalnum() and len(token) <= _LONGEST else None
        if kept and kept.is_file():
            st.session_state["train_token"] = token
        st.session_state["train_text"] = (
            kept.read_text(encoding="utf-8", errors="replace") if kept and kept.is_file() else as_yaml(read_config(FIRST))
        )
    if "train_token" in st.session_state:
        st.query_params["config"] = st.session_state["train_token"]
    content: str = st.session_state["train_text"]
    return content


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
