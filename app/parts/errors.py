"""Shows each InputError once: in a box on the page, or in a toast after a click."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from likeness.errors import InputError
from parts.plain import plain, prose
from server.access import redact
from state import Item

_shown = Item[set[str]](make=set, key="problems_shown")  # sentences that stand on the page


def begin() -> None:
    """Forgets the errors shown in the last run; called first in each run."""
    _shown.set(set())


def is_new(problem: str) -> bool:
    """Whether this error is not shown on the page yet; marks it as shown."""
    new = problem not in _shown.get()
    _shown.get().add(problem)
    return new


@contextmanager
def show_errors() -> Iterator[None]:
    """Turns an InputError into a box, in place of the rest of the block."""
    try:
        yield
    except InputError as error:
        st.error(prose(redact(error)), icon=":material/error:")


@contextmanager
def toast_errors(failure: str = "This could not be saved") -> Iterator[None]:
    """For click handlers: turns an InputError into a toast. `failure` is the message if a file cannot be written."""
    try:
        yield
    except InputError as error:
        st.toast(prose(redact(error)), icon=":material/error:", duration="long")
    except OSError as error:
        reason = plain(redact(error.strerror or error))
        st.toast(f"{failure} ({reason}). Free some space, then try again.", icon=":material/error:", duration="long")
