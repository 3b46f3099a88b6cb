"""Who is signed in, below the sidebar's fields, and the way out."""

import streamlit as st

from parts.plain import plain
from server.accounts import account, role_of
from server.addresses import address
from server.settings import server
from state import Item

_MAY = {"view": "can view", "edit": "can view and edit", "train": "can view, edit and train"}


class _Kept:
    """name: of the account that this session was begun by."""

    prefix = "account_"
    name = Item[str | None]()


_kept = _Kept()


def show() -> None:
    """Draws the line; nothing on a server without accounts."""
    name = account()
    role = role_of(name) if name else None
    if not name or role is None:
        return
    with st.sidebar:
        st.caption(f"**{plain(name)}** {_MAY[role]}")
        if server().auth is not None:  # a proxy has a way out of its own
            st.html(f'<a class="sign-out" href="{address("/logout")}" target="_self">Sign out</a>')


def reset_for_another_account() -> None:
    """Forgets a session that a browser kept open while another account signed in; called first in every run."""
    name = account()
    if _Kept.name.is_set() and _kept.name != name:
        st.session_state.clear()
    _kept.name = name
