"""A benchmark as people see it: how many of its runs are done, what runs now, and the button that stops it or goes on."""

import streamlit as st

import trainings
from access import check_may, redact, refusal
from likeness import training
from likeness.errors import InputError
from likeness.studies import StudyFolder, StudyStatus
from likeness.training import RunFolder
from pages.shifts import benchmarks
from pages.shifts.benchmarks import Benchmark
from shared import run_card, run_words
from shared.plain import plain


def show(benchmark: Benchmark) -> None:
    """The card of a benchmark with a folder, drawn anew while it runs; called at a place that is the same in every run of the page."""
    st.fragment(_card, run_every=run_card.seconds_until_redrawn(_key(benchmark), benchmarks.standing(benchmark).state))(benchmark)


def _key(benchmark: Benchmark) -> str:
    return f"benchmark_state_{benchmark.key}"


def _card(benchmark: Benchmark) -> None:
    assert benchmark.folder is not None
    status = benchmarks.standing(benchmark)
    label, icon = run_words.STATES[status.state]
    run_card.redraw_page_after_begin_and_end(_key(benchmark), status.state)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{plain(benchmark.name)}**  :material/{icon}: {label}  :gray[{_progress(status)}]", width="stretch")
            _button(benchmark.folder, status)
        st.progress(status.done / status.total if status.total else 0.0)
        if status.state == "failed" and status.message:
            st.error(plain(redact(status.message)), icon=":material/error:")
        elif status.state == "lost":
            st.warning("Its process was ended from outside. Resume it to continue where it stopped.", icon=":material/warning:")
            words = training.tail_log(RunFolder(benchmark.folder.path))
            if words:
                with st.expander("The end of its output"):
                    st.code(redact(words), language=None)


def _progress(status: StudyStatus) -> str:
    done = f"{status.done:,} of {status.total:,} runs"
    return f"{done}; now {plain(status.current)}" if status.current else done


def _button(folder: StudyFolder, status: StudyStatus) -> None:
    """The one button: of one key and at the right edge, so that it stays under the pointer while the card is drawn anew."""
    if status.state == "finished" or refusal("train"):
        return
    stopping = status.state == "running" and folder.stop_requested()
    if status.state == "running":
        label, icon, act = "Stopping" if stopping else "Stop", "stop", _stop
    else:
        label, icon, act = "Start" if status.state == "new" else "Resume", "play_arrow", _resume
    st.button(label, key=f"act_benchmark_{folder.name}", icon=f":material/{icon}:", on_click=act, args=(folder,), disabled=stopping)


def _stop(folder: StudyFolder) -> None:
    try:
        check_may("train")
        folder.request_stop()
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")


def _resume(folder: StudyFolder) -> None:
    try:
        trainings.begin_training(folder.path, folder.begin)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
