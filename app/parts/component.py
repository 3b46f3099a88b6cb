"""The app's custom components, and validation of all widget values that browsers send.

Browsers can send anything; an invalid value is ignored, so the widget has its default. Otherwise Streamlit would parse it by the widget's
declaration, and show a traceback in the page and the log where that fails.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, wraps
from typing import Any

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import Serialized, Value, WStates

from likeness.plots.linked_map import read_script, read_text

_PREFIX = "$$"  # of the ids that Streamlit gives
# Browsers send numbers as whole ones or not, whatever the widget has declared; its reader takes both.
_KINDS = {"int_value": "number", "double_value": "number", "int_array_value": "numbers", "double_array_value": "numbers"}


@cache
def renderer(name: str, *scripts: str) -> Any:
    """Returns the component of this name, built from its HTML, CSS and scripts; without these, from the script of its name."""
    script = read_script(*scripts or (name,))
    return st.components.v2.component(name, html=read_text(f"{name}.html"), css=read_text(f"{name}.css"), js=script)


def message(key: str, event: str) -> Mapping[str, object]:
    """The payload of a component's event in this run, empty without one. Browsers can send anything."""
    state = st.session_state.get(key)
    sent = state.get(event) if isinstance(state, Mapping) else None
    return sent if isinstance(sent, Mapping) else {}


class _SessionValues(Mapping[str, Any]):
    """The values of a session, each read on access: Streamlit's own class reads all of them for each field of a page, a tenth of a run."""

    _all = SafeSessionState.filtered_state.fget  # type: ignore[attr-defined]

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        with self._state._lock:
            return self._state._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_SessionValues._all(self._state))

    def __len__(self) -> int:
        return len(_SessionValues._all(self._state))


def check_widget_values() -> None:
    """Validates all widget values from now on, and makes fields look up only their own value; calling it again changes nothing."""
    if not hasattr(WStates.__getitem__, "__wrapped__"):
        WStates.__getitem__ = _checked(WStates.__getitem__)  # type: ignore[method-assign]
        WStates.set_widget_from_proto = _named(WStates.set_widget_from_proto)  # type: ignore[method-assign]
        SafeSessionState.filtered_state = property(_SessionValues)  # type: ignore[assignment, method-assign]


def _named(take: Any) -> Any:
    """Ignores values under names that are not widgets."""

    @wraps(take)
    def taken(states: WStates, sent: WidgetState) -> None:
        if sent.id.startswith(_PREFIX):
            take(states, sent)

    return taken


def _checked(read: Any) -> Any:
    @wraps(read)
    def value_of(states: WStates, widget: str) -> Any:
        sent, declared = states.states.get(widget), states.widget_metadata.get(widget)
        if not isinstance(sent, Serialized) or declared is None:
            return read(states, widget)
        with suppress(Exception):  # each widget's reader raises its own kinds
            if _fits(sent.value, declared):
                return read(states, widget)
        states.states[widget] = Value(declared.deserializer(None))
        return read(states, widget)

    return value_of


def _fits(sent: WidgetState, declared: Any) -> bool:
    """Whether a value has the widget's declared type and, if the widget has options, is among them."""
    kind = sent.WhichOneof("value")
    if kind is None or declared.value_type is None:  # a value that was taken back
        return True
    if _KINDS.get(kind, kind) != _KINDS.get(declared.value_type, declared.value_type) or (kind == "json_value" and not _is_state(sent.json_value)):
        return False
    chosen = {"string_value": [sent.string_value], "string_array_value": list(sent.string_array_value.data)}.get(kind, [])
    first = getattr(getattr(declared.deserializer, "__self__", None), "default_option_index", None)
    if kind == "string_array_value" and not chosen and first is not None:  # segmented controls with a default always have a value
        return False
    return declared.formatted_options is None or set(chosen) <= set(declared.formatted_options)


def _is_state(text: str) -> bool:
    """Whether a value is a component's state: names and values."""
    content = json.loads(text)
    return isinstance(json.loads(content) if isinstance(content, str) else content, dict)
