"""What the browser's side of a component sent."""

from collections.abc import Mapping

import streamlit as st


def message(key: str, event: str) -> object:
    """The value of a component's event in this run, which may be of any kind: whoever is connected can send anything; None without one."""
    state = st.session_state.get(key)
    return state.get(event) if isinstance(state, Mapping) else None
