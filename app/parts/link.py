"""What the address of a page asks for: read once where a person comes by it, and said in a sentence where it is not here.

An address comes with the first run of a session, and with Back and Forward. Widgets that Streamlit binds to the address read it themselves and
drop what they do not know; `end` says so. How the values of `State` stand in the address is declared there.
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
    """asked: what the address asks for, None once all of it was read. is_back: whether by Back or Forward. taken: names that were read.
    problems: sentences about them. standing: what the last run left, by which an action is noticed."""

    prefix = "link_"
    asked = Item[dict[str, list[str]] | None]()
    is_back = Item(False)
    taken = Item[set[str]](make=set)
    problems = Item[list[str]](make=list)
    standing = Item[tuple[object, ...]](())


_link = _Link()


def begin(page: str) -> None:
    """Takes in the address of a person who has just come by it; called first in each run.

    Args:
        page: its part of the address.
    """
    context = get_script_run_ctx()
    back = context is not None and context.is_history_navigation
    if not _Link.asked.is_set() or back:
        _link.is_back = back
        _link.asked = {_NOW.get(name, name): st.query_params.get_all(name) for name in st.query_params}
        _link.taken, _link.problems = set(), []
    elif _link.asked is None and _link.standing != _standing(page):
        _link.problems = []  # of what was asked for before the last action


def read(name: str) -> list[str] | None:
    """What the address asks for under a name; None where nobody has come by it since it was last read.

    After Back and Forward an address without the name asks for the default, which is an empty list.
    """
    if _link.asked is None or name in _link.taken:
        return None
    _link.taken.add(name)
    return _link.asked.get(name, [] if _link.is_back else None)


def asked_for(name: str) -> str | None:
    """What the address asks for under the name of a bound widget, which still reads it itself; None where it asks for nothing."""
    values = (_link.asked or {}).get(name)
    return values[-1] if values and name not in _link.taken else None


def read_item(item: Item[Any]) -> None:
    """Sets a value of the state to what the address asks for, if it asks for anything."""
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
    """Writes values into the address; a name without values is taken out."""
    changed = {name: list(values) for name, values in wanted.items() if list(values) != st.query_params.get_all(name)}
    if given := {name: values for name, values in changed.items() if values}:
        st.query_params.update(given)
    for name in (name for name, values in changed.items() if not values):
        del st.query_params[name]


def report(problem: str) -> None:
    """Notes, in a sentence with what to do, what the address asks for and is not here; it stands above the page until the next action."""
    if problem not in _link.problems:
        _link.problems.append(problem)


def report_missing(what: str, value: str, instead: str) -> None:
    """As `report`: that something of this kind and name is not here, and in a sentence what is shown in its place."""
    report(f"This link names {what} “{shortened(value)}”, which is not here. {instead}")


def shortened(value: str) -> str:
    """A value of an address as it stands in a sentence."""
    return plain(value if len(value) <= _LONGEST else f"{value[:_LONGEST]} ...")


def end(page: str, complete: bool) -> None:
    """Shows the problems; called after the page, where they stand above it.

    Args:
        page: its part of the address.
        complete: whether all of the page was drawn, so that nothing of the address is still to be read.
    """
    _check_bound()
    if _link.problems:
        st.warning("  \n".join(_link.problems), icon=":material/link_off:")
    if complete:
        _link.asked = None
    _link.standing = _standing(page)


def _standing(page: str) -> tuple[object, ...]:
    """What changes with an action."""
    chosen = [item.get() for item in (State.dataset, State.a, State.b, State.color)]  # of which the browser writes the address itself
    return page, *chosen, sorted((name, tuple(st.query_params.get_all(name))) for name in st.query_params)


def _check_bound() -> None:
    """Reports what widgets that are bound to the address could not have, since it is none of their options."""
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
                report(f"This link names “{shortened(value)}” under “{plain(heading)}”, which is not here. Choose another one there.")
