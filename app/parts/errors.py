"""An InputError as people see it: a box on the page, or a toast after a click; and each cause said once."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from likeness.errors import InputError
from parts.plain import plain
from server.access import redact
from state import Item

_shown = Item[set[str]](make=set, key="problems_shown")  # sentences that stand on the page


def begin() -> None:
    """Nothing has been said yet; called first in each run."""
    _shown.set(set())


def is_new(problem: str) -> bool:
    """Whether this sentence stands nowhere on the page yet, as in the sidebar; from now on it does."""
    new = problem not in _shown.get()
    _shown.get().add(problem)
    return new


@contextmanager
def show_errors() -> Iterator[None]:
    """An error within becomes a box with its sentence, in place of what was still to be drawn."""
    try:
        yield
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")


@contextmanager
def toast_errors(failure: str = "This could not be saved") -> Iterator[None]:
    """For what a click does: an error within becomes a toast. `failure`: says so where a file cannot be written."""
    try:
        yield
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
    except OSError as error:
        reason = plain(redact(error.strerror or error))
        st.toast(f"{failure} ({reason}). Free some space, then try again.", icon=":material/error:", duration="long")
