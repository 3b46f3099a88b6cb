"""Shared by comparisons and analyses: the fields that define a measurement, and its results so far."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from likeness.evaluation import metric_title
from likeness.notions import METHOD_TITLES, METHODS, Notion, list_notions
from likeness.studies import PAPER_DIM, SUGGESTED, judged_notions
from parts import drafts, progress, sidebar
from parts.on_request import WorkRequest, jobs_on_request
from parts.plain import plain
from parts.sidebar import listed
from parts.view import View
from server.jobs import Job, Work
from server.visitors import notions_dir

BASELINE = "raw"
OPTIONS = {"unit": "runs", "restart": True, "max_finished": 256}
_DIMENSIONS_HELP = (
    "How many numbers describe an image. Each notion's own number is saved with it, or else the smallest that keeps 98.5 % of the variance of "
    "its prompts. The paper uses 128."
)
_RUNS_HELP = "How many seeds each random method runs with. Mean and standard deviation are shown."


def measuring(study: Callable[..., object], *settings: Any, **options: Any) -> Work:
    """A request that calls `study`, a function of `likeness.studies`, and collects its runs one by one."""
    return lambda job: study(*settings, **options, progress=job.report, should_stop=job.should_stop, on_run=job.found.append)


def show(label: str, help: str, title: str, key: Hashable, work: Work, draw: Callable[[Job], None], problem: str = "") -> None:
    """Draws the start button, then calls `draw` with the runs so far, every second.

    Args:
        label, help: the button's label and help.
        title: the job's title; "" while the settings are incomplete, as described by `problem`.
        key: identifies equal work.
    """
    if not title:
        st.warning(plain(problem) or "Choose at least one option in each field.", icon=":material/warning:")
        return
    request = WorkRequest("comparisons", key, title, work, OPTIONS)
    if (begun := jobs_on_request(label, help, request)) is None:
        return
    (job,) = begun
    waits = not job.finished
    progress.follow(job, stopped=f"Stopped after {len(job.found):,} of {job.total:,} runs; the finished runs are shown below.")
    progress.poll(waits, lambda: job.finished, lambda: draw(job), every=1.0)


def methods_help() -> str:
    """A Markdown list, `- **title**: sentence`."""
    return "\n".join(f"- **{method.title}**: {method.help}" for method in METHODS.values())


def called(notions: Sequence[Notion]) -> str:
    """`car model, car color and viewpoint`; if there are more, only their number."""
    return listed([notion.name for notion in notions]) if len(notions) <= 3 else f"{len(notions)} notions"


def content_of(view: View, notions: Sequence[Notion]) -> Hashable:
    """A key of images and notions for fitting and evaluation."""
    return view.base.key, tuple((notion.name, tuple(notion.content), notion.attribute, notion.dim) for notion in notions)


def labeled_notions(view: View) -> dict[str, Notion]:
    """Name -> notion of those whose labels the images have, the edited one first; without joined notions, which are not compared."""
    attributes = view.base.table.attributes
    draft = drafts.current()
    own = {sidebar.DRAFT: replace(draft.notion, name=sidebar.DRAFT)} if draft else {}
    every = own | {notion.name: notion for notion in list_notions(notions_dir())}
    return {name: notion for name, notion in every.items() if notion.attribute in attributes and not notion.joined}


def choose_notions(view: View, key: str) -> list[Notion]:
    """Draws the choice among notions with labels; by default the paper's."""
    known = labeled_notions(view)
    default = [notion.name for notion in judged_notions(view.base.table, folder=notions_dir())]
    help = "Only notions whose labels these images have can be evaluated."
    chosen = st.multiselect("Notions", list(known), default, format_func=sidebar.readable, key=key, bind="query-params", help=help, wrap=True)
    return [known[name] for name in chosen]


def choose_methods(default: Sequence[str], key: str) -> tuple[str, ...]:
    """The raw encoder and other methods, in the order of `METHODS`; empty if no other is chosen."""
    names = [method for method in METHODS if method != BASELINE]
    help = f"The raw encoder is always included as the baseline.\n\n{methods_help()}"
    titles = METHOD_TITLES.__getitem__
    chosen = st.multiselect("Methods", names, default, format_func=titles, key=key, bind="query-params", help=help, wrap=True)
    return tuple(method for method in METHODS if method in chosen or method == BASELINE) if chosen else ()


def choose_dimensions(view: View, key: str) -> list[str]:
    """Numbers of dimensions as typed, or "suggested": each notion's own."""
    options = [SUGGESTED, str(min(PAPER_DIM, view.base.vectors.shape[1]))]
    return st.multiselect(
        "Dimensions", options, [SUGGESTED], format_func=lambda dim: "Each notion's own" if dim == SUGGESTED else dim, key=key,
        bind="query-params", accept_new_options=True, width=210, help=_DIMENSIONS_HELP,
    )  # fmt: skip


def choose_dimension(view: View, key: str) -> int | str:
    """One number of dimensions, at most the encoder's, or "suggested": each notion's own."""
    most = view.base.vectors.shape[1]
    chosen = st.number_input("Dimensions", 1, most, None, placeholder="Own", key=key, bind="query-params", width=130, help=_DIMENSIONS_HELP)
    return SUGGESTED if chosen is None else int(chosen)


def choose_runs(default: int, key: str) -> range:
    """Seeds for methods with randomness."""
    return range(int(st.number_input("Runs", 1, 10, default, key=key, bind="query-params", width=120, help=_RUNS_HELP)))


def choose_metric(slot: str, names: Sequence[str]) -> str:
    """Draws the choice of metric, MAP@R by default."""
    options: dict[str, Any] = {"default": "map_at_r", "required": True, "key": f"{slot}_metric", "bind": "query-params"}
    return st.segmented_control("Metric", names, format_func=metric_title, label_visibility="collapsed", **options) or "map_at_r"
