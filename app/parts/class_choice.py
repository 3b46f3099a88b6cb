"""The choice of labels that define the classes, on pages that compare classes."""

from collections.abc import Sequence

import streamlit as st

from parts.sidebar import readable

_HELP = "Labels that define the classes. Several are combined: car color and body type give classes such as red pickup."


def choose_classes(attributes: Sequence[str], key: str) -> list[str]:
    """Draws the choice among attributes; by default attributes named class, for the shipped images color and body type."""
    shipped = [name for name in ("car_color", "body_type") if name in attributes]
    first = shipped if len(shipped) == 2 else ["class"] if "class" in attributes else attributes[:1]
    looks = {"placeholder": "Choose one or more labels", "help": _HELP}
    return st.multiselect("Classes by", attributes, first, format_func=readable, key=key, bind="query-params", **looks)
