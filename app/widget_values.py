"""What a browser says of a widget, read as that widget's own kind of value. Whoever is connected can send anything; what does not fit counts as
if nothing had been sent, and the widget is at its default. Streamlit reads each value with what the widget has declared, and answers what
that cannot read with a traceback in the page and in the log."""

import json
from functools import wraps
from typing import Any

from streamlit.runtime.state.session_state import Serialized, Value, WStates


def check_widget_values() -> None:
    """Checks every value that this process reads from now on; called again, it changes nothing."""
    if not hasattr(WStates.__getitem__, "__wrapped__"):
        WStates.__getitem__ = _checked(WStates.__getitem__)  # type: ignore[method-assign]


def _checked(read: Any) -> Any:
    @wraps(read)
    def value_of(states: WStates, widget: str) -> Any:
        sent, declared = states.states.get(widget), states.widget_metadata.get(widget)
        if isinstance(sent, Serialized) and declared is not None:
            if not _fits(sent.value, declared):
                return _default(states, widget, declared)
            try:
                return read(states, widget)
            except Exception:  # each widget's reader raises its own kinds
                return _default(states, widget, declared)
        return read(states, widget)

    return value_of


def _fits(sent: Any, declared: Any) -> bool:
    """Whether it is of the kind that the widget has declared and, where that has options, one of them or some."""
    kind = sent.WhichOneof("value")
    if kind is None or declared.value_type is None:  # a value that was taken back
        return True
    if kind != declared.value_type or (kind == "json_value" and not _is_state(sent.json_value)):
        return False
    chosen = {"string_value": [sent.string_value], "string_array_value": list(sent.string_array_value.data)}.get(kind, [])
    return declared.formatted_options is None or set(chosen) <= set(declared.formatted_options)


def _is_state(text: str) -> bool:
    """Whether it is what a component's state is: names and values. Streamlit logs a traceback for anything else."""
    try:
        content = json.loads(text)
        return isinstance(json.loads(content) if isinstance(content, str) else content, dict)
    except (ValueError, RecursionError):
        return False


def _default(states: WStates, widget: str, declared: Any) -> Any:
    states.states[widget] = Value(declared.deserializer(None))
    return states.states[widget].value
