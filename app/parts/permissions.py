"""Draws the signed-in account, and messages in place of controls that the visitor may not use."""

import streamlit as st

from parts.plain import plain
from server.access import Act, refusal
from server.accounts import account, role_of
from server.addresses import address
from server.settings import server
from state import Item

_MAY = {"view": "can view", "edit": "can view and edit", "train": "can view, edit and train"}
_begun_by = Item[str | None](key="account_name")  # the account of this session


def show_account() -> None:
    """Draws the account and the sign-out link in the sidebar; nothing on a server without accounts."""
    name = account()
    role = role_of(name) if name else None
    if not name or role is None:
        return
    with st.sidebar:
        st.caption(f"**{plain(name)}** {_MAY[role]}")
        if server().auth is not None:  # a proxy has a way out of its own
            st.html(f'<a class="sign-out" href="{address("/logout")}" target="_self">Sign out</a>')


def reset_for_another_account() -> None:
    """Resets a session that a browser kept open after another account signed in; called first in every run."""
    name = account()
    if _begun_by.is_set() and _begun_by.get() != name:
        st.session_state.clear()
    _begun_by.set(name)


def refused(what: Act = "train") -> bool:
    """Shows why the visitor may not do this; whether that is the case."""
    reason = refusal(what)
    if reason:
        st.info(reason, icon=":material/block:")
    return bool(reason)


def runs_hidden() -> bool:
    """Shows that trained runs are disabled; whether that is the case."""
    if server().runs:
        return False
    st.info("Trained runs are not shown on this server.", icon=":material/visibility_off:")
    return True
