"""Page Label: label a few images, spread the labels to all, and confirm or correct a screen at a time."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from likeness.io import csv_bytes
from likeness.spreading import LabelSpread, label_screens, likely_mistakes, uncertain_rows
from likeness.tagging import NewColumn
from pages.label import PAGE, answers
from pages.label.answers import Screen, SpreadRequest, without
from parts import label_edits, progress, sidebar, verdict
from parts.plain import plain
from parts.view import View, current_view
from server import hand_labels
from state import Item, state

_SCREEN = 24  # images
_STEPS = {
    "sure": "Confirm",
    "uncertain": "Uncertain",
    "mistakes": "Possibly wrong",
    "finish": "Apply to the rest",
}
_HIDDEN_CLASSES = 0.1  # share of images of classes without a label, from which on the page warns
_SPREAD = "{} (spread)"
_screen = Item(0, key="label_screen")  # which of the random screens of images is shown where there are no labels yet


def main() -> None:
    view = current_view()
    PAGE.show_head()
    if reason := label_edits.refusal(view):
        st.info(plain(reason), icon=":material/info:")
        return
    verdict.of_encoder(view)
    request = _request(view)
    if request is None:
        return
    name = state.b if request.space is view.b else state.a
    judge = verdict.of_notion(view, view.notions[name]) if name in view.notions else lambda: None
    _spread(view, request)
    judge()


def _spread(view: View, request: SpreadRequest) -> None:
    """Draws the steps from a few labels to labels of all images."""
    job = request.begin()
    if not progress.follow(job, wait=3.0):
        return
    found: LabelSpread = job.result
    st.markdown(plain(found.sentence()))
    if found.unseen > _HIDDEN_CLASSES:
        st.caption(
            f"If you picked the labeled images at random, about {found.unseen:.0%} of all images have values that you have not used yet. "
            "Their suggestions are wrong, even at high confidence."
        )
    wrong = without(likely_mistakes(found), answers.put_off(view, request.column, "mistakes"))
    names = {step: f"{title} ({len(wrong):,})" if step == "mistakes" else title for step, title in _STEPS.items()}
    step = st.segmented_control(
        "Step", list(_STEPS), format_func=names.__getitem__, default="sure", required=True, key="label_step", label_visibility="collapsed"
    )
    if step == "finish":
        _offer_spread(view, request, found)
    elif step == "mistakes":
        captions = [f"{found.classes[found.given[row]]}; {found.classes[found.best[row]]}?" for row in wrong[:_SCREEN]]
        screen = Screen(view, request.name, request.column, wrong[:_SCREEN], "mistakes", captions=captions)
        _ask(screen, request, "Check these: their labels may be wrong.", "No label looks wrong.")
    elif step == "uncertain":
        skipped = answers.put_off(view, request.column, "sure")
        rows = without(uncertain_rows(found, _SCREEN + min(len(skipped), 200)), skipped)[:_SCREEN]
        guesses = [f"{found.classes[found.best[row]]}? {found.probabilities[row].max():.0%}" for row in rows]
        screen = Screen(view, request.name, request.column, rows, "uncertain", captions=guesses)
        _ask(screen, request, "Label these: they are the most informative.", "Every image is labeled or skipped.")
    else:
        _sure(view, request, found)


def _ask(screen: Screen, request: SpreadRequest, title: str, nothing: str) -> None:
    if len(screen.rows):
        answers.ask(screen, title, answers.values_in_order(screen.view, request))
    else:
        st.info(nothing, icon=":material/info:")


def _request(view: View) -> SpreadRequest | None:
    """Draws the choice of the label to spread; None with a message if there is nothing to spread yet."""
    counts, frame = hand_labels.counts(view.entry), view.base.table.frame
    values = counts["name"][counts["kind"] == "attribute"].value_counts(sort=False)
    columns = {name: column for name in values.index if (column := hand_labels.column_of(frame, name)) is not None}
    made = [name for name in columns if name.endswith(_SPREAD.format(""))]  # by this page, not by people
    names = sorted((name for name in columns if name not in made), key=lambda name: values[name] < 2)  # those that spread first
    if not names:
        _start(view, "", "**Nothing is labeled yet.** Tick a few similar images and label them. Then do the same for another value.")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Label", names, key="label_attribute", width=240)
        spaces = {sidebar.readable(space.name): space for space in view.spaces}
        space = next(iter(spaces))
        if len(spaces) > 1:
            space = st.selectbox("Space", list(spaces), key="label_space", width=240, help="Similar images in it get the same label.")
    together = hand_labels.store_of(view.entry, view.base.table).given_together(label_edits.paths(view, np.arange(len(frame))), name)
    request = SpreadRequest(spaces[space], name, columns[name], together)
    if len(request.classes) < 2:
        value = plain(request.classes[0]) if request.classes else "one value"
        _start(view, name, f"**All labeled images have {value}.** Label a few with another value, since spreading needs two.", request.column)
        return None
    return request


def _start(view: View, name: str, sentence: str, column: str | None = None) -> None:
    """Offers random images without a label to label first."""
    st.markdown(sentence)
    frame = view.base.table.frame
    order = np.random.default_rng(_screen.get()).permutation(len(frame))  # of all, so that those that stay do not move
    unlabeled = order[frame[column].isna().to_numpy()[order]] if column else order
    answers.start(view, name, unlabeled[:_SCREEN])
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(unlabeled) > _SCREEN:
            others = partial(_screen.set, _screen.get() + 1)
            st.button("Show other images", key="label_others", icon=":material/casino:", on_click=others)
        st.page_link("pages/explore/page.py", label="Select images on the map instead", icon=":material/scatter_plot:")


def _sure(view: View, request: SpreadRequest, found: LabelSpread) -> None:
    """A screen of images with the same suggestion, or what is left of the last one."""
    left = answers.left_over(view, request.column)
    if len(left):
        title = f"What are these {len(left)}?" if len(left) > 1 else "What is this?"
        _ask(Screen(view, request.name, request.column, left, "left"), request, title, "")
        return
    skipped = answers.put_off(view, request.column, "sure")
    rows = next((rows for rows in (without(each, skipped) for each in label_screens(found, _SCREEN)) if len(rows)), None)
    if rows is None:
        st.info("Every image is labeled or skipped.", icon=":material/info:")
        if skipped:
            st.button("Show the skipped images", on_click=skipped.clear)
        return
    value = str(found.classes[found.numbers[rows[0]]])
    screen = Screen(view, request.name, request.column, rows, "sure", of=value)
    answers.confirm(screen, value, float(found.confidence[rows].mean()))


def _offer_spread(view: View, request: SpreadRequest, found: LabelSpread) -> None:
    """Draws how many images reach the minimum confidence, and the button that saves their labels."""
    at_least = st.slider("Minimum confidence", 0.0, 1.0, 0.9, 0.01, key="label_threshold", format="percent", width=420)
    more = (found.given < 0) & (found.confidence >= at_least)
    kept = (found.given >= 0) | more
    name = _SPREAD.format(request.name)
    sentence = f"**{kept.sum():,}** of {len(found):,} images: {(found.given >= 0).sum():,} labeled by people and {more.sum():,} suggested"
    st.markdown(sentence + (f". About {1 - found.confidence[more].mean():.0%} of these are likely wrong." if more.any() else "."))
    counts = pd.DataFrame({"Value": map(str, found.classes), "images": np.bincount(found.numbers[kept], minlength=len(found.classes))})
    most = int(counts["images"].max()) or 1
    bars = {"images": st.column_config.ProgressColumn("Images", format="localized", min_value=0, max_value=most)}
    st.dataframe(counts, column_config=bars, hide_index=True, width=420)
    with st.container(horizontal=True):
        help = "Adds a label that other pages can color, filter and evaluate by. Labels given by people are kept."
        title, icon, args = plain(f"Save as “{name}”"), ":material/label:", (view, found, kept, name)
        st.button(title, key="label_keep", type="primary", icon=icon, on_click=_keep_labels, args=args, help=help)
        icon = ":material/download:"
        st.download_button("Download CSV", lambda: csv_bytes(found.table()), "labels.csv", "text/csv", icon=icon, on_click="ignore")


def _keep_labels(view: View, found: LabelSpread, kept: np.ndarray, name: str) -> None:
    paths = label_edits.paths(view, np.arange(len(found)))
    new = NewColumn(name, "attribute", [str(label) if keep else "" for label, keep in zip(found.labels, kept, strict=True)])
    edit = label_edits.try_edit(view, lambda store, who: store.set_columns(paths, [new], who, "spread"))
    if edit is not None:
        state.next_color = name
        st.toast(f"{edit.images:,} images have it now. Explore is colored by it." if edit.id else "Nothing has changed.", icon=":material/label:")


main()
