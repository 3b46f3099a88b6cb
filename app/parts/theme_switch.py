"""Light, dark or as the system is: one click, kept by the browser for all pages; the server is not asked."""

from functools import cache
from typing import Any

import streamlit as st

from likeness.plots.linked_map import read_script, read_text


@cache
def _renderer() -> Any:
    return st.components.v2.component(
        "theme_switch", html=read_text("theme_switch.html"), css=read_text("theme_switch.css"), js=read_script("theme_switch")
    )


def theme_switch() -> None:
    """Draws the switch."""
    _renderer()(key="theme_switch")
