"""One run as people see it: how it stands, and what can be done with it."""

import streamlit as st

import trainings
from access import check_may, redact, refusal, resolve_source, shared_name
from config_access import resolve_run
from likeness import training
from likeness.data import DatasetEntry, absolute_source, list_datasets
from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.training import RunFolder
from shared import run_changes, run_words, trained
from shared.plain import plain
from visitors import visitor

_SECONDS = 1.0


def show(run: RunFolder, *, watch_link: bool = False) -> None:
    """The card of a run, drawn anew while it runs; called at a place that is the same in every run of the page.

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
            st.warning("Its process was ended from outside. Resume it to continue from its last checkpoint.", icon=":material/warning:")
            words = training.tail_log(run)
            if words:
                with st.expander("The end of its output"):
                    st.code(redact(words), language=None)
        elif status.message and status.step:
            st.caption(f":material/info: {plain(redact(status.message))}")


def _key(run: RunFolder) -> str:
    return f"run_state_{run.path}"


def seconds_until_redrawn(key: str, state: str) -> float | None:
    """How long a card waits until it is drawn anew; never where nothing goes on. What begins before the card is drawn redraws the page."""
    st.session_state[key] = state
    return _SECONDS if state == "running" else None


def redraw_page_after_begin_and_end(key: str, state: str) -> None:
    """What stands around a card follows what it shows while that goes on; `key` names it in the session, as for `seconds_until_redrawn`."""
    before, st.session_state[key] = st.session_state.get(key, state), state
    if (before == "running") != (state == "running"):
        st.rerun()


def _actions(run: RunFolder, state: str, watch_link: bool) -> None:
    """The link, then the one button: of one key and at the right edge, so that it stays under the pointer while the card is drawn anew."""
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        with st.container(width="content"):
            if watch_link:
                st.page_link("pages/runs/page.py", label="Watch it", icon=":material/monitoring:", query_params={"watch": run.name})
            elif run.best.is_file():
                _open(run)
        if state != "finished" and not refusal("train"):
            stopping = state == "running" and run.stop_requested()
            label, icon, act = (
                ("Stopping" if stopping else "Stop", "stop", _stop)
                if state == "running"
                else ("Start" if state == "new" else "Resume", "play_arrow", _resume)
            )
            st.button(label, key=f"act_{run.name}", icon=f":material/{icon}:", on_click=act, args=(run,), disabled=stopping)
        if not watch_link:
            run_changes.show(run, state)


def _open(run: RunFolder) -> None:
    entry = _dataset_of(run)
    link = {"open": entry.id, "show": trained.PREFIX + run.name} if entry else None
    if link is None:
        st.caption("Add its images under Your images to explore its space.")
    else:
        st.page_link("pages/explore/page.py", label="Explore its space", icon=":material/scatter_plot:", query_params=link)


def _dataset_of(run: RunFolder) -> DatasetEntry | None:
    """The dataset in the app that the run was trained on."""
    source = _absolute(run.config().data.source)
    return next((entry for entry in list_datasets(visitor()) if entry.source == source), None)


def _absolute(source: str) -> str:
    try:
        return shared_name(absolute_source(resolve_source(source)))
    except InputError:
        return source


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
        return f"The settings of the run '{run.name}' cannot be read, so it is left out. {redact(error)}"
    return ""


def folder(name: str) -> RunFolder:
    """The run of this name."""
    return RunFolder(runs_dir() / name, name)
