"""Who is signed in, below the sidebar's fields, and the way out."""

import streamlit as st

from accounts import role_of
from addresses import address
from server_settings import server
from shared.plain import plain
from signed_in import account

_MAY = {"view": "may look", "edit": "may look and edit", "train": "may look, edit and train"}


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


def begin_anew_for_another() -> None:
    """Forgets a session that a browser kept open while another account signed in; called first in every run."""
    name = account()
    if st.session_state.setdefault("account", name) != name:
        st.session_state.clear()
        st.session_state["account"] = name
