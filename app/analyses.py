"""What a comparison depends on, as curves and bars: the number of dimensions, the encoder, the number of prompts."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

import comparison_job
import live_runs
import sidebar
from analysis_words import found
from comparison_job import Compute, LiveRuns
from comparison_request import with_baseline
from comparison_settings import PAPER_DIM, choose_methods, choose_notions, choose_runs, labelled_notions
from comparison_words import METRICS_TOLD, called
from likeness.errors import InputError
from likeness.evaluation import ANALYSIS_METRICS, BUNDLED_ENCODERS, METRICS, PAPER_ENCODERS, embedding_sizes, encoder_sizes, prompt_counts, refusals
from likeness.notions import Notion
from likeness.plots import metric_bars, metric_curve
from live_runs import Asked
from view import View

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)
_MOST_PROMPTS = 150  # of the paper
_FRAME = 460  # height of a plot before it is there


def show_sizes(seen: View) -> None:
    """How many dimensions are best."""
    st.caption("How many numbers should describe an image? Few keep what varies most between the prompts; many also keep their wording.")
    possible = [size for size in _SIZES if size <= seen.base.space.vectors.shape[1]]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        notions = choose_notions(seen, "sizes_notions")
        methods = with_baseline(choose_methods(("random-transform", "exact"), "sizes_methods"))
        first, last = st.select_slider("Dimensions", possible, (possible[0], possible[-1]), key="sizes_range", bind="query-params")
        sizes = [size for size in possible if first <= size <= last]
        runs = choose_runs(3, "sizes_runs")
        asked = _asked(
            f"Dimensions of {called(notions)}" if notions and len(methods) > 1 else "",
            ("sizes", _content(seen, notions), methods, sizes, runs),
            partial(embedding_sizes, seen.base, notions, methods, sizes, range(runs), metrics=ANALYSIS_METRICS),
            _draw_sizes,
        )
        live_runs.start_button("Measure", asked, "sizes_start")
    _show("sizes", asked, "Each method is fitted at each number of dimensions; a curve shows where it finds images of the same label best.")


def show_encoders(seen: View) -> None:
    """Whether a larger encoder is better."""
    st.caption("Does a larger model of images and text help? Each embeds the images and reads the prompts anew; the first time takes a while.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        encoders = st.multiselect(
            "Encoders",
            [*BUNDLED_ENCODERS, *PAPER_ENCODERS],
            default=BUNDLED_ENCODERS,
            key="encoders",
            bind="query-params",
            accept_new_options=True,
            help="Two sizes of the bundled CLIP, the paper's three, or another one by its name. Weights that are not here are downloaded.",
        )
        notions = choose_notions(seen, "encoders_notions")
        methods = with_baseline(choose_methods(("exact",), "encoders_methods"))
        runs = choose_runs(3, "encoders_runs")
        asked = _asked(
            f"Encoders for {called(notions)}" if notions and encoders else "",
            ("encoders", _content(seen, notions), encoders, methods, runs),
            partial(encoder_sizes, seen.base.space.table, encoders, notions, methods, PAPER_DIM, range(runs), metrics=ANALYSIS_METRICS),
            _draw_encoders,
        )
        live_runs.start_button("Measure", asked, "encoders_start")
    _show("encoders", asked, "Bars show how well each method does on top of each encoder; add the Oracle to see what would be in reach with labels.")


def show_prompts(seen: View) -> None:
    """How many prompts are enough."""
    st.caption("How many prompts does a notion need? Samples of its prompts are drawn, fitted and judged; each run draws its own.")
    notions = labelled_notions(seen)
    names = sorted(notions, key=lambda name: -len(notions[name].prompts))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        notion = notions[st.selectbox("Notion", names, format_func=lambda name: _sized(notions[name]), key="prompts_notion", bind="query-params")]
        methods = with_baseline(choose_methods(("exact",), "prompts_methods"))
        counts = _counts(len(notion.prompts))
        runs = choose_runs(5, "prompts_runs")
        dim = min(PAPER_DIM, seen.base.space.vectors.shape[1])
        asked = _asked(
            f"Prompts of {notion.name}" if len(methods) > 1 else "",
            ("prompts", _content(seen, [notion]), counts, methods, runs),
            partial(prompt_counts, seen.base, notion, counts, methods, dim, range(runs), metrics=ANALYSIS_METRICS),
            _draw_prompts,
        )
        live_runs.start_button("Measure", asked, "prompts_start")
    _show("prompts", asked, f"From {counts[0]} to {counts[-1]} prompts; a curve shows when more of them stop to help.")


def _sized(notion: Notion) -> str:
    return f"{sidebar.readable(notion.name)} ({len(notion.prompts)} prompts)"


def _counts(prompts: int) -> list[int]:
    """The paper's 10, 20 ... 150 as far as there are prompts; every number from 2 where there are few."""
    return list(range(10, min(prompts, _MOST_PROMPTS) + 1, 10)) if prompts >= 30 else list(range(2, prompts + 1))


def _content(seen: View, notions: Sequence[Notion]) -> object:
    return seen.base.space.key, [(notion.name, notion.prompts, notion.attribute) for notion in notions]


def _asked(title: str, content: object, compute: Compute, draw: Callable[[LiveRuns], None]) -> Asked | None:
    """The analysis of this title; None where the title is empty because something is still to be chosen."""
    return Asked(comparison_job.key_of(content), title, compute, draw) if title else None


def _show(slot: str, asked: Asked | None, told: str) -> None:
    if asked is None:
        st.warning("Choose at least one of each to measure something.", icon=":material/warning:")
    live_runs.show(slot, asked, lambda: st.container(border=True).markdown(f"**Nothing measured yet.** {told}"))


def _draw_sizes(live: LiveRuns) -> None:
    _draw(
        live,
        "sizes",
        lambda runs, metric: metric_curve(runs, "dim", metric, log_x=True),
        lambda runs, metric: found(
            runs, "dim", metric, lambda dim: f"at {dim} dimensions", lambda dims: PAPER_DIM if PAPER_DIM in dims else dims[-1]
        ),
    )


def _draw_encoders(live: LiveRuns) -> None:
    _draw(
        live,
        "encoders",
        lambda runs, metric: metric_bars(runs, "encoder", metric),
        lambda runs, metric: found(runs, "encoder", metric, lambda name: f"on {name}", lambda names: names[0]),
    )


def _draw_prompts(live: LiveRuns) -> None:
    _draw(
        live,
        "prompts",
        lambda runs, metric: metric_curve(runs, "prompts", metric),
        lambda runs, metric: found(runs, "prompts", metric, lambda count: f"at {count} prompts", lambda counts: counts[0]),
    )


def _draw(live: LiveRuns, slot: str, figure: "Callable[[pd.DataFrame, str], Figure]", sentences: Callable[[pd.DataFrame, str], list[str]]) -> None:
    runs, metric = live.frame, _metric(slot)
    try:
        drawn = figure(runs, metric) if len(runs) else None
    except InputError as error:  # nothing but refused runs
        st.info(str(error), icon=":material/info:")
        return
    if drawn is None:
        st.container(height=_FRAME, border=False)
        return
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences(runs, metric)))
    st.plotly_chart(drawn, theme="streamlit", key=f"{slot}_plot", config={"displaylogo": False})
    for reason in refusals(runs):
        st.caption(f"Left out: {reason}")


def _metric(slot: str) -> str:
    chosen = st.segmented_control(
        "Metric",
        ANALYSIS_METRICS,
        default=ANALYSIS_METRICS[0],
        required=True,
        format_func=METRICS.__getitem__,
        key=f"{slot}_metric",
        label_visibility="collapsed",
        bind="query-params",
    )
    st.caption(METRICS_TOLD[chosen or ANALYSIS_METRICS[0]])
    return chosen or ANALYSIS_METRICS[0]
