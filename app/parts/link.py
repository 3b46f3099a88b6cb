"""Reads the parameters of a newly opened address once, and reports those that do not exist here.

Addresses are opened by a session's first run, and by Back and Forward. Widgets that Streamlit binds to the address read it themselves and drop
unknown values; `end` reports those. `State` declares how its values are stored.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from parts.plain import plain
from state import HEADINGS, Item, State

_NOW = {f"{method}_neighbours": f"{method}_neighbors" for method in ("umap", "pacmap", "trimap")}  # names that older links have
_LONGEST = 60  # letters of a value in a sentence


class _Link:
    """asked: parameters of the address, None once all were read. is_back: whether it comes from Back or Forward. taken: names already read. problems:
    messages about them. standing: the state after the last run, to detect an action."""

    prefix = "link_"
    asked = Item[dict[str, list[str]] | None]()
    is_back = Item(False)
    taken = Item[set[str]](make=set)
    problems = Item[list[str]](make=list)
    standing = Item[tuple[object, ...]](())


_link = _Link()


def begin(page: str) -> None:
    """Reads a newly opened address; called first in each run.

    Args:
        page: the page's path in the address.
    """
    context = get_script_run_ctx()
    back = context is not None and context.is_history_navigation
    if not _Link.asked.is_set() or back:
        _link.is_back = back
        _link.asked = {_NOW.get(name, name): st.query_params.get_all(name) for name in st.query_params}
        _link.taken, _link.problems = set(), []
    elif _link.asked is None and _link.standing != _standing(page):
        _link.problems = []  # from before the last action


def read(name: str) -> list[str] | None:
    """The values of a parameter; None if no address was opened since it was last read.

    After Back and Forward, a missing parameter means the default: an empty list.
    """
    if _link.asked is None or name in _link.taken:
        return None
    _link.taken.add(name)
    return _link.asked.get(name, [] if _link.is_back else None)


def asked_for(name: str) -> str | None:
    """The value of a parameter bound to a widget, which also reads it itself; None if it is missing."""
    values = (_link.asked or {}).get(name)
    return values[-1] if values and name not in _link.taken else None


def read_item(item: Item[Any]) -> None:
    """Sets a value of the state from the address, if it is there."""
    form = item.link
    assert form is not None
    assert form.read is not None
    asked = read(form.name)
    if asked is None:
        return
    value = form.read(asked)
    if value is not None:
        item.set(value)
        return
    item.take()
    if asked and asked[-1]:
        report(form.problem.format(shortened(asked[-1])))


def write_item(item: Item[Any]) -> None:
    """Writes a value of the state into the address."""
    form = item.link
    assert form is not None
    assert form.write is not None
    write({form.name: form.write(item.get())})


def write(wanted: Mapping[str, Sequence[str]]) -> None:
    """Writes values into the address; removes names without values."""
    changed = {name: list(values) for name, values in wanted.items() if list(values) != st.query_params.get_all(name)}
    if given := {name: values for name, values in changed.items() if values}:
        st.query_params.update(given)
    for name in (name for name, values in changed.items() if not values):
        del st.query_params[name]


def report(problem: str) -> None:
    """Reports an invalid parameter with what to do; shown above the page until the next action."""
    if problem not in _link.problems:
        _link.problems.append(problem)


def report_missing(what: str, value: str, instead: str) -> None:
    """`report` for a missing object of this kind and name; `instead` says what is shown in its place."""
    report(f"This link names {what} “{shortened(value)}”, which is not here. {instead}")


def shortened(value: str) -> str:
    """A parameter's value, shortened for messages."""
    return plain(value if len(value) <= _LONGEST else f"{value[:_LONGEST]} ...")


def end(page: str, complete: bool) -> None:
    """Shows the reported problems; called after the page, although they are shown above it.

    Args:
        page: the page's path in the address.
        complete: whether the whole page was drawn, so that the address has been read completely.
    """
    _check_bound()
    if _link.problems:
        st.warning("  \n".join(_link.problems), icon=":material/link_off:")
    if complete:
        _link.asked = None
    _link.standing = _standing(page)


def _standing(page: str) -> tuple[object, ...]:
    """A snapshot that changes with any action."""
    chosen = [item.get() for item in (State.dataset, State.a, State.b, State.color)]  # of which the browser writes the address itself
    return page, *chosen, sorted((name, tuple(st.query_params.get_all(name))) for name in st.query_params)


def _check_bound() -> None:
    """Reports values in the address that are not among a bound widget's options."""
    context = get_script_run_ctx()
    if context is None or not _link.asked:
        return
    with context.session_state.query_params() as params:
        bound = {name: binding.widget_id for name in _link.asked if (binding := params.get_binding_for_param(name))}
    for name, widget in bound.items():
        metadata = context.session_state._state.get_widget_metadata(widget)
        options = None if metadata is None else metadata.formatted_options
        for value in read(name) or []:
            if options is not None and value not in options:
                heading = HEADINGS.get(name, name.replace("_", " ").capitalize())
                report(f"This link names “{shortened(value)}” under “{plain(heading)}”, which is not here. Choose another option there.")
