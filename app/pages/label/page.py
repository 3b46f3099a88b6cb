"""Label: values of a few images spread to all; a screen at a time is confirmed or corrected."""

import numpy as np
import pandas as pd
import streamlit as st

import hand_labels
from likeness.io import csv_bytes
from likeness.spreading import METHODS, LabelSpread, label_screens, likely_mistakes, uncertain_rows
from likeness.tagging import NewColumn
from pages.label import PAGE, answers
from pages.label.spread import SpreadRequest, without
from shared import cached, progress, sidebar
from shared.label_edits import try_edit
from shared.plain import plain
from shared.view import View, current_view

_SCREEN = 24  # images
_METHODS = {"propagation": "Along neighbors", "probe": "By a linear probe"}
_STEPS = {
    "sure": "Confirm",
    "uncertain": "Uncertain ones",
    "mistakes": "Probably wrong",
    "finish": "Label the rest",
}
_HIDDEN_CLASSES = 0.1  # share of images of classes without a label from which it is said


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head()
    reason = hand_labels.refusal_to_tag(view.entry, view.base.table) or hand_labels.problem(view.entry)
    if reason or cached.is_state(view.entry.id):
        st.info(plain(reason) or "Images are still being embedded; label them when all are there.", icon=":material/info:")
        return
    request = _request(view)
    if request is None:
        return
    job = request.begin()
    if not progress.follow(job, wait=3.0):
        return
    found: LabelSpread = job.result
    st.markdown(plain(found.sentence()))
    if found.unseen > _HIDDEN_CLASSES:
        st.caption(
            f"If you chose the labeled images at random, some {found.unseen:.0%} of all images are of values that no image has yet: these are "
            "labeled wrongly, however sure it looks."
        )
    wrong = without(likely_mistakes(found), answers.put_off(view, request.column, "mistakes"))
    names = {step: f"{title} ({len(wrong):,})" if step == "mistakes" else title for step, title in _STEPS.items()}
    step = st.segmented_control(
        "Step", list(_STEPS), format_func=names.__getitem__, default="sure", required=True, key="label_step", label_visibility="collapsed"
    )
    if step == "uncertain":
        _uncertain(view, request, found)
    elif step == "mistakes":
        _mistakes(view, request, found, wrong)
    elif step == "finish":
        _offer_spread(view, request, found)
    else:
        _sure(view, request, found)


def _request(view: View) -> SpreadRequest | None:
    """What the person chooses to spread; None where there is nothing yet, which is said."""
    counts, frame = hand_labels.counts(view.entry), view.base.table.frame
    values = counts["name"][counts["kind"] == "attribute"].value_counts(sort=False)
    columns = {name: column for name in values.index if (column := hand_labels.column_of(frame, name)) is not None}
    names = sorted(columns, key=lambda name: values[name] < 2)  # those that spread first
    if not names:
        _begin("Nothing is labeled yet. Select a few images of each kind on Explore, and give them values, such as breed: beagle and breed: collie.")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Attribute", names, key="label_attribute", width=240)
        spaces = {sidebar.readable(space.name): space for space in view.spaces}
        space = st.selectbox("Space", list(spaces), key="label_space", width=240, help="Where near images get the same label: one of the sidebar's.")
        method = st.segmented_control("How", METHODS, format_func=_METHODS.__getitem__, default=METHODS[0], required=True, key="label_method")
    together = hand_labels.given_together(view.entry, view.base.table, name)
    request = SpreadRequest(spaces[space], name, columns[name], method or METHODS[0], together)
    if len(request.classes) < 2:
        value = plain(request.classes[0]) if request.classes else "one value"
        _begin(f"All labeled images have {value}. Give others another value on Explore: labels spread between two at least.")
        return None
    return request


def _begin(sentence: str) -> None:
    st.info(sentence, icon=":material/info:")
    st.page_link("pages/explore/page.py", label="Select images on Explore", icon=":material/scatter_plot:")


def _sure(view: View, request: SpreadRequest, found: LabelSpread) -> None:
    """A screen of images that are expected to have one value."""
    left = answers.left_over(view, request.column)
    if len(left):
        answers.ask(view, request, left, f"What are these {len(left)}?" if len(left) > 1 else "What is this?", key="left", put_off="sure")
        return
    skipped = answers.put_off(view, request.column, "sure")
    screens = [screen for screen in (without(each, skipped) for each in label_screens(found, _SCREEN)) if len(screen)]
    if not screens:
        st.success("All images have a label, or were put off.", icon=":material/check_circle:")
        if skipped:
            st.button("Show those that were put off", on_click=answers.bring_back, args=(view, request.column))
        return
    screen = screens[0]
    answers.confirm(view, request, screen, str(found.classes[found.numbers[screen[0]]]), float(found.confidence[screen].mean()))


def _uncertain(view: View, request: SpreadRequest, found: LabelSpread) -> None:
    skipped = answers.put_off(view, request.column, "sure")
    rows = without(uncertain_rows(found, _SCREEN + min(len(skipped), 200)), skipped)[:_SCREEN]
    if not len(rows):
        st.success("Every image has a label, or was put off.", icon=":material/check_circle:")
        return
    guesses = [f"{found.classes[found.best[row]]}? {found.probabilities[row].max():.0%}" for row in rows]
    answers.ask(view, request, rows, "Which value do these have? Each teaches most.", key="uncertain", put_off="sure", captions=guesses, ticked=False)


def _mistakes(view: View, request: SpreadRequest, found: LabelSpread, wrong: np.ndarray) -> None:
    if not len(wrong):
        st.success("No label is contradicted by the others.", icon=":material/check_circle:")
        return
    rows = wrong[:_SCREEN]
    said = [f"{found.classes[found.given[row]]}, not {found.classes[found.best[row]]}?" for row in rows]
    answers.ask(view, request, rows, "These labels are contradicted by the others.", key="mistakes", put_off="mistakes", captions=said, ticked=False)


_SPREAD = "{} (spread)"


def _offer_spread(view: View, request: SpreadRequest, found: LabelSpread) -> None:
    """Draws how many images are how sure, and the button that keeps them."""
    at_least = st.slider("At least so probable", 0.0, 1.0, 0.9, 0.01, key="label_threshold", format="percent", width=420)
    more = (found.given < 0) & (found.confidence >= at_least)
    kept = (found.given >= 0) | more
    name = _SPREAD.format(request.name)
    sentence = f"**{kept.sum():,}** of {len(found):,} images: {(found.given >= 0).sum():,} that people labeled and {more.sum():,} more"
    st.markdown(sentence + (f", of which some {1 - found.confidence[more].mean():.0%} are expected to be wrong." if more.any() else "."))
    counts = _counts_of(found, kept)
    most = int(counts["images"].max()) or 1
    bars = {"images": st.column_config.ProgressColumn("Images", format="localized", min_value=0, max_value=most)}
    st.dataframe(counts, column_config=bars, hide_index=True, height="auto" if len(counts) <= 10 else 400, width=420)
    with st.container(horizontal=True):
        st.button(
            plain(f"Keep them as “{name}”"),
            key="label_keep",
            type="primary",
            icon=":material/label:",
            on_click=_keep_labels,
            args=(view, found, kept, name),
            help="A further attribute, which colors, filters and judges like any other; what people labeled stays as it is.",
        )
        st.download_button("Download CSV", lambda: _as_csv(found), "labels.csv", "text/csv", icon=":material/download:", on_click="ignore")


def _counts_of(found: LabelSpread, kept: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({"Value": [str(name) for name in found.classes], "images": np.bincount(found.numbers[kept], minlength=len(found.classes))})


def _as_csv(found: LabelSpread) -> bytes:
    return csv_bytes(found.table())


def _keep_labels(view: View, found: LabelSpread, kept: np.ndarray, name: str) -> None:
    paths = [str(path) for path in view.base.table.frame["path"]]
    values = [str(label) if keep else "" for label, keep in zip(found.labels, kept, strict=True)]
    new = NewColumn(name, "attribute", values)
    edit = try_edit(view, lambda store, who: store.set_columns(paths, [new], who, "spread"))
    if edit is None:
        return
    st.session_state["next_color"] = name
    st.toast(f"{edit.images:,} images have it now; Explore is colored by it." if edit.id else "They have it already.", icon=":material/label:")


main()
