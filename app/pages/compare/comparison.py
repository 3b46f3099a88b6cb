"""The comparison of methods: its settings, its start, and the table that fills while it runs."""

from collections.abc import Sequence
from typing import TypeVar

import pandas as pd
import streamlit as st

from access import redact
from background import Job
from likeness.errors import InputError
from likeness.evaluation import METRICS, find_metric
from likeness.notions import METHODS, Notion
from likeness.studies import SUGGESTED, as_latex, as_markdown, left_out_of, paper_table, parse_dimensions, published
from pages.compare import live_runs
from pages.compare.live_runs import MeasureRequest
from pages.compare.request import Request, with_baseline
from pages.compare.settings import PAPER_DIM, choose_dimensions, choose_methods, choose_notions, choose_runs
from pages.compare.table import Printed, Results, printed, table_html
from shared import sidebar
from shared.plain import plain
from shared.view import View

T = TypeVar("T")

# The Oracle takes half a minute a run and is no fair competitor; whoever wants the upper bound adds it.
_METHODS = ("random", "random-transform", "pca", "lae", "ae", "exact", "adam")


def show(view: View) -> None:
    """Draws the view."""
    request = _settings(view)
    live_runs.show(f"comparison_{view.dataset}", _measure_request(request) if request else None, lambda: _invite(request))


def _settings(view: View) -> Request | None:
    """The row of settings with the start; None, and a sentence, while they ask for nothing that can be."""
    most = view.base.vectors.shape[1]
    request, problem = None, ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        notions = choose_notions(view, "compare_notions")
        methods = choose_methods(_METHODS, "compare_methods")
        dims = choose_dimensions(most, "compare_dims")
        seeds = choose_runs(5, "compare_seeds")
        try:
            request = Request(view.entry.id, _some(notions, "notion"), with_baseline(_some(methods, "method")), _sizes(dims, most), seeds)
        except InputError as error:
            problem = redact(error)
        live_runs.start_button("Compare", _measure_request(request) if request else None, "compare_start")
    if problem:
        st.warning(plain(problem), icon=":material/warning:")
    return request


def _some(chosen: Sequence[T], what: str) -> tuple[T, ...]:
    if not chosen:
        raise InputError(f"Choose at least one {what} to compare.")
    return tuple(chosen)


def _sizes(texts: Sequence[str], most: int) -> tuple[int | str, ...]:
    """Dimensions from what was typed; raises InputError for what is no number or not possible."""
    sizes = parse_dimensions(",".join(_some(texts, "number of dimensions")))
    for size in sizes:
        if size != SUGGESTED and not 1 <= int(size) <= most:
            raise InputError(f"{size} dimensions are not possible; this encoder has {most}, so type a number from 1 to {most}.")
    return tuple(sizes)


def _measure_request(request: Request) -> MeasureRequest:
    return MeasureRequest(request.key, request.title, request.work(), lambda job: _draw(request, job))


def _invite(request: Request | None) -> None:
    rows = len(request.lines()) if request else 0
    with st.container(border=True):
        st.markdown(
            "**Nothing compared yet.** Each method builds a space from the notion's prompts, without labels. Then the nearest neighbors of every "
            "image are found: the more of them share its label, the better."
        )
        st.caption(
            f"{rows} rows will be computed, the quick ones first. You can leave this page, or stop at any time; everyone on this server "
            "shares the results."
        )


def _draw(request: Request, job: Job) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        metric = _metric()
        paper = _paper(request)
    st.caption(find_metric(metric).help + ("" if paper is None else _legend(request)))
    results, left_out = _results(job.stamp, request, live_runs.runs_of(job)), left_out_of(live_runs.runs_of(job))
    st.html(table_html(results, metric, {notion.name: _about(notion, left_out.get(notion.name, 0)) for notion in request.notions}, paper))
    if job.found and job.finished:
        _downloads(_ordered(live_runs.runs_of(job)))


def _legend(request: Request) -> str:
    legend = f" Second lines and diamonds: the paper, on its own images with CLIP ViT-B/32, in {PAPER_DIM} dimensions."
    return legend if PAPER_DIM in request.dims else f"{legend} Add {PAPER_DIM} under Dimensions to see its methods beside these."


@st.cache_resource(max_entries=64, show_spinner=False)
def _results(stamp: str, _request: Request, _runs: pd.DataFrame) -> Results:
    return Results(_request.lines(), _runs)


def _ordered(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs notion by notion and method by method, as the table has them."""
    notions = list(dict.fromkeys(runs["notion"]))
    return runs.sort_values(["notion", "method"], key=lambda names: names.map([*notions, *METHODS].index), kind="stable", ignore_index=True)


def _metric() -> str:
    chosen = st.segmented_control(
        "Metric of the bars",
        list(METRICS),
        default="map_at_r",
        required=True,
        format_func=METRICS.__getitem__,
        key="compare_metric",
        bind="query-params",
        label_visibility="collapsed",
    )
    return chosen or "map_at_r"


def _paper(request: Request) -> Printed | None:
    """The paper's figures, where it has some for these notions and they are wanted."""
    if not {notion for notion, _, _ in _published()} & {notion.name for notion in request.notions}:
        return None
    wanted = st.toggle(
        "Beside the paper's figures",
        key="compare_paper",
        bind="query-params",
        help="Second line and diamond: what the InDiReCT paper (Kobs et al., WACV 2023) reports for its own images and CLIP ViT-B/32. "
        "The order of the methods can be compared, the heights only where images and encoder are the paper's.",
    )
    return _published() if wanted else None


@st.cache_resource(show_spinner=False)
def _published() -> Printed:
    return printed(published())


def _about(notion: Notion, left_out: int) -> str:
    without = f"; {left_out:,} images have no label and take no part" if left_out else ""
    return f"{len(notion.prompts)} prompts, judged by {sidebar.readable(notion.attribute or '').lower()}{without}"


def _downloads(runs: pd.DataFrame) -> None:
    files = {
        "CSV": ("comparison.csv", "text/csv", lambda: runs.to_csv(index=False), "Every run, a row each."),
        "Markdown": ("comparison.md", "text/markdown", lambda: as_markdown(paper_table(runs, bold=True)), "The table in the paper's form."),
        "LaTeX": ("comparison.tex", "text/x-tex", lambda: as_latex(paper_table(runs, bold=True)), "The table in the paper's form."),
    }
    with st.container(horizontal=True):
        for title, (name, kind, content, help) in files.items():
            st.download_button(
                f"Download {title}", content, name, kind, icon=":material/download:", on_click="ignore", key=f"compare_download_{title}", help=help
            )
