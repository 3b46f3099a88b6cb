"""Saved views in the sidebar: save, open, rename and remove."""

from html import escape
from urllib.parse import urlencode

import streamlit as st

from likeness.data import SHIPPED_CARS, find_dataset
from likeness.errors import InputError
from parts import link, selection
from parts.errors import toast_errors
from parts.plain import prose
from server import saved_views
from server.access import redact, refusal
from server.saved_views import LONGEST_NAME, SavedView
from state import Item, decode_rows, encode_rows, state

_PARAMETER = "saved"  # of an address, names a saved view
_LEFT_OUT = (_PARAMETER, "embed", "token")
_name = Item("", key="view_name")  # of the view that is to be saved


def take_link() -> None:
    """Restores the selection of a saved view in a newly opened address; called after the rest of the address was read."""
    asked = link.read(_PARAMETER)
    link.write({_PARAMETER: []})
    if not asked:
        return
    try:
        view = saved_views.find(asked[-1])
    except InputError as error:
        link.report(prose(redact(error)))
        return
    if view.rows:
        selection.select(decode_rows(view.rows, most=selection.MOST_KEPT))


def show(page: str, titles: dict[str, str]) -> None:
    """Draws the list in the sidebar.

    Args:
        page: the current page's path in the address.
        titles: page titles by path.
    """
    kept, reason = saved_views.all_views(), refusal("edit")
    with st.sidebar, st.expander("Saved views", icon=":material/bookmark:", key="saved_views"):
        for view in kept:
            _row(view, titles)
        if not kept:
            st.caption("Save what you see under a name: images, spaces, color, filters, search, selection and map settings.")
        with st.form("save_view", border=False), st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
            st.text_input(
                "Name of the view",
                key=_name.key,
                max_chars=LONGEST_NAME,
                placeholder="Name",
                label_visibility="collapsed",
                disabled=bool(reason),
            )
            st.form_submit_button("Save view", on_click=_save, args=(page,), disabled=bool(reason), help=reason or None)
        if damaged := saved_views.damaged():
            st.caption(f"{damaged} more cannot be read: {'its file is' if damaged == 1 else 'their files are'} damaged.")


def address_of(view: SavedView) -> str:
    """The link to a view, from any page of the app."""
    return f"./{view.page}?{urlencode([*((name, value) for name, values in view.parameters.items() for value in values), (_PARAMETER, view.token)])}"


def _row(view: SavedView, titles: dict[str, str]) -> None:
    gone = _what_is_gone(view)
    about = gone or f"Opens {titles.get(view.page, view.page)}"
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", horizontal_alignment="distribute"):
        st.html(f'<a class="saved-view" href="{escape(address_of(view))}" target="_self" title="{escape(about)}">{escape(view.name)}</a>')
        with st.popover("", icon=":material/more_vert:", type="tertiary", key=f"view_menu_{view.token}", help="Rename or remove"):
            if gone:
                st.caption(gone)
            st.text_input("Name", view.name, key=f"view_name_{view.token}", max_chars=LONGEST_NAME)
            reason = refusal("edit")
            st.button("Rename", key=f"rename_{view.token}", on_click=_rename, args=(view.token,), disabled=bool(reason), help=reason or None)
            sure = st.checkbox("Remove this view for good", key=f"sure_{view.token}", disabled=bool(reason))
            st.button("Remove", key=f"remove_{view.token}", icon=":material/delete:", on_click=_remove, args=(view.token,), disabled=not sure)


def _what_is_gone(view: SavedView) -> str:
    """Says if the images of a view have been removed; "" otherwise. Other problems are reported when it is opened."""
    dataset = (list(view.parameters.get("dataset", ())) or [SHIPPED_CARS.id])[-1]
    try:
        find_dataset(dataset)
    except InputError:
        return "The images of this view have been removed."
    return ""


@toast_errors("The view could not be saved")
def _save(page: str) -> None:
    given = {name: st.query_params.get_all(name) for name in st.query_params if name not in _LEFT_OUT}
    rows = "" if "rows" in given else encode_rows(state.rows)
    saved_views.save(SavedView(_name.get(), page, given, rows))
    _name.set("")


@toast_errors("The view could not be renamed")
def _rename(token: str) -> None:
    saved_views.rename(token, str(st.session_state.get(f"view_name_{token}") or ""))


@toast_errors("The view could not be removed")
def _remove(token: str) -> None:
    saved_views.remove(token)
