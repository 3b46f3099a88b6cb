"""What the address of a page asks for: read once where a person comes by it, and said in a sentence where it is not here.

An address comes with the first run of a session, and with Back and Forward. Widgets that Streamlit binds to the address read it themselves and
drop what they do not know; `end` says so.
"""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from shared.plain import plain

_HEADINGS = {"a": "Space A", "b": "Space B", "color": "Color by"}
_NOW = {f"{method}_neighbours": f"{method}_neighbors" for method in ("umap", "pacmap", "trimap")}  # names that older links have
_LONGEST = 60  # letters of a value in a sentence


def begin(page: str) -> None:
    """Takes in the address of a person who has just come by it; called first in each run.

    Args:
        page: its part of the address.
    """
    context = get_script_run_ctx()
    back = context is not None and context.is_history_navigation
    if "link_asked" not in st.session_state or back:
        st.session_state["link_is_back"] = back
        st.session_state["link_asked"] = {_NOW.get(name, name): st.query_params.get_all(name) for name in st.query_params}
        st.session_state["link_read"] = set()
        st.session_state["link_problems"] = []
    elif _asked() is None and st.session_state.get("link_shown") != _standing(page):
        st.session_state["link_problems"] = []  # of what was asked for before the last action


def read(name: str) -> list[str] | None:
    """What the address asks for under a name; None where nobody has come by it since it was last read.

    After Back and Forward an address without the name asks for the default, which is an empty list.
    """
    asked, done = _asked(), st.session_state["link_read"]
    if asked is None or name in done:
        return None
    done.add(name)
    return asked.get(name, [] if st.session_state["link_is_back"] else None)


def forget(prefix: str) -> None:
    """Takes no names of this beginning from the address any more."""
    asked = _asked() or {}
    for name in [name for name in asked if name.startswith(prefix)]:
        del asked[name]


def write(wanted: Mapping[str, Sequence[str]]) -> None:
    """Writes values into the address; a name without values is taken out."""
    changed = {name: list(values) for name, values in wanted.items() if list(values) != st.query_params.get_all(name)}
    if given := {name: values for name, values in changed.items() if values}:
        st.query_params.update(given)
    for name in (name for name, values in changed.items() if not values):
        del st.query_params[name]


def report(problem: str) -> None:
    """Notes, in a sentence with what to do, what the address asks for and is not here; it stands above the page until the next action."""
    if problem not in st.session_state["link_problems"]:
        st.session_state["link_problems"].append(problem)


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
    problems: list[str] = st.session_state["link_problems"]
    if problems:
        st.warning("  \n".join(problems), icon=":material/link_off:")
    if complete:
        st.session_state["link_asked"] = None
    st.session_state["link_shown"] = _standing(page)


def _asked() -> dict[str, list[str]] | None:
    asked: dict[str, list[str]] | None = st.session_state["link_asked"]
    return asked


def _standing(page: str) -> tuple[object, ...]:
    """What changes with an action."""
    chosen = [st.session_state.get(name) for name in ("dataset", *_HEADINGS)]  # of which the browser writes the address itself
    return page, *chosen, sorted((name, tuple(st.query_params.get_all(name))) for name in st.query_params)


def _check_bound() -> None:
    """Reports what widgets that are bound to the address could not have, since it is none of their options."""
    context = get_script_run_ctx()
    if context is None or not _asked():
        return
    with context.session_state.query_params() as params:
        bound = {name: binding.widget_id for name in _asked() or {} if (binding := params.get_binding_for_param(name))}
    for name, widget in bound.items():
        metadata = context.session_state._state.get_widget_metadata(widget)
        options = None if metadata is None else metadata.formatted_options
        values = read(name) or []
        for value in values:
            if options is not None and value not in options:
                heading = _HEADINGS.get(name, name.replace("_", " ").capitalize())
                report(f"This link asks for “{shortened(value)}” under “{plain(heading)}”, which is not here. Choose another one there.")
