"""Methods: how well each method finds images of the same label, and what that depends on."""

import streamlit as st

from pages.methods import PAGE, analyses, comparison, measure
from parts import aspect_labels
from parts.view import View, current_view
from server import added_labels
from state import Item

# What has other choices for other images.
_FIELDS = (
    *("compare_notions", "compare_dims", "sizes_notions", "sizes_range"),
    *("encoders_notions", "encoders_dim", "prompts_notion", "prompts_dim"),
)


class _Choices:
    """dataset: whose notions and dimensions the fields offer."""

    prefix = "methods_"
    dataset = Item[str | None]()


choices = _Choices()


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head("Labels only measure the result; the Oracle alone is trained on them.")
    _belong_to(view.dataset)
    if not _can_judge(view):
        return
    views = {
        "Methods": comparison.show,
        "Dimensions": analyses.show_sizes,
        "Encoders": analyses.show_encoders,
        "Number of prompts": analyses.show_prompts,
    }
    tabs = st.tabs(list(views), key="compare", on_change="rerun", bind="query-params")
    for tab, show in zip(tabs, views.values(), strict=True):
        if tab.open:
            with tab:
                show(view)


def _can_judge(view: View) -> bool:
    """Whether labels say what is right; says what is missing, or where labels are the encoder's own guesses."""
    if _nothing_to_compare(view):
        return False
    aspect_labels.caution(notion.attribute for notion in measure.labeled_notions(view).values())
    return True


def _belong_to(dataset: str) -> None:
    """Resets the fields whose choices depend on the images when these change."""
    if choices.dataset not in (None, dataset):
        for field in _FIELDS:
            st.session_state.pop(field, None)
    choices.dataset = dataset


def _nothing_to_compare(view: View) -> bool:
    """Says what is missing and what to do about it; False where nothing is."""
    attributes = view.base.table.attributes
    own = [name for name in attributes if name not in added_labels.made_by_encoder(attributes)]
    if view.base.embed_texts is None:
        st.info(
            "Methods need an encoder that reads text. Choose images embedded with a CLIP model, or embed these with one.",
            icon=":material/info:",
        )
        st.page_link("pages/images/page.py", label="Embed images", icon=":material/add_photo_alternate:")
    elif not own:
        st.info(
            "Judging methods needs labels, and these images have none of their own. Label some under Label, or add the images as one folder per "
            "class or with a table that has a column of labels. Labels made by the encoder do not count: it would judge its own guesses.",
            icon=":material/info:",
        )
        st.page_link("pages/images/page.py", label="Add images with labels", icon=":material/add_photo_alternate:")
    elif not measure.labeled_notions(view):
        st.info(
            "These images have labels, but no notion uses them. Write a notion, open its Settings and choose the labels under Judge by.",
            icon=":material/info:",
        )
        st.page_link("pages/notions/page.py", label="Write a notion", icon=":material/tune:")
    else:
        return False
    return True


main()
