"""Compare: which way of reading a notion finds images of the same label best, and what that depends on."""

from pathlib import Path

import streamlit as st

from pages.compare import PAGE, analyses, settings
from pages.compare import comparison as comparison_view
from shared.view import View, current_view

_STYLE = Path(__file__).parent / "comparison.css"
# What has other choices for other images.
_FIELDS = (
    *("compare_notions", "compare_dims", "sizes_notions", "sizes_range"),
    *("encoders_notions", "encoders_dim", "prompts_notion", "prompts_dim"),
)


def main() -> None:
    """Draws the page."""
    view = current_view()
    st.html(_STYLE)
    PAGE.show_head("Labels are used to judge; only the Oracle learns from them.")
    if _nothing_to_compare(view):
        return
    _belong_to(view.entry.id)
    views = {
        "Methods": comparison_view.show,
        "Dimensions": analyses.show_sizes,
        "Encoders": analyses.show_encoders,
        "Number of prompts": analyses.show_prompts,
    }
    for tab, show in zip(st.tabs(list(views), key="compare", on_change="rerun", bind="query-params"), views.values(), strict=True):
        if tab.open:
            with tab:
                show(view)


def _belong_to(dataset: str) -> None:
    """Fields with choices of other images begin anew when the images change."""
    if st.session_state.setdefault("compared_images", dataset) != dataset:
        st.session_state["compared_images"] = dataset
        for field in _FIELDS:
            st.session_state.pop(field, None)


def _nothing_to_compare(view: View) -> bool:
    """Says what is missing and what to do about it; False where nothing is."""
    attributes = view.base.table.attributes
    if view.base.embed_texts is None:
        st.info(
            "Notions need an encoder that reads text. Choose images that were embedded with a CLIP model, or embed these with one.",
            icon=":material/info:",
        )
        st.page_link("pages/your_images/page.py", label="Embed images", icon=":material/add_photo_alternate:")
    elif not attributes:
        st.info(
            "These images have no labels, so nothing can be judged. Bring them in one folder per class, or with a table that has a column of labels.",
            icon=":material/info:",
        )
        st.page_link("pages/your_images/page.py", label="Bring images with labels", icon=":material/add_photo_alternate:")
    elif not settings.labelled_notions(view):
        st.info(
            "These images have labels, but no notion is judged by them yet. Write one and choose under Settings, Judge by, which labels judge it.",
            icon=":material/info:",
        )
        st.page_link("pages/notions/page.py", label="Write a notion", icon=":material/tune:")
    else:
        return False
    return True


main()
