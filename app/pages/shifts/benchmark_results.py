"""What a benchmark found so far: scores against distance, scores over all splits, what a few images bring, and what goes with a good score."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from access import redact
from likeness.errors import InputError
from likeness.evaluation import (
    by_split,
    correlations_without,
    few_shot_gains,
    generalization_scores,
    rise_by_removal,
    scaled_structure,
    structure_correlations,
)
from likeness.plots import PROPERTIES, few_shot_bars, few_shot_curves, generalization_bars, generalization_curves, structure_scatter
from shared import run_words
from shared.plain import plain

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MATCHED = "matched_recall_at_1"
_QUIET = {"displayModeBar": False}
_NAMES = {"recall_at_1": "R@1", "map_at_1000": "mAP@1000", MATCHED: "R@1 among equally many classes"}
_HELP = {
    MATCHED: "R@1 with the same number of test classes on every split, since fewer classes make retrieval easier. The test classes were not "
    "trained on.",
}
_MEAN = "Mean of all methods"


def choose(columns: Collection[str]) -> str:
    """The switch between the figures that the runs have."""
    names = [name for name in _NAMES if name in columns] or ["recall_at_1"]
    if st.session_state.get("benchmark_figure") not in names:
        st.session_state.pop("benchmark_figure", None)
    chosen = st.segmented_control(
        "Figure",
        names,
        default=names[0],
        required=True,
        format_func=lambda name: _NAMES[name],
        key="benchmark_figure",
        label_visibility="collapsed",
    )
    return str(chosen or names[0])


def show(measured: pd.DataFrame, methods: Sequence[str], figure: str, name: str) -> None:
    """Draws the results.

    Args:
        measured: a line per finished run, as `likeness.studies.study.measured`.
        methods: all of the benchmark, in the order in which they get their looks.
        figure: the column that is compared.
        name: of the benchmark, for the file of the table.
    """
    if measured.empty or figure not in measured:
        with st.container(height=380, border=True, vertical_alignment="center", horizontal_alignment="center"):
            st.caption("Nothing measured yet. A point appears with each run that is done.")
        return
    found = by_split(measured, figure)
    _against_distance(found, methods, figure, MATCHED in measured)
    _over_all_splits(measured, methods, figure)
    _few_shot(measured, methods)
    _structure(measured, methods, figure)
    _table(measured, found, figure, name)


def _against_distance(found: pd.DataFrame, methods: Sequence[str], figure: str, has_matched: bool) -> None:
    st.caption(f"{_HELP.get(figure) or run_words.metric_help(figure)} Whiskers: one standard deviation over the seeds.")
    drawn = _drawn(generalization_curves, found, named=_NAMES[figure], methods=methods)
    st.plotly_chart(drawn, theme="streamlit", key="benchmark_curves", config=_QUIET)
    rise = rise_by_removal(found)
    if rise:
        remedy = "" if figure == MATCHED or not has_matched else f" {_NAMES[MATCHED]}, above, takes out that there are fewer of them."
        st.caption(
            f":material/info: {_NAMES[figure]} rises from {rise.score_before:.3f} on {plain(rise.before)} to {rise.score_after:.3f} on "
            f"{plain(rise.after)}, averaged over the methods, though train and test lie farther apart there. Removal steps take classes away on "
            "both sides, and the "
            f"removed ones are the hardest to tell apart: the remaining test classes are fewer and easier.{remedy}"
        )


def _over_all_splits(measured: pd.DataFrame, methods: Sequence[str], figure: str) -> None:
    st.subheader("Over all splits", divider="gray")
    st.caption(
        f"The area under a method's line above, with the distances scaled to 0 to 1: an average of {_NAMES[figure]} over the "
        "whole range from easy to hard (aggregated generalization score, AGS)."
    )
    scores = generalization_scores(measured, figure)
    if scores.empty:
        st.caption(":material/hourglass_empty: A bar appears with each method that has been measured on all splits.")
        return
    st.plotly_chart(_drawn(generalization_bars, scores, methods=methods), theme="streamlit", key="benchmark_ags", config=_QUIET)


def _few_shot(measured: pd.DataFrame, methods: Sequence[str]) -> None:
    gains = few_shot_gains(measured)
    if gains.empty:
        return
    st.subheader("With a few images of each new class", divider="gray")
    st.caption(
        "R@1 on the test classes before and after the trained layer is adapted to a few of their images; the other images are searched. "
        "On the left each split, with the relative gain above the bars; on the right the gain of each method."
    )
    options = [_MEAN, *(row for row in methods if row in set(gains["row"]))]
    if st.session_state.get("benchmark_shots_of") not in options:
        st.session_state["benchmark_shots_of"] = _MEAN
    chosen = st.selectbox("Bars of", options, key="benchmark_shots_of", width=260)
    bars, curves = st.columns(2, gap="medium")
    with bars:
        drawn = _drawn(few_shot_bars, gains, None if chosen == _MEAN else chosen)
        st.plotly_chart(drawn, theme="streamlit", key="benchmark_shots", config=_QUIET)
    with curves:
        st.plotly_chart(_drawn(few_shot_curves, gains, methods=methods), theme="streamlit", key="benchmark_gains", config=_QUIET)


def _structure(measured: pd.DataFrame, methods: Sequence[str], figure: str) -> None:
    scaled = scaled_structure(measured, figure)
    if scaled.empty:
        return
    st.subheader("Does the shape of the space predict it?", divider="gray")
    st.caption(
        f"Each point is a run: a property of the training images' space against {_NAMES[figure]} on the test classes, both scaled from 0 to 1 within "
        "their split. A line that rises or falls shows that the property predicts which methods do well; a correlation of 0 shows that it does not. "
        "Distance: between the centers of two classes. Spread: between images of one class. Uneven use: how unequally directions are used."
    )
    try:
        drawn = _drawn(structure_scatter, scaled, structure_correlations(scaled), methods=methods)
    except InputError as error:
        st.caption(plain(redact(error)))
        return
    st.plotly_chart(drawn, theme="streamlit", key="benchmark_structure", config=_QUIET)
    left = [
        f"{PROPERTIES[name]} {weakest:+.2f} (without {plain(str(without))})" for name, _, weakest, without in _without(scaled).itertuples(index=False)
    ]
    if left:
        st.caption(f"What is left of the correlations over all splits at worst, without any one method: {', '.join(left)}.")


@st.cache_resource(max_entries=64, show_spinner=False)
def _without(scaled: pd.DataFrame) -> pd.DataFrame:
    return correlations_without(scaled)


@st.cache_resource(max_entries=64, show_spinner=False)
def _cached(name: str, _draw: "Callable[..., Figure]", given: Any, options: Any) -> "Figure":
    return _draw(*given, **options)


def _drawn(draw: "Callable[..., Figure]", *given: Any, **options: Any) -> "Figure":
    """A figure drawn once for the same numbers: plotly takes 0.1 s for each, and the page runs anew at every click."""
    return _cached(draw.__name__, draw, given, options)


def _table(measured: pd.DataFrame, found: pd.DataFrame, figure: str, name: str) -> None:
    st.subheader("Table", divider="gray")
    st.caption(f"{_NAMES[figure]}, averaged over seeds. The CSV file below holds all figures of all runs.")
    places = found[["split", "distance"]].drop_duplicates()
    titles = {str(split): f"{split} ({distance:.3g})" for split, distance in zip(places["split"], places["distance"], strict=True)}
    table = found.pivot(index="row", columns="split", values="mean").reindex(columns=list(titles)).rename(columns=titles)
    scores = generalization_scores(measured, figure).set_index("row")["ags"]
    table["AGS"] = [float(scores.get(row, float("nan"))) for row in table.index]
    order = [row for row in dict.fromkeys(measured["row"]) if row in table.index]
    shown = table.loc[order].reset_index(names="Method")
    st.dataframe(
        shown,
        hide_index=True,
        key="benchmark_table",
        column_config={str(column): st.column_config.NumberColumn(format="%.3f") for column in shown if column != "Method"},
    )
    st.download_button(
        "Download every run",
        measured.to_csv(index=False).encode(),
        f"{name}.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        key="benchmark_csv",
    )
