"""The comparison of methods: its settings, and a live table for each notion."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from likeness.errors import InputError
from likeness.evaluation import METRICS, find_metric
from likeness.io import csv_bytes
from likeness.notions import METHOD_TITLES, METHODS, Notion
from likeness.studies import (
    PAPER_DIM,
    SUGGESTED,
    as_latex,
    as_markdown,
    best_method,
    compare,
    left_out_of,
    method_table,
    paper_table,
    parse_dimensions,
    published_figures,
)
from pages.methods import measure
from pages.methods.measure import called, content_of, measuring, methods_help
from parts.plain import plain, prose
from parts.sidebar import readable
from parts.view import View
from server.access import redact
from server.jobs import Job

# The Oracle takes half a minute a run and is no fair competitor; add it to see the upper bound.
_METHODS = ("random", "random-transform", "pca", "lae", "ae", "exact", "adam")
# What learns by gradient steps: measured last, so that first results come soon.
_SLOW = ("lae", "ae", "lae-code", "ae-code", "adam", "oracle")
_HELP = (
    "**Which method is best?** Each method builds a space from the prompts of a notion, without labels. Then every image is used as a query: the "
    "more of its nearest neighbors share its label, the better the method. You can leave this page while it runs. All visitors share the results."
)
_PAPER_HELP = (
    "Adds a column with what the InDiReCT paper (Kobs et al., WACV 2023) reports for its own images and CLIP ViT-B/32. "
    "Compare the order of the methods; the values are comparable only with the paper's images and encoder."
)


def show(view: View) -> None:
    problem, dims = "", list[int | str]()
    with st.container(horizontal=True, vertical_alignment="top"):
        notions = measure.choose_notions(view, "compare_notions")
        methods = measure.choose_methods(_METHODS, "compare_methods")
        chosen = measure.choose_dimensions(view, "compare_dims")
        seeds = measure.choose_runs(5, "compare_seeds")
    try:
        dims = _sizes(chosen, view.base.vectors.shape[1]) if chosen else []
    except InputError as error:
        problem = redact(error)
    title = f"Comparison of {called(notions)}" if notions and methods and dims else ""
    work = measuring(compare, view.base, notions, sorted(methods, key=_SLOW.__contains__), dims, seeds)
    key = ("methods", content_of(view, notions), methods, tuple(dims), seeds)
    measure.show("Compare", _HELP, title, key, work, partial(_draw, notions, dims), problem)


def _sizes(texts: Sequence[str], most: int) -> list[int | str]:
    """Parses the dimensions; raises InputError for invalid ones."""
    sizes = parse_dimensions(",".join(texts))
    for size in sizes:
        if size != SUGGESTED and not 1 <= int(size) <= most:
            raise InputError(f"{size} dimensions are not possible: this encoder has {most}. Enter a number from 1 to {most}.")
    return sizes


def _draw(notions: Sequence[Notion], dims: Sequence[int | str], job: Job) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        metric = measure.choose_metric("compare", list(METRICS))
        has_printed = any(published_figures(notion.name, metric) for notion in notions)
        paper = has_printed and st.toggle("Show the paper's figures", key="compare_paper", bind="query-params", help=_PAPER_HELP)
    legend = f" Paper: what the authors report for their images with CLIP ViT-B/32, in {PAPER_DIM} dimensions." if paper else ""
    remedy = f" Add {PAPER_DIM} under Dimensions to compare with it." if paper and PAPER_DIM not in dims else ""
    st.caption(f"{find_metric(metric).help}{legend}{remedy}")
    runs = pd.DataFrame(list(job.found))  # so far
    left_out = left_out_of(runs)
    for notion in notions if len(runs) else ():
        own = runs[runs["notion"] == notion.name]
        if own.empty:
            continue
        shown = method_table(own, metric, paper)
        st.markdown(f"**{plain(readable(notion.name))}**")
        st.caption(plain(f"{best_method(shown, job.finished)} {_about(notion, left_out.get(notion.name, 0))}".strip()))
        st.dataframe(shown, hide_index=True, placeholder="", column_config=_columns(metric), key=f"compare_table_{notion.name}")
        for each in own[own["refused"] != ""].drop_duplicates(["method", "dim"]).itertuples():
            st.caption(f":material/block: {METHOD_TITLES[each.method]} does not apply: {prose(redact(each.refused))}")
    if job.found and job.finished:
        _downloads(runs)


def _columns(metric: str) -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    title = METRICS[metric]
    others = {METRICS[name]: number(format="%.3f", help=find_metric(name).help) for name in METRICS if name != metric}
    return others | {
        "Method": text(pinned=True, width=150, help=methods_help()),
        "Dimensions": number("Dim.", format="%d", help="Dimensions: how many numbers describe each image."),
        title: st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.3f", help=find_metric(metric).help),
        "±": number(format="%.3f", help=f"Standard deviation of {title} over the runs; empty with a single run."),
        "Against raw": number(format="%+.3f", help=f"{title} minus that of the raw encoder."),
        "Paper": text(help=f"{title} in the InDiReCT paper, on its own images with CLIP ViT-B/32."),
        "Fit": text(help="Time to learn the projection from the prompts, averaged over the runs."),
        "Runs": number(help="Finished runs; methods without randomness have one."),
    }


def _about(notion: Notion, left_out: int) -> str:
    without = f"; {left_out:,} images have no label and are left out" if left_out else ""
    return f"{len(notion.prompts)} prompts, evaluated by {readable(notion.attribute or '').lower()}{without}."


def _downloads(runs: pd.DataFrame) -> None:
    notions = list(dict.fromkeys(runs["notion"]))
    runs = runs.sort_values(["notion", "method"], key=lambda names: names.map([*notions, *METHODS].index), kind="stable", ignore_index=True)
    files = {
        "CSV": ("csv", "text/csv", lambda: csv_bytes(runs).decode(), "Every run, a row each."),
        "Markdown": ("md", "text/markdown", lambda: as_markdown(paper_table(runs, bold=True)), "The table in the paper's form."),
        "LaTeX": ("tex", "text/x-tex", lambda: as_latex(paper_table(runs, bold=True)), "The table in the paper's form."),
    }
    with st.container(horizontal=True):
        for title, (ending, kind, content, help) in files.items():
            options: dict[str, Any] = {"icon": ":material/download:", "on_click": "ignore", "help": help, "key": f"compare_download_{title}"}
            st.download_button(f"Download {title}", content, f"comparison.{ending}", kind, **options)
