"""Searches that got better or worse from the left to the right map: overall, by class and by image."""

import pandas as pd
import streamlit as st

from likeness.comparisons import SCORES, QueryChanges, query_changes
from likeness.space import Space
from pages.what_changed.changed_neighbors import TILE, show_neighbors
from parts import cached, filters, progress, selection
from parts.gallery import Section, gallery
from parts.on_request import WorkRequest, jobs_on_request
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View, current_view
from server.jobs import Job

_LISTED, _KEPT = 12, 16
_LABEL_HELP = "A result is correct if it has the same value of this label as the query."
_SCORE_HELP = (
    "- **Average precision**: how early images with the same label come in the ranking; 1 if they all come first.\n"
    "- **R-precision**: if R other images have the label, the share of the R nearest that has it.\n"
    "- **Recall@1**: 1 if the nearest image has the same label, else 0."
)


def show(view: View, b: Space, labels: list[str]) -> None:
    """Draws the view for the left map's space and `b`; the chosen label defines correct results."""
    judge = view.judges.get(b.key) or view.judges.get(view.a.key) or view.color
    first = labels.index(judge) if judge in labels else 0
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = st.selectbox("Judge by", labels, first, format_func=readable, key="changes_label", width=240, help=_LABEL_HELP)
        score = st.selectbox("Score", list(SCORES), format_func=SCORES.__getitem__, key="changes_score", width=240, help=_SCORE_HELP)
    help = "**Which searches get better or worse?** Searches with every image on both maps. A result is correct if it has the label of the query."
    begun = jobs_on_request("Compare searches", help, _queries(view.a, b, label, score))
    if begun and progress.follow(*begun):
        st.fragment(_draw)(begun[0].result, b, label)


def labels_of(view: View) -> list[str]:
    """Attributes that can define correct results: few values, no fractional numbers."""
    frame = view.base.table.frame
    names = [name for name in view.base.table.attributes if not pd.api.types.is_float_dtype(frame[name])]
    return [name for name in names if 1 < filters.distinct(frame, name) < max(3, len(frame) // 2)]


def _queries(a: Space, b: Space, label: str, score: str) -> WorkRequest:
    def work(job: Job) -> QueryChanges:
        return query_changes(a, b, label, score, progress=job.report, should_stop=job.should_stop)

    key = (a.key, b.key, label, score, cached.content_of_column(a.table.frame, label))
    title = f"Searches in {readable(a.name)} and {readable(b.name)}"
    return WorkRequest("query changes", key, title, work, {"unit": "spaces", "max_finished": _KEPT})


def _draw(found: QueryChanges, b: Space, label: str) -> None:
    view = current_view()
    st.markdown(_sentence(found, view.a, b))
    frame = found.frame()
    frame = frame[frame["row"].isin(view.rows)]
    worse, better = frame[frame["difference"] < 0].head(_LISTED), frame[frame["difference"] > 0].iloc[::-1].head(_LISTED)
    sections, note = [], f"{SCORES[found.score]} in {readable(view.a.name)} → {readable(b.name)}."
    for title, part in (("Got worse", worse), ("Got better", better)):
        captions = [f"{before:.2f} → {after:.2f}" for before, after in zip(part["a"], part["b"], strict=True)]
        sections.append(Section(title, part["row"].tolist(), captions=captions, note=note, empty=f"No search {title.lower()}."))
    gallery(sections, thumbnails=view.thumbnails, key="changes_queries", query=view.query, layout="columns", tile=TILE, on_click=selection.ask)
    if len(worse) or len(better):
        show_neighbors(view, b, (worse if len(worse) else better)["row"].to_numpy(), label)
    st.markdown(f"**By {plain(readable(label).lower())}**, largest loss first")
    _draw_classes(found.per_class(), view.a, b, label)


def _sentence(found: QueryChanges, a: Space, b: Space) -> str:
    figures = found.summary()
    first, second = plain(readable(a.name)), plain(readable(b.name))
    dim = min(a.vectors.shape[1], b.vectors.shape[1])
    unsure = " These images do not show which space is better." if figures["low"] <= 0 <= figures["high"] else ""
    classes = "" if pd.isna(figures["class_low"]) else f"; {figures['class_low']:+.3f} to {figures['class_high']:+.3f} if classes are resampled"
    return (
        f"{SCORES[found.score]}, from 0 to 1: **{first}** {figures['mean_a']:.3f}, **{second}** {figures['mean_b']:.3f}, a difference of "
        f"**{figures['difference']:+.3f}** (95 % interval {figures['low']:+.3f} to {figures['high']:+.3f}{classes}).{unsure} "
        f"{figures['better']:,.0f} searches got better, {figures['worse']:,.0f} got worse, and {figures['equal']:,.0f} did not change. "
        f"For comparison, a random projection of {plain(readable(found.wide))} to {dim} dimensions reaches {figures['control']:.3f}."
    )


def _draw_classes(frame: pd.DataFrame, a: Space, b: Space, label: str) -> None:
    number = st.column_config.NumberColumn
    columns = {
        "label": readable(label),
        "queries": number("Images"),
        "a": number(readable(a.name), format="%.3f"),
        "b": number(readable(b.name), format="%.3f"),
        "difference": number("Difference", format="%+.3f"),
        "better": number("Better"),
        "worse": number("Worse"),
        "p": number("p-value", format="%.2g", help="Probability of such a difference by chance (adjusted sign test); below 0.05 is unlikely."),
    }
    st.dataframe(frame, hide_index=True, width="content", column_config=columns)
