"""Which searches got better or worse from space A to space B, in the whole, by class and by image."""

import pandas as pd
import streamlit as st

from background import Job, run_in_background
from components.gallery import Section, gallery
from likeness.comparisons import SCORES, QueryChanges, query_changes
from likeness.space import Space
from pages.compare.changed_neighbors import TILE, neighbors_of, to_explore
from shared import cached, filters, progress, selection
from shared.plain import plain
from shared.sidebar import readable
from shared.view import View, current_view

_LISTED, _KEPT = 12, 16
_SCORE_HELP = (
    "- **Average precision**: the precision at each image of the same label that is found, averaged; 1 where all come first.\n"
    "- **R-precision**: of the R nearest, where R others have the label, the share that has it.\n"
    "- **Recall@1**: 1 where the nearest image has the label."
)


def show(view: View, b: Space) -> None:
    """Draws the view for spaces A and `b`."""
    labels = [name for name in view.base.table.attributes if _is_label(view.base.table.frame, name)]
    if not labels:
        st.info("These images have no labels, so nothing says which search is right. Give labels or tags on Explore.", icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, score = _choose(view, b, labels)
    job = _queries(view, b, label, score)
    if progress.follow(job):
        st.fragment(_draw)(job.result, b, label)


def _is_label(frame: pd.DataFrame, name: str) -> bool:
    return not pd.api.types.is_float_dtype(frame[name]) and 1 < filters.distinct(frame, name) < max(3, len(frame) // 2)


def _choose(view: View, b: Space, labels: list[str]) -> tuple[str, str]:
    judge = view.judges.get(b.key) or view.judges.get(view.a.key) or view.color
    if st.session_state.get("changes_label") not in labels:
        st.session_state["changes_label"] = judge if judge in labels else labels[0]
    label = st.selectbox("Right is the same", labels, format_func=readable, key="changes_label", width=240)
    score = st.selectbox("Score", list(SCORES), format_func=SCORES.__getitem__, key="changes_score", width=240, help=_SCORE_HELP)
    return str(label), str(score)


def _queries(view: View, b: Space, label: str, score: str) -> Job:
    a = view.a
    values = cached.content_of_column(a.table.frame, label)

    def work(job: Job) -> QueryChanges:
        return query_changes(a, b, label, score, progress=job.report, should_stop=job.should_stop)

    title = f"Searches in {readable(a.name)} and {readable(b.name)}"
    return run_in_background("query changes", (a.key, b.key, label, score, values), title, work, unit="spaces", kept=_KEPT)


def _draw(found: QueryChanges, b: Space, label: str) -> None:
    view = current_view()
    st.markdown(_sentence(found, view.a, b))
    frame = found.frame()
    if view.hidden is not None:
        frame = frame[~view.hidden[frame["row"].to_numpy()]]
    worse, better = frame[frame["difference"] < 0].head(_LISTED), frame[frame["difference"] > 0].iloc[::-1].head(_LISTED)
    sections = [
        Section(
            title,
            part["row"].tolist(),
            captions=[f"{before:.2f} → {after:.2f}" for before, after in zip(part["a"], part["b"], strict=True)],
            note=f"{SCORES[found.score]} in {readable(view.a.name)} → {readable(b.name)}.",
            empty=empty,
        )
        for title, part, empty in (("Lost most", worse, "No search got worse."), ("Gained most", better, "No search got better."))
    ]
    gallery(sections, thumbnails=view.thumbnails, key="changes_queries", query=view.query, layout="columns", tile=TILE, on_click=selection.ask)
    if len(worse) or len(better):
        shown = worse if len(worse) else better
        neighbors_of(view, b, int(shown["row"].iloc[0]), label)
        to_explore(shown["row"].to_numpy())
    _draw_classes(found, view.a, b, label)


def _sentence(found: QueryChanges, a: Space, b: Space) -> str:
    figures = found.summary()
    first, second = plain(readable(a.name)), plain(readable(b.name))
    over_classes = "" if pd.isna(figures["class_low"]) else f", {figures['class_low']:+.3f} to {figures['class_high']:+.3f} over classes"
    certain = "nobody can tell from these images which space is better" if figures["low"] <= 0 <= figures["high"] else ""
    dim = min(a.vectors.shape[1], b.vectors.shape[1])
    control = f" A random projection of {plain(readable(found.wide))} to {dim} dimensions has {figures['control']:.3f}."
    return (
        f"{SCORES[found.score]}: {figures['mean_a']:.3f} in **{first}**, {figures['mean_b']:.3f} in **{second}**, a difference of "
        f"**{figures['difference']:+.3f}** (95 % interval {figures['low']:+.3f} to {figures['high']:+.3f} over images{over_classes})"
        + (f": {certain}. " if certain else ". ")
        + f"{figures['better']:,.0f} searches got better, {figures['worse']:,.0f} worse, {figures['equal']:,.0f} stayed.{control}"
    )


def _draw_classes(found: QueryChanges, a: Space, b: Space, label: str) -> None:
    st.markdown(f"**By {plain(readable(label).lower())}**, the largest loss first")
    frame = found.per_class()
    number = st.column_config.NumberColumn
    st.dataframe(
        frame,
        hide_index=True,
        width="content",
        height=min(3 + 35 * (1 + len(frame)), 420),
        column_config={
            "label": readable(label),
            "queries": number("Images"),
            "a": number(readable(a.name), format="%.3f"),
            "b": number(readable(b.name), format="%.3f"),
            "difference": number("Difference", format="%+.3f"),
            "better": number("Better"),
            "worse": number("Worse"),
            "p": number("p", format="%.2g", help="Sign test of better against worse, adjusted for the number of rows: below 0.05 is hardly chance."),
        },
    )
