"""What a comparison depends on, as curves and bars: dimensions, encoder, number of prompts."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from likeness.data import ImageTable
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.evaluation import find_metric, metric_title
from likeness.notions import METHOD_TITLES, Notion
from likeness.plots import metric_bars, metric_curve
from likeness.space import Space
from likeness.studies import ANALYSIS_METRICS, PAPER_ENCODERS, SHIPPED_ENCODERS, embedding_sizes, encoder_sizes, prompt_counts, refusals
from pages.methods import measure
from pages.methods.measure import called, choose_dimension, choose_methods, choose_notions, choose_runs, content_of, measuring
from parts import cached, downloads, permissions
from parts.plain import plain, prose
from parts.sidebar import readable
from parts.view import View
from server.access import redact, resolve_encoder, store_dir
from server.jobs import Job, Stage, Work

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Sentences = Callable[[pd.DataFrame, str], list[str]]
Plot = Callable[..., "Figure"]

_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)
_MOST_PROMPTS = 150  # of the paper
_NO_RIVAL = ("raw", "raw-code", "oracle")  # the baseline, and what sees the labels
_ENCODERS_HELP = "The two shipped encoders, the paper's three, or another one by name. Missing weights are downloaded."


def show_sizes(view: View) -> None:
    """The view on how many dimensions are best."""
    st.caption("Few dimensions keep what varies most between the prompts. Many also keep their wording.")
    possible = [size for size in _SIZES if size <= view.base.vectors.shape[1]]
    with st.container(horizontal=True, vertical_alignment="top"):
        notions = choose_notions(view, "sizes_notions")
        methods = choose_methods(("random-transform", "exact"), "sizes_methods")
        first, last = st.select_slider("Dimensions", possible, (possible[0], possible[-1]), key="sizes_range", bind="query-params")
        seeds = choose_runs(3, "sizes_runs")
    sizes = [size for size in possible if first <= size <= last]
    title = f"Dimensions of {called(notions)}" if notions and methods else ""
    work = measuring(embedding_sizes, view.base, notions, methods, sizes, seeds, metrics=ANALYSIS_METRICS)
    draw = partial(_draw, "sizes", partial(metric_curve, x="dim", log_x=True), partial(_about_sizes, view, notions))
    key = ("sizes", content_of(view, notions), methods, tuple(sizes), seeds)
    help = "**How many dimensions does a notion need?** Fits each method at each number of dimensions; a curve shows which number works best."
    measure.show("Measure", help, title, key, work, draw)


def show_encoders(view: View) -> None:
    """The view on whether a larger encoder is better."""
    st.caption("Each encoder embeds the images and the prompts, which takes a while the first time.")
    if permissions.refused("edit"):  # vectors of another encoder are kept
        return
    with st.container(horizontal=True, vertical_alignment="top"):
        encoders = st.multiselect(
            "Encoders", [*SHIPPED_ENCODERS, *PAPER_ENCODERS], SHIPPED_ENCODERS, key="encoders", bind="query-params",
            accept_new_options=True, help=_ENCODERS_HELP, wrap=True,
        )  # fmt: skip
        notions = choose_notions(view, "encoders_notions")
        methods = choose_methods(("exact",), "encoders_methods")
        dim = choose_dimension(view, "encoders_dim")
        seeds = choose_runs(3, "encoders_runs")
    title = f"Encoders for {called(notions)}" if encoders and notions and methods else ""
    settings, refused = (view.base.table, encoders, notions, methods, dim, seeds), downloads.refused_encoders(encoders)
    work = _measuring_encoders(store_dir(view.entry), refused, *settings)
    draw = partial(_draw, "encoders", partial(metric_bars, x="encoder"), partial(sentences, x="encoder", at="on {}", other=0))
    key = ("encoders", content_of(view, notions), tuple(encoders), tuple(refused), methods, dim, seeds)
    help = "**Does a larger encoder help?** Bars show how well each method does with each encoder. Add the Oracle to see what labels make possible."
    measure.show("Measure", help, title, key, work, draw)


def _measuring_encoders(store: Path | None, refused: Mapping[str, str], *settings: Any) -> Work:
    def work(job: Job) -> object:
        def embed_images(table: ImageTable, encoder: str) -> Space:
            def progress(done: int, total: int, stage: str = "") -> None:
                job.stage = Stage(f"{encoder} embeds the images", done, total)

            if encoder in refused:
                raise InputError(refused[encoder])
            try:
                downloads.fetch_encoder(resolve_encoder(encoder), job)
                return embed(table, resolve_encoder(encoder), store_dir=store, progress=progress, should_stop=job.should_stop)
            finally:
                job.stage = None

        return measuring(encoder_sizes, *settings, metrics=ANALYSIS_METRICS, embed=embed_images)(job)

    return work


def show_prompts(view: View) -> None:
    """The view on how many prompts are enough."""
    st.caption("Each run fits a random sample of the notion's prompts.")
    notions = measure.labeled_notions(view)
    sized = {name: f"{readable(name)} ({len(notion.prompts)} prompts)" for name, notion in notions.items()}
    names = sorted(notions, key=lambda name: -len(notions[name].aspects))
    with st.container(horizontal=True, vertical_alignment="top"):
        notion = notions[st.selectbox("Notion", names, format_func=sized.__getitem__, key="prompts_notion", bind="query-params")]
        methods = choose_methods(("exact",), "prompts_methods")
        dim = choose_dimension(view, "prompts_dim")
        seeds = choose_runs(5, "prompts_runs")
    counts = _counts(len(notion.aspects))
    work = measuring(prompt_counts, view.base, notion, counts, methods, dim, seeds, metrics=ANALYSIS_METRICS)
    title, key = f"Prompts of {notion.name}" if methods else "", ("prompts", content_of(view, [notion]), methods, dim, seeds)
    help = f"**How many prompts are enough?** From {counts[0]} to {counts[-1]} prompts: a curve shows when more prompts stop helping."
    draw = partial(_draw, "prompts", partial(metric_curve, x="prompts"), _about_prompts)
    measure.show("Measure", help, title, key, work, draw)


def _counts(prompts: int) -> list[int]:
    """The paper's 10, 20 ... 150, up to the number of prompts; every number from 2 if there are few."""
    return list(range(10, min(prompts, _MOST_PROMPTS) + 1, 10)) if prompts >= 30 else list(range(2, prompts + 1))


def _about_sizes(view: View, notions: list[Notion], runs: pd.DataFrame, metric: str) -> list[str]:
    own = ", ".join(f"{cached.dim_of(view.entry.id, notion)} for {plain(readable(notion.name).lower())}" for notion in notions)
    lines = sentences(runs, metric, "dim", "at {} dimensions", -1)
    return [*lines, f"Each notion's own number of dimensions, chosen without labels: {own}."]


def _about_prompts(runs: pd.DataFrame, metric: str) -> list[str]:
    lines, rank = sentences(runs, metric, "prompts", "at {} prompts", 0), int(runs["rank"].max())
    if 0 < rank < runs["prompts"].max():
        lines.append(f"The text encoder has {rank} dimensions, so more than {rank} prompts add no further direction.")
    return lines


def sentences(runs: pd.DataFrame, metric: str, x: str, at: str, other: int) -> list[str]:
    """A Markdown sentence for each notion that has a finished run.

    Args:
        runs: from an analysis of `likeness.evaluation`.
        metric: one of `METRICS`.
        x: the column it varies.
        at: phrase for a value of `x`, such as "at {} dimensions".
        other: which value of `x` to compare the best one with: the first (0) or the last (-1).
    """
    means = runs[runs["refused"] == ""].groupby(["notion", "method", x], sort=False)[metric].mean()
    lines = []
    for notion, group in means.groupby("notion", sort=False):
        by_method = {str(method): line.droplevel(["notion", "method"]) for method, line in group.groupby("method", sort=False)}
        rivals = {method: line for method, line in by_method.items() if method not in _NO_RIVAL}
        parts = []
        if rivals:
            best = max(rivals, key=lambda method: rivals[method].max())
            line, place = rivals[best], rivals[best].idxmax()
            parts.append(f"best with {METHOD_TITLES[best]} **{plain(at.format(place))}**: {metric_title(metric)} **{line.max():.3f}**")
            if line.index[other] != place:
                parts.append(f"{plain(at.format(line.index[other]))} it has {line.iloc[other]:.3f}")
        if "raw" in by_method:
            parts.append(f"the raw encoder has {by_method['raw'].iloc[0]:.3f}")
        lines.append(f"**{plain(readable(str(notion)))}**: {'; '.join(parts) or 'nothing yet'}.")
    return lines


def _draw(slot: str, plot: Plot, about: Sentences, job: Job) -> None:
    metric = measure.choose_metric(slot, ANALYSIS_METRICS)
    st.caption(find_metric(metric).help)
    if not job.found:
        st.container(height=460, border=False)  # of a plot
        return
    summary, figure = _summary(job.stamp, metric, pd.DataFrame(list(job.found)), plot, about)
    st.markdown(summary)
    if figure:
        st.plotly_chart(figure, theme="streamlit", key=f"{slot}_plot", config={"displaylogo": False})


@st.cache_resource(max_entries=64, show_spinner=False)
def _summary(stamp: str, metric: str, _runs: pd.DataFrame, _plot: Plot, _about: Sentences) -> "tuple[str, Figure | None]":
    """The results so far, in Markdown, and their plot; None if all runs were rejected."""
    lines = [*_about(_runs, metric), *(f":gray[Left out: {prose(redact(reason))}]" for reason in refusals(_runs))]
    figure = None if (_runs["refused"] != "").all() else _plot(_runs, metric=metric)
    return "\n".join(f"- {line}" for line in lines), figure
