"""The card of a run: its state, its actions, and a menu to export, rename or delete it; and display names for all of it."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import streamlit as st

from likeness import training
from likeness.errors import InputError
from likeness.evaluation import find_metric
from likeness.io import parse_yaml, runs_dir
from likeness.losses import WRAPPERS, find_objective
from likeness.training import Checkpoint, RunConfig, RunFolder, Status, TaskFolder, as_yaml, config_from, export_zip
from parts import trained
from parts.config_access import dataset_of, resolve_run
from parts.errors import toast_errors
from parts.plain import plain, prose
from parts.progress import duration, poll
from server import trainings
from server.access import check_may, redact, refusal, shared_name
from state import Item, state

if TYPE_CHECKING:
    from likeness.studies import StudyStatus

_SECONDS = 1.0
LOSSES = {"loss": "Loss", "loss_objective": "Objective", "loss_guidance": "Guidance", "loss_distill": "Distillation"}
LOSS_HELP = {
    "loss": "The loss of each batch: the objective, plus omega times the guidance.",
    "loss_objective": "The objective's part of the loss, on the labels alone.",
    "loss_guidance": "The distance of the batch's similarities from what language says, before it is weighted with omega.",
    "loss_distill": "The divergence of the batch's similarities from the teacher's, before it is weighted.",
}
CHECKPOINTS: dict[Checkpoint, str] = {"best": "Best weights", "last": "Last weights"}
STATES = {
    "new": ("Not started", "schedule"),
    "running": ("Running", "play_circle"),
    "stopped": ("Stopped", "pause_circle"),
    "finished": ("Finished", "check_circle"),
    "failed": ("Failed", "error"),
    "lost": ("Interrupted", "warning"),
}
begun = Item("", key="train_begun_folder")  # the folder of the run that was started last on Train
_changed = Item(False, key="train_begun_changed")  # whether a run has another name, or is gone


def show(run: RunFolder, *, watch_link: bool = False) -> None:
    """Draws the card of a run; call it at the same place in every run of the page.

    Args:
        run: its folder.
        watch_link: shows a link to its curves.
    """

    def draw() -> None:
        if _changed.take():
            st.rerun()
        status = run.status()
        share = status.step / (status.total or 1) if status.state == "running" else None
        draw_frame(run, status, standing(status), share, lambda: _actions(run, status.state, watch_link))

    redraw_while_running(run, draw)


def redraw_while_running(folder: TaskFolder, draw: Callable[[], None]) -> bool:
    """Draws a card of a job's state, every second while it runs, and reruns the page when it starts or ends; whether it runs."""
    is_running = folder.status().state == "running"
    poll(True, lambda: (folder.status().state == "running") != is_running, draw, every=_SECONDS if is_running else None)
    return is_running


def draw_frame(folder: TaskFolder, status: "Status | StudyStatus", said: str, share: float | None, actions: Callable[[], None]) -> None:
    """Draws a card: the state in words and, with a `share`, as a bar; actions at the right; an error below."""
    label, icon = STATES[status.state]
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{plain(folder.name)}**  :material/{icon}: {label}  :gray[{plain(said)}]", width="stretch")
            actions()
        if share is not None:
            st.progress(min(share, 1.0))
        if status.state == "failed" and status.message:
            st.error(prose(redact(status.message)), icon=":material/error:")
        elif status.state == "lost":
            st.warning("The process was stopped from outside. Resume to continue from the last checkpoint.", icon=":material/warning:")
            if words := training.tail_log(RunFolder(folder.path)):
                with st.expander("Last lines of its output"):
                    st.code(redact(words), language=None)
        elif status.message and redact(status.message) != said:
            st.caption(f":material/info: {prose(redact(status.message))}")


def _actions(run: RunFolder, state: str, watch_link: bool) -> None:
    """Draws links, then the button at the right edge, so that it stays under the pointer while the card is redrawn."""
    with st.container(horizontal=True, vertical_alignment="center", width="content", gap="xsmall"):
        with st.container(width="content"):
            if watch_link:
                st.page_link("pages/runs/page.py", label="Watch it", icon=":material/monitoring:", query_params={"watch": run.name})
            elif run.best.is_file():
                _open(run)
        action(run, state, f"act_{run.name}", _resume, is_quiet=watch_link)
        if not watch_link:
            with st.popover("More", icon=":material/more_horiz:", key=f"more_{run.name}", width="content"):
                _export(run)
                reason = trainings.refusal_to_change(run.path) or ("Stop the run first." if state == "running" else "")
                _rename(run, reason)
                _delete(run, reason)


def action(folder: TaskFolder, state: str, key: str, resume: Callable[[Any], None], *, is_quiet: bool) -> None:
    """Draws a card's one button, always with the same key; none if there is no action or the visitor may not."""
    if state == "finished" or refusal("train"):
        return
    is_running = state == "running"
    stopping = is_running and folder.stop_requested()
    st.button(
        "Stopping" if stopping else "Stop" if is_running else "Start" if state == "new" else "Resume",
        key=key,
        icon=f":material/{'stop' if is_running else 'play_arrow'}:",
        type="secondary" if is_running or is_quiet else "primary",
        on_click=_stop if is_running else resume,
        args=(folder,),
        disabled=stopping,
    )


def _open(run: RunFolder) -> None:
    entry = dataset_of(run.config().data.source)
    if entry is None:
        st.caption("Add its images on the page Images to explore its space.")
        return
    link = {"open": entry.id, "show": trained.PREFIX + run.name}
    st.page_link("pages/explore/page.py", label="Explore it", icon=":material/scatter_plot:", query_params=link)


@toast_errors()
def _stop(folder: TaskFolder) -> None:
    check_may("train")
    folder.request_stop()


@toast_errors()
def _resume(run: RunFolder) -> None:
    def start() -> None:
        check_may("train")
        resolve_run(run)
        training.start_run(run)

    trainings.begin_training(run.path, start)


def _export(run: RunFolder) -> None:
    st.markdown("**Export** config, best weights and figures as a ZIP file. Unpacked, it is the encoder `run:FOLDER`.")
    config, is_ready = shown_config(run), run.best.is_file()
    st.download_button(
        "Download",
        (lambda: export_zip(run, config)) if is_ready else b"",
        f"{run.path.name}.zip",
        "application/zip",
        icon=":material/download:",
        on_click="ignore",
        key=f"export_{run.name}",
        disabled=not is_ready,
        help=None if is_ready else "There are no weights before the first evaluation.",
    )


def shown_config(run: RunFolder) -> RunConfig:
    """The config without server paths on a shared server."""
    return config_from(parse_yaml(shared_name(as_yaml(run.config())), "The config"))


def _rename(run: RunFolder, reason: str) -> None:
    help = reason or "Links with the old name no longer show the run."
    st.text_input("Name", run.path.name, key=f"name_{run.name}", on_change=_take_name, args=(run,), disabled=bool(reason), help=help)


@toast_errors()
def _take_name(run: RunFolder) -> None:
    name = st.session_state[f"name_{run.name}"].strip()
    if name != run.path.name:
        trainings.rename_training(run, name)
        _replace_choice(run.name, PurePosixPath(run.name).with_name(name).as_posix())


def _delete(run: RunFolder, reason: str) -> None:
    if not st.checkbox("Delete this run", key=f"deleting_{run.name}", disabled=bool(reason), help=reason or None):
        return
    st.warning(f"Delete {plain(run.name)} with its weights and figures? This cannot be undone.", icon=":material/warning:")
    st.button("Delete for good", type="primary", key=f"delete_yes_{run.name}", on_click=_take_deletion, args=(run,))


@toast_errors()
def _take_deletion(run: RunFolder) -> None:
    trainings.delete_training(run)
    st.toast(f"{plain(run.name)} is deleted.", icon=":material/delete:")
    _replace_choice(run.name, None)


def _replace_choice(old: str, new: str | None) -> None:
    """Updates the runs that the page Runs shows after one was renamed or deleted; reruns the page."""
    _changed.set(True)
    state.runs = [new or name if name == old else name for name in state.runs or [] if name != old or new]
    if begun.get().endswith(f"/{old}"):
        begun.set("")


def problem(run: RunFolder) -> str:
    """Why the run cannot be shown; "" if it can."""
    try:
        run.config()
    except InputError as error:
        return f"The settings of the run '{run.name}' cannot be read, so it is not shown. {redact(error)}"
    return ""


def folder(name: str) -> RunFolder:
    return RunFolder(runs_dir() / name, name)


def metric_help(metric: str) -> str:
    """One sentence on a metric or a part of the loss."""
    return LOSS_HELP[metric] if metric in LOSS_HELP else f"{find_metric(metric).title}: {find_metric(metric).help}"


def standing(status: Status) -> str:
    """A run's progress in a few words."""
    if status.state == "running" and status.step == 0:
        return redact(status.message or "Starting")
    done = f"{status.step:,} of {status.total:,} steps" if status.total else "no step yet"
    if status.state == "running":
        rate = status.step / status.seconds if status.seconds else 0.0
        return f"{done}, {duration((status.total - status.step) / rate)} left" if rate else done
    return f"{done}, {duration(status.seconds)}"


def objective(config: RunConfig) -> str:
    """`Multisimilarity + S2SD`, `R-margin + uniform prior`, `Margin + DiVA`."""
    chosen = config.objective
    around = [wrapper.title for name, wrapper in WRAPPERS.items() if getattr(chosen, name) is not None]
    return " + ".join([find_objective(chosen.name).title, *around])


def guidance(config: RunConfig) -> str:
    """`ELG, omega 5`, `PLG Top-5, omega 5, shuffled`, or nothing."""
    chosen = config.guidance
    if chosen is None:
        return ""
    kind = f"PLG Top-{chosen.k}" if chosen.kind == "plg" else "ELG" if chosen.method == "match" else chosen.method
    control = {"none": "", "shuffled": ", shuffled", "flat": ", flat target"}[chosen.control]
    return f"{kind}, omega {chosen.omega:g}{control}"


def checkpoint_help(which: Checkpoint, configs: list[RunConfig]) -> str:
    """What the metrics of a checkpoint were measured on, in runs of these configs."""
    if which == "last":
        return "Figures of the last evaluation so far. The weights that a run keeps and exports can be earlier, better ones."
    judges = " or ".join(sorted({_best_by(config) for config in configs}))
    best = f"those with the {judges} so far on"
    ways = [
        (f"{best} validation images, which are neither trained nor tested on", lambda data: data.holds_out),
        (f"{best} the test images, as the settings say, so these figures are too good", lambda data: data.select_on_test),
        ("the latest, since no validation images choose between them (data.validation)", lambda data: not (data.holds_out or data.select_on_test)),
    ]
    found = [words for words, applies in ways if any(applies(config.data) for config in configs)]
    return f"Figures of the weights that each run keeps: {'; or '.join(found)}."


def _best_by(config: RunConfig) -> str:
    metric = find_metric(config.selection_metric)
    if metric.larger_is_better is False:
        return f"smallest {metric.title[0].lower()}{metric.title[1:]}"
    return f"highest {metric.title}"


def value(shown: Any) -> str:
    """A config value for display."""
    if shown is None:
        return "none"
    if isinstance(shown, bool):
        return "yes" if shown else "no"
    if isinstance(shown, list | tuple):
        return ", ".join(value(each) for each in shown) or "none"
    return f"{shown:g}" if isinstance(shown, float) else str(shown)
