"""Compare: how well each method finds images of the same label, what that depends on, and what changed between two spaces."""

from pathlib import Path

import streamlit as st

import added_labels
from pages.compare import PAGE, analyses, changes, comparison as comparison_view, settings
from shared import aspect_labels
from shared.view import View, current_view

_STYLE = Path(__file__).parent / "comparison.css"
_CHANGES = "What changed"
# What has other choices for other images.
_FIELDS = (
    *("compare_notions", "compare_dims", "sizes_notions", "sizes_range"),
    *("encoders_notions", "encoders_dim", "prompts_notion", "prompts_dim"),
)


def main() -> None:
    """Draws the page."""
    view = current_view()
    st.html(_STYLE)
    PAGE.show_head("Labels only measure the result; only the Oracle learns from them.")
    _belong_to(view.dataset)
    views = {
        "Methods": comparison_view.show,
        "Dimensions": analyses.show_sizes,
        "Encoders": analyses.show_encoders,
        "Number of prompts": analyses.show_prompts,
        _CHANGES: changes.show,
    }
    tabs = st.tabs(list(views), key="compare", on_change="rerun", bind="query-params")
    for tab, (name, show) in zip(tabs, views.items(), strict=True):
        if tab.open:
            with tab:
                if name == _CHANGES or _can_judge(view):
                    show(view)


def _can_judge(view: View) -> bool:
    """Whether labels say what is right; says what is missing, or where labels are the encoder's own guesses."""
    if _nothing_to_compare(view):
        return False
    aspect_labels.caution(notion.attribute for notion in settings.labeled_notions(view).values())
    return True


def _belong_to(dataset: str) -> None:
    """Fields with choices of other images begin anew when the images change."""
    if st.session_state.setdefault("compared_images", dataset) != dataset:
        st.session_state["compared_images"] = dataset
        for field in _FIELDS:
            st.session_state.pop(field, None)


def _nothing_to_compare(view: View) -> bool:
    """Says what is missing and what to do about it; False where nothing is."""
    attributes = view.base.table.attributes
    own = [name for name in attributes if name not in added_labels.made_by_encoder(attributes)]
    if view.base.embed_texts is None:
        st.info(
            "Notions need an encoder that reads text. Choose images that were embedded with a CLIP model, or embed these with one.",
            icon=":material/info:",
        )
        st.page_link("pages/your_images/page.py", label="Embed images", icon=":material/add_photo_alternate:")
    elif not own:
        st.info(
            "This page uses labels to judge what each method finds, and these images have none of their own. Bring them in one folder per class, or "
            "with a table that has a column of labels. Labels by aspects do not help here: the encoder would judge itself by its own guesses.",
            icon=":material/info:",
        )
        st.page_link("pages/your_images/page.py", label="Bring images with labels", icon=":material/add_photo_alternate:")
    elif not settings.labeled_notions(view):
        st.info(
            "These images have labels, but no notion uses them yet. Write a notion, open its Settings and choose the labels under Judge by.",
            icon=":material/info:",
        )
        st.page_link("pages/notions/page.py", label="Write a notion", icon=":material/tune:")
    else:
        return False
    return True


main()
