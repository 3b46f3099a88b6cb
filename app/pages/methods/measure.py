"""What comparisons and analyses share: the fields that say what to measure, and the runs so far while it is measured."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from likeness.evaluation import metric_title
from likeness.notions import METHOD_TITLES, METHODS, Notion, list_notions
from likeness.registry import LiveView
from likeness.studies import SUGGESTED, judged_notions
from parts import drafts, progress, sidebar
from parts.plain import plain
from parts.sidebar import listed
from parts.view import View
from server.access import redact
from server.jobs import Job, Work, jobs, run_in_background
from server.visitors import notions_dir
from state import Item

BASELINE = "raw"
PAPER_DIM = 128
METHODS_HELP = LiveView(lambda: {name: method.help for name, method in METHODS.items()})
_KIND, _KEPT = "comparisons", 256
_DIMENSIONS_HELP = (
    "How many numbers describe an image. Each notion's own number is saved with it, or is the smallest that keeps 98.5 % of the variance of "
    "its prompts. The paper uses 128."
)
_RUNS_HELP = "How many times each method that involves randomness is repeated with another seed. Mean and standard deviation are shown."


@dataclass(frozen=True)
class MeasureRequest:
    """What the settings ask for.

    Attributes:
        key: equal for what has equal results.
        title: what people call it, "Comparison of car color".
        work: as `measuring` makes it.
        draw: draws the runs so far of the job.
        repeatable: whether it can be started again when it is complete, because it may then give more.
    """

    key: Hashable
    title: str
    work: Work
    draw: Callable[[Job], None]
    repeatable: bool = False


class _Choices:
    """shown: by slot, the request whose result was shown last."""

    prefix = "methods_"
    shown = Item[dict[str, MeasureRequest]](make=dict)


choices = _Choices()


def measuring(study: Callable[..., object], *settings: Any, **options: Any) -> Work:
    """Work that calls `study`, a function of `likeness.studies`, and finds its runs one by one."""
    return lambda job: study(*settings, **options, progress=job.report, should_stop=job.should_stop, on_run=job.found.append)


def runs_of(job: Job) -> pd.DataFrame:
    """The runs so far, a row each."""
    return pd.DataFrame(list(job.found))


def find(request: MeasureRequest) -> Job | None:
    """The job of a request, under way or ended, or None."""
    return jobs().find(_KIND, request.key)


def begin(request: MeasureRequest) -> Job:
    """Starts a comparison, unless one of this key is under way."""
    return run_in_background(_KIND, request.key, request.title, request.work, unit="runs", restart=True, max_finished=_KEPT)


def show(view: View, slot: str, label: str, row: DeltaGenerator, request: MeasureRequest | None, empty: str, problem: str = "") -> None:
    """Draws the primary button and the result of a request, or else what the slot showed last; redraws it every second while it runs.

    Args:
        view: whose images are measured.
        slot: of the settings; keys begin with it.
        label: of the button, which is disabled once the result is there or under way.
        row: of the fields, where the button stands.
        request: None while the settings are incomplete, and then `problem` says why.
        empty: what will be measured, before there is a result.
    """
    job, place = find(request) if request else None, f"{slot}_{view.dataset}"
    progress.redraw_after(job)
    answered = job is not None and (not job.finished or (job.succeeded and not (request and request.repeatable)))
    disabled = request is None or answered
    if row.button(label, type="primary", icon=":material/play_arrow:", disabled=disabled, key=f"{slot}_start") and request:
        begin(request)
        st.rerun()  # so that button and bar change
    if request is None:
        st.warning(plain(problem) or "Choose at least one option in each field.", icon=":material/warning:")
    if request and job:
        choices.shown[place] = request
    shown = choices.shown.get(place)
    if shown is None and request:
        st.container(border=True).markdown(f"**Nothing measured yet.** {empty}")
    elif shown and request and shown.key != request.key:
        st.caption(":material/info: The settings have changed. The result below belongs to the earlier ones.")
    job = find(shown) if shown else None
    waits = job is not None and not job.finished
    if job and waits:
        progress.notify_when_done(job)
    progress.poll(waits, lambda: job is None or job.finished, lambda: _draw(shown, job), every=1.0)


def _draw(shown: MeasureRequest | None, job: Job | None) -> None:
    if shown is None or job is None:
        return
    with st.container():
        if not job.finished:
            progress.bar(job)
        elif job.error:
            st.error(plain(redact(job.error)), icon=":material/error:")
        elif job.stopped:
            st.info(f"Stopped after {len(job.found):,} of {job.total:,} runs; the finished runs are shown below.", icon=":material/pause:")
    shown.draw(job)


def help_list(titles: Mapping[str, str], helps: Mapping[str, str]) -> str:
    """A Markdown list, `- **title**: sentence`."""
    return "\n".join(f"- **{title}**: {helps.get(name, '')}" for name, title in titles.items())


def called(notions: Sequence[Notion]) -> str:
    """`car model, car color and viewpoint`; only their number where there are more."""
    return listed([notion.name for notion in notions]) if len(notions) <= 3 else f"{len(notions)} notions"


def content_of(view: View, notions: Sequence[Notion]) -> Hashable:
    """Equal for images and notions that are fitted and judged alike."""
    return view.base.key, tuple((notion.name, tuple(notion.content), notion.attribute, notion.dim) for notion in notions)


def with_baseline(methods: Sequence[str]) -> tuple[str, ...]:
    """The methods and the raw encoder, in the order of `METHODS`."""
    return tuple(method for method in METHODS if method in methods or method == BASELINE)


def labeled_notions(view: View) -> dict[str, Notion]:
    """Name -> notion of those that the images have labels for, the edited one first; without joined notions, which methods are not compared on."""
    attributes = view.base.table.attributes
    draft = drafts.current()
    own = {sidebar.DRAFT: replace(draft.notion, name=sidebar.DRAFT)} if draft else {}
    every = own | {notion.name: notion for notion in list_notions(notions_dir())}
    return {name: notion for name, notion in every.items() if notion.attribute in attributes and not notion.joined}


def choose_notions(view: View, key: str) -> list[Notion]:
    """Some of the notions that the images have labels for; the paper's by default where it has some for them."""
    known = labeled_notions(view)
    default = [notion.name for notion in judged_notions(view.base.table, folder=notions_dir())]
    help = "Only notions whose labels these images have can be judged."
    chosen = st.multiselect("Notions", list(known), default, format_func=sidebar.readable, key=key, bind="query-params", help=help)
    return [known[name] for name in chosen]


def choose_methods(default: Sequence[str], key: str) -> tuple[str, ...]:
    """The raw encoder and others; none where no other is chosen."""
    names = [method for method in METHODS if method != BASELINE]
    help = f"The raw encoder is always included as the baseline.\n\n{help_list(METHOD_TITLES, METHODS_HELP)}"
    chosen = st.multiselect("Methods", names, default, format_func=METHOD_TITLES.__getitem__, key=key, bind="query-params", help=help)
    return with_baseline(chosen) if chosen else ()


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
    """The seeds of each method with random choices."""
    return range(int(st.number_input("Runs", 1, 10, default, key=key, bind="query-params", width=120, help=_RUNS_HELP)))


def choose_metric(slot: str, names: Sequence[str]) -> str:
    """The switch between metrics, MAP@R at first."""
    options: dict[str, Any] = {"default": "map_at_r", "required": True, "key": f"{slot}_metric", "bind": "query-params"}
    return st.segmented_control("Metric", names, format_func=metric_title, label_visibility="collapsed", **options) or "map_at_r"
