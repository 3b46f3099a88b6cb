"""What a comparison depends on, as curves and bars: the number of dimensions, the encoder, the number of prompts."""

from collections.abc import Callable, Hashable, Mapping, Sequence
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
from pages.methods.measure import (
    PAPER_DIM,
    MeasureRequest,
    called,
    choose_dimension,
    choose_methods,
    choose_notions,
    choose_runs,
    content_of,
    labeled_notions,
    measuring,
    with_baseline,
)
from parts import cached, downloads, permissions, sidebar
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server.access import redact, resolve_encoder, store_dir
from server.jobs import Job, Stage, Work

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    Plot = Callable[..., Figure]


Sentences = Callable[[pd.DataFrame, str], list[str]]

_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)
_MOST_PROMPTS = 150  # of the paper
_FRAME = 460  # height of a plot before it is there


def show_sizes(view: View) -> None:
    """How many dimensions are best."""
    st.caption("How many dimensions does a notion need? Few keep what varies most between the prompts; many also keep their wording.")
    possible = [size for size in _SIZES if size <= view.base.vectors.shape[1]]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        notions = choose_notions(view, "sizes_notions")
        methods = with_baseline(choose_methods(("random-transform", "exact"), "sizes_methods"))
        first, last = st.select_slider("Dimensions", possible, (possible[0], possible[-1]), key="sizes_range", bind="query-params")
        sizes = [size for size in possible if first <= size <= last]
        runs = choose_runs(3, "sizes_runs")
        request = _request(
            f"Dimensions of {called(notions)}" if notions and len(methods) > 1 else "",
            ("sizes", _content(view, notions), methods, tuple(sizes), runs),
            measuring(embedding_sizes, view.base, notions, methods, sizes, range(runs), metrics=ANALYSIS_METRICS),
            partial(_draw, slot="sizes", plot=partial(metric_curve, x="dim", log_x=True), sentences=partial(_about_sizes, view, notions)),
        )
        measure.start_button("Measure", request, "sizes_start")
    _show(view, "sizes", request, "Fits each method at each number of dimensions; a curve shows which number works best.")


def show_encoders(view: View) -> None:
    """Whether a larger encoder is better."""
    st.caption("Does a larger encoder help? Each one embeds the images and the prompts, which takes a while the first time.")
    if permissions.refused("edit"):  # vectors of another encoder are kept
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        encoders = st.multiselect(
            "Encoders",
            [*SHIPPED_ENCODERS, *PAPER_ENCODERS],
            default=SHIPPED_ENCODERS,
            key="encoders",
            bind="query-params",
            accept_new_options=True,
            help="The two shipped encoders, the paper's three, or another one by name. Missing weights are downloaded.",
        )
        notions = choose_notions(view, "encoders_notions")
        methods = with_baseline(choose_methods(("exact",), "encoders_methods"))
        dim = choose_dimension(view, "encoders_dim")
        runs = choose_runs(3, "encoders_runs")
        refused = downloads.refused_encoders(encoders)
        request = _request(
            f"Encoders for {called(notions)}" if notions and encoders else "",
            ("encoders", _content(view, notions), tuple(encoders), methods, dim, runs),
            _measuring_encoders(store_dir(view.entry), refused, view.base.table, encoders, notions, methods, dim, range(runs)),
            partial(_draw, slot="encoders", plot=partial(metric_bars, x="encoder"), sentences=_about_encoders),
            repeatable=True,  # an encoder whose weights were missing may be there the next time
        )
        measure.start_button("Measure", request, "encoders_start")
    _show(
        view,
        "encoders",
        request,
        "Bars show how well each method does with each encoder. Add the Oracle to see what is possible with labels.",
    )


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
    """How many prompts are enough."""
    st.caption("How many prompts does a notion need? Each run fits a random sample of them.")
    notions = labeled_notions(view)
    names = sorted(notions, key=lambda name: -len(notions[name].aspects))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        notion = notions[st.selectbox("Notion", names, format_func=lambda name: _sized(notions[name]), key="prompts_notion", bind="query-params")]
        methods = with_baseline(choose_methods(("exact",), "prompts_methods"))
        counts = _counts(len(notion.aspects))
        dim = choose_dimension(view, "prompts_dim")
        runs = choose_runs(5, "prompts_runs")
        request = _request(
            f"Prompts of {notion.name}" if len(methods) > 1 else "",
            ("prompts", _content(view, [notion]), tuple(counts), methods, dim, runs),
            measuring(prompt_counts, view.base, notion, counts, methods, dim, range(runs), metrics=ANALYSIS_METRICS),
            partial(_draw, slot="prompts", plot=partial(metric_curve, x="prompts"), sentences=_about_prompts),
        )
        measure.start_button("Measure", request, "prompts_start")
    _show(view, "prompts", request, f"From {counts[0]} to {counts[-1]} prompts: a curve shows when more prompts stop helping.")


def _sized(notion: Notion) -> str:
    return f"{sidebar.readable(notion.name)} ({len(notion.prompts)} prompts)"


def _counts(prompts: int) -> list[int]:
    """The paper's 10, 20 ... 150 as far as there are prompts; every number from 2 where there are few."""
    return list(range(10, min(prompts, _MOST_PROMPTS) + 1, 10)) if prompts >= 30 else list(range(2, prompts + 1))


def _content(view: View, notions: Sequence[Notion]) -> Hashable:
    return view.base.key, content_of(notions)


def _request(title: str, content: Hashable, work: Work, draw: Callable[[Job], None], repeatable: bool = False) -> MeasureRequest | None:
    """The analysis of this title; None where the title is empty because something is still to be chosen."""
    return MeasureRequest(content, title, work, draw, repeatable) if title else None


def _show(view: View, slot: str, request: MeasureRequest | None, summary: str) -> None:
    if request is None:
        st.warning("Choose at least one option in each field.", icon=":material/warning:")
    measure.show(f"{slot}_{view.dataset}", request, lambda: st.container(border=True).markdown(f"**Nothing measured yet.** {summary}"))


def _about_sizes(view: View, notions: Sequence[Notion], runs: pd.DataFrame, metric: str) -> list[str]:
    own = {sidebar.readable(notion.name): cached.dim_of(view.entry.id, notion) for notion in notions}
    lines = sentences(runs, "dim", metric, lambda dim: f"at {dim} dimensions", lambda dims: PAPER_DIM if PAPER_DIM in dims else dims[-1])
    alone = ", ".join(f"{dim} for {plain(name.lower())}" for name, dim in own.items())
    return [*lines, f"Each notion's own number of dimensions, chosen without labels: {alone}."]


def _about_encoders(runs: pd.DataFrame, metric: str) -> list[str]:
    return sentences(runs, "encoder", metric, lambda name: f"on {plain(str(name))}", lambda names: names[0])


def _about_prompts(runs: pd.DataFrame, metric: str) -> list[str]:
    lines = sentences(runs, "prompts", metric, lambda count: f"at {count} prompts", lambda counts: counts[0])
    rank = int(runs["rank"].max())
    if 0 < rank < runs["prompts"].max():
        lines.append(f"The text encoder has {rank} dimensions, so more than {rank} prompts add no further direction.")
    return lines


def _draw(job: Job, slot: str, plot: "Plot", sentences: Sentences) -> None:
    metric = _metric(slot)
    if not job.found:
        st.container(height=_FRAME, border=False)
        return
    summary, figure = _summary(job.stamp, metric, measure.runs_of(job), plot, sentences)
    st.markdown(summary)
    if figure:
        st.plotly_chart(figure, theme="streamlit", key=f"{slot}_plot", config={"displaylogo": False})


@st.cache_resource(max_entries=64, show_spinner=False)
def _summary(stamp: str, metric: str, _runs: pd.DataFrame, _plot: "Plot", _sentences: Sentences) -> "tuple[str, Figure | None]":
    """What the runs so far say, in Markdown, and their plot; None where every run was refused."""
    lines = [*_sentences(_runs, metric), *(f":gray[Left out: {plain(redact(reason))}]" for reason in refusals(_runs))]
    figure = None if (_runs["refused"] != "").all() else _plot(_runs, metric=metric)
    return "\n".join(f"- {line}" for line in lines), figure


def _metric(slot: str) -> str:
    chosen = st.segmented_control(
        "Metric",
        ANALYSIS_METRICS,
        default=ANALYSIS_METRICS[0],
        required=True,
        format_func=metric_title,
        key=f"{slot}_metric",
        label_visibility="collapsed",
        bind="query-params",
    )
    st.caption(find_metric(chosen or ANALYSIS_METRICS[0]).help)
    return chosen or ANALYSIS_METRICS[0]


_NO_RIVAL = ("raw", "oracle")  # the baseline, and what sees the labels


def sentences(runs: pd.DataFrame, x: str, metric: str, at: Callable[[Hashable], str], elsewhere: Callable[[list[Hashable]], Hashable]) -> list[str]:
    """A sentence, in Markdown, for each notion that has a finished run.

    Args:
        runs: from an analysis of `likeness.evaluation`.
        x: the column it varies.
        metric: one of `METRICS`.
        at: says a value of `x`, "at 8 dimensions".
        elsewhere: of the values of `x` that the best method has, in their order, the one to name beside the best.
    """
    done = runs[runs["refused"] == ""]
    means = done.groupby(["notion", "method", x], sort=False)[metric].mean()
    return [_sentence(str(notion), group.droplevel("notion"), metric, at, elsewhere) for notion, group in means.groupby("notion", sort=False)]


def _sentence(
    notion: str, means: "pd.Series[float]", metric: str, at: Callable[[Hashable], str], elsewhere: Callable[[list[Hashable]], Hashable]
) -> str:
    by_method: Mapping[str, pd.Series[float]] = {str(method): line.droplevel("method") for method, line in means.groupby("method", sort=False)}
    rivals = {method: line for method, line in by_method.items() if method not in _NO_RIVAL}
    raw = f"the raw encoder has {by_method['raw'].iloc[0]:.3f}" if "raw" in by_method else ""
    if not rivals:
        return f"**{plain(readable(notion))}**: {raw or 'nothing yet'}."
    best = max(rivals, key=lambda method: rivals[method].max())
    line = rivals[best]
    place, other = line.idxmax(), elsewhere(list(line.index))
    parts = [f"best with {METHOD_TITLES[best]} **{at(place)}**: {metric_title(metric)} **{line.max():.3f}**"]
    if other != place:
        parts.append(f"{at(other)} it has {line[other]:.3f}")
    return f"**{plain(readable(notion))}**: {'; '.join([*parts, *([raw] if raw else [])])}."
