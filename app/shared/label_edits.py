"""An edit of labels by a button of a page: made where the visitor may, else said why not."""

from collections.abc import Callable

import streamlit as st

import hand_labels
from access import redact
from likeness.errors import InputError
from likeness.tagging import Edit, TagStore
from shared.plain import plain
from shared.view import View


def try_edit(view: View, work: Callable[[TagStore, str], Edit]) -> Edit | None:
    """As `hand_labels.edit_labels` of the images of a view; None where it is refused, which a toast says."""
    try:
        return hand_labels.edit_labels(view.entry, view.base.table, work)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
        return None
