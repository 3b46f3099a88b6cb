"""Page Methods: how well each method finds images with the same label, and what that depends on."""

import streamlit as st

from likeness.data import PHOTO_COLUMNS
from pages.methods import PAGE, analyses, comparison, measure
from parts import aspect_labels
from parts.app_page import show_missing, show_tabs
from parts.view import current_view
from server import added_labels
from state import Item

# What has other choices for other images.
_FIELDS = ["compare_notions", "compare_dims", "sizes_notions", "sizes_range", "encoders_notions", "encoders_dim", "prompts_notion", "prompts_dim"]
_dataset = Item[str | None](key="methods_dataset")  # whose notions and dimensions the fields offer


def main() -> None:
    view = current_view()
    PAGE.show_head("Labels are only used to measure the result; only the Oracle is trained on them.")
    if _dataset.get() not in (None, view.dataset):
        for field in _FIELDS:
            st.session_state.pop(field, None)
    _dataset.set(view.dataset)
    attributes = view.base.table.attributes
    if view.base.embed_texts is None:
        words = "Methods need an encoder that reads text, such as CLIP. Choose other images, or add these with one."
        show_missing(words, "images", "Add images", "arrow_forward")
    elif not set(attributes) - {*PHOTO_COLUMNS, *added_labels.made_by_encoder(attributes)}:
        words = (
            "This page measures how well images with the same label are found, and these images have no labels. Label some, or add the "
            "images as one folder per class or with a table of labels. Labels made by the encoder do not count, since it would judge its own guesses."
        )
        show_missing(words, "label", "Label images", "arrow_forward")
    elif not (notions := measure.labeled_notions(view)):
        words = "These images have labels, but no notion uses them. Write a notion and choose the labels in its settings, under Evaluate with."
        show_missing(words, "notions", "Write a notion", "arrow_forward")
    else:
        aspect_labels.caution(notion.attribute for notion in notions.values())
        views = {"Methods": comparison.show, "Dimensions": analyses.show_sizes, "Encoders": analyses.show_encoders}
        show_tabs("compare", views | {"Number of prompts": analyses.show_prompts}, view)


main()
