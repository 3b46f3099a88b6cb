"""Label: a few images are labeled, the labels spread to all, and a screen at a time is confirmed or corrected."""

import numpy as np
import pandas as pd
import streamlit as st

from likeness.io import csv_bytes
from likeness.spreading import METHODS, LabelSpread, label_screens, likely_mistakes, uncertain_rows
from likeness.tagging import NewColumn
from pages.label import PAGE, answers
from pages.label.spread import SpreadRequest, without
from parts import cached, progress, sidebar
from parts.label_edits import try_edit
from parts.plain import plain
from parts.view import View, current_view
from server import hand_labels
from state import Item, state

_SCREEN = 24  # images
_METHODS = {"propagation": "Label propagation", "probe": "Linear probe"}
_STEPS = {
    "sure": "Confirm",
    "uncertain": "Uncertain",
    "mistakes": "Possibly wrong",
    "finish": "Apply to the rest",
}
_HIDDEN_CLASSES = 0.1  # share of images of classes without a label, from which on the page warns
_SPREAD = "{} (spread)"


class _Begin:
    """Which of the random screens of images is shown where there are no labels yet."""

    prefix = "label_"
    screen = Item(0)


_begin = _Begin()


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head()
    reason = hand_labels.refusal_to_tag(view.entry, view.base.table) or hand_labels.problem(view.entry)
    if reason or cached.is_state(view.entry.id):
        st.info(plain(reason) or "Images are still being embedded. Label them when that is done.", icon=":material/info:")
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
            f"If you picked the labeled images at random, about {found.unseen:.0%} of all images belong to values that you have not used yet. "
            "Their suggestions are wrong, however high the confidence."
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
    made = [name for name in columns if name.endswith(_SPREAD.format(""))]  # by this page, not by people
    names = sorted((name for name in columns if name not in made), key=lambda name: values[name] < 2)  # those that spread first
    if not names:
        _start(view, "", "**Nothing is labeled yet.** Tick a few similar images and say what they are. Then do the same for another value.")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Attribute", names, key="label_attribute", width=240)
        spaces = {sidebar.readable(space.name): space for space in view.spaces}
        space = st.selectbox("Space", list(spaces), key="label_space", width=240, help="Similar images in it get the same label.")
        method = st.segmented_control("Method", METHODS, format_func=_METHODS.__getitem__, default=METHODS[0], required=True, key="label_method")
    together = hand_labels.given_together(view.entry, view.base.table, name)
    request = SpreadRequest(spaces[space], name, columns[name], method or METHODS[0], together)
    if len(request.classes) < 2:
        value = plain(request.classes[0]) if request.classes else "one value"
        _start(view, name, f"**All labeled images have {value}.** Label a few that have another value: two are needed.", request.column)
        return None
    return request


def _start(view: View, name: str, sentence: str, column: str | None = None) -> None:
    """Offers some images to label first, drawn at random; those that have a value already are left out."""
    st.markdown(sentence)
    frame = view.base.table.frame
    order = np.random.default_rng(_begin.screen).permutation(len(frame))  # of all, so that those that stay do not move
    unlabeled = order[frame[column].isna().to_numpy()[order]] if column else order
    answers.start(view, name, unlabeled[:_SCREEN])
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(unlabeled) > _SCREEN:
            st.button("Show other images", key="label_others", icon=":material/casino:", on_click=_show_others)
        st.page_link("pages/explore/page.py", label="Select images on the map instead", icon=":material/scatter_plot:")


def _show_others() -> None:
    _begin.screen += 1


def _sure(view: View, request: SpreadRequest, found: LabelSpread) -> None:
    """A screen of images that are expected to have one value."""
    left = answers.left_over(view, request.column)
    if len(left):
        answers.ask(view, request, left, f"What are these {len(left)}?" if len(left) > 1 else "What is this?", key="left", put_off="sure")
        return
    skipped = answers.put_off(view, request.column, "sure")
    screens = [screen for screen in (without(each, skipped) for each in label_screens(found, _SCREEN)) if len(screen)]
    if not screens:
        st.info("Every image is labeled or skipped.", icon=":material/info:")
        if skipped:
            st.button("Show the skipped images", on_click=answers.bring_back, args=(view, request.column))
        return
    screen = screens[0]
    answers.confirm(view, request, screen, str(found.classes[found.numbers[screen[0]]]), float(found.confidence[screen].mean()))


def _uncertain(view: View, request: SpreadRequest, found: LabelSpread) -> None:
    skipped = answers.put_off(view, request.column, "sure")
    rows = without(uncertain_rows(found, _SCREEN + min(len(skipped), 200)), skipped)[:_SCREEN]
    if not len(rows):
        st.info("Every image is labeled or skipped.", icon=":material/info:")
        return
    guesses = [f"{found.classes[found.best[row]]}? {found.probabilities[row].max():.0%}" for row in rows]
    answers.ask(view, request, rows, "Label these: they are the most informative.", key="uncertain", put_off="sure", captions=guesses, ticked=False)


def _mistakes(view: View, request: SpreadRequest, found: LabelSpread, wrong: np.ndarray) -> None:
    if not len(wrong):
        st.info("No label looks wrong.", icon=":material/info:")
        return
    rows = wrong[:_SCREEN]
    captions = [f"{found.classes[found.given[row]]}; {found.classes[found.best[row]]}?" for row in rows]
    answers.ask(view, request, rows, "Check these: their labels may be wrong.", key="mistakes", put_off="mistakes", captions=captions, ticked=False)


def _offer_spread(view: View, request: SpreadRequest, found: LabelSpread) -> None:
    """Draws how many images are how sure, and the button that keeps them."""
    at_least = st.slider("Minimum confidence", 0.0, 1.0, 0.9, 0.01, key="label_threshold", format="percent", width=420)
    more = (found.given < 0) & (found.confidence >= at_least)
    kept = (found.given >= 0) | more
    name = _SPREAD.format(request.name)
    sentence = f"**{kept.sum():,}** of {len(found):,} images: {(found.given >= 0).sum():,} labeled by people and {more.sum():,} suggested"
    st.markdown(sentence + (f". About {1 - found.confidence[more].mean():.0%} of these are likely wrong." if more.any() else "."))
    counts = _counts_of(found, kept)
    most = int(counts["images"].max()) or 1
    bars = {"images": st.column_config.ProgressColumn("Images", format="localized", min_value=0, max_value=most)}
    st.dataframe(counts, column_config=bars, hide_index=True, height="auto" if len(counts) <= 10 else 400, width=420)
    with st.container(horizontal=True):
        st.button(
            plain(f"Save as “{name}”"),
            key="label_keep",
            type="primary",
            icon=":material/label:",
            on_click=_keep_labels,
            args=(view, found, kept, name),
            help="Adds an attribute that other pages can color, filter and evaluate by. Labels that people gave stay as they are.",
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
    state.next_color = name
    st.toast(f"{edit.images:,} images have it now. Explore is colored by it." if edit.id else "Nothing has changed.", icon=":material/label:")


main()
