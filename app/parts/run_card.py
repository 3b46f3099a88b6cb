"""The card of a run: its state, and what can be done with it."""

from typing import Literal

import streamlit as st

from likeness import training
from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.training import RunFolder
from parts import run_changes, run_words, trained
from parts.config_access import dataset_of, resolve_run
from parts.plain import plain
from server import trainings
from server.access import check_may, redact, refusal

_SECONDS = 1.0


def show(run: RunFolder, *, watch_link: bool = False) -> None:
    """The card of a run, redrawn while it runs; called at a place that is the same in every run of the page.

    Args:
        run: its folder.
        watch_link: with a link to its curves.
    """
    st.fragment(_card, run_every=seconds_until_redrawn(_key(run), run.status().state))(run, watch_link)


def _card(run: RunFolder, watch_link: bool) -> None:
    run_changes.redraw_page_after_change()
    status = run.status()
    label, icon = run_words.STATES[status.state]
    redraw_page_after_begin_and_end(_key(run), status.state)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{plain(run.name)}**  :material/{icon}: {label}  :gray[{plain(run_words.standing(status))}]", width="stretch")
            _actions(run, status.state, watch_link)
        if status.state == "running":
            st.progress(min(status.step / status.total, 1.0) if status.total else 0.0)
        if status.state == "failed" and status.message:
            st.error(plain(redact(status.message)), icon=":material/error:")
        elif status.state == "lost":
            st.warning("The process was stopped from outside. Resume the run to continue from its last checkpoint.", icon=":material/warning:")
            words = training.tail_log(run)
            if words:
                with st.expander("Last lines of its output"):
                    st.code(redact(words), language=None)
        elif status.message and status.step:
            st.caption(f":material/info: {plain(redact(status.message))}")


def _key(run: RunFolder) -> str:
    return f"run_state_{run.path}"


def seconds_until_redrawn(key: str, state: str) -> float | None:
    """How long a card waits until it is redrawn; never where nothing runs. A run that starts before the card is drawn redraws the page."""
    st.session_state[key] = state
    return _SECONDS if state == "running" else None


def redraw_page_after_begin_and_end(key: str, state: str) -> None:
    """Redraws the page where a run has begun or ended; `key` names its card in the session, as for `seconds_until_redrawn`."""
    before, st.session_state[key] = st.session_state.get(key, state), state
    if (before == "running") != (state == "running"):
        st.rerun()


def _actions(run: RunFolder, state: str, watch_link: bool) -> None:
    """Links, then the one button: of one key and at the right edge, so that it stays under the pointer while the card is redrawn."""
    with st.container(horizontal=True, vertical_alignment="center", width="content", gap="xsmall"):
        with st.container(width="content"):
            if watch_link:
                st.page_link("pages/runs/page.py", label="Watch it", icon=":material/monitoring:", query_params={"watch": run.name})
            elif run.best.is_file():
                _open(run)
        if state != "finished" and not refusal("train"):
            stopping = state == "running" and run.stop_requested()
            label, icon, act = ("Resume", "play_arrow", _resume)
            if state == "running":
                label, icon, act = ("Stopping" if stopping else "Stop", "stop", _stop)
            elif state == "new":
                label = "Start"
            kind: Literal["primary", "secondary"] = "secondary" if state == "running" or watch_link else "primary"
            st.button(label, key=f"act_{run.name}", icon=f":material/{icon}:", type=kind, on_click=act, args=(run,), disabled=stopping)
        if not watch_link:
            run_changes.show(run, state)


def _open(run: RunFolder) -> None:
    entry = dataset_of(run.config().data.source)
    if entry is None:
        st.caption("Add its images on the page Images to explore its space.")
        return
    link = {"open": entry.id, "show": trained.PREFIX + run.name}
    st.page_link("pages/explore/page.py", label="Explore it", icon=":material/scatter_plot:", query_params=link)


def _stop(run: RunFolder) -> None:
    try:
        check_may("train")
        run.request_stop()
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")


def _resume(run: RunFolder) -> None:
    try:
        trainings.begin_training(run.path, lambda: _start(run))
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")


def _start(run: RunFolder) -> None:
    check_may("train")
    resolve_run(run)
    training.start_run(run)


def problem(run: RunFolder) -> str:
    """Why the run cannot be shown, in a sentence; empty where it can."""
    try:
        run.config()
    except InputError as error:
        return f"The settings of the run '{run.name}' cannot be read, so it is not shown. {redact(error)}"
    return ""


def folder(name: str) -> RunFolder:
    """The run of this name."""
    return RunFolder(runs_dir() / name, name)
