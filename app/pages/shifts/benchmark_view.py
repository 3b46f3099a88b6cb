"""What holds up: a benchmark's standing and results, while it fills and after, and the form that starts one."""

import streamlit as st

from access import redact
from likeness.errors import InputError
from pages.shifts import benchmark_card, benchmark_form, benchmark_results, benchmarks
from pages.shifts.benchmarks import Benchmark
from shared import permissions
from shared.plain import plain
from shared.view import View

_EVERY = 2.0  # seconds


def show(view: View) -> None:
    """Draws the part of the page."""
    found, problems = benchmarks.listed()
    chosen = _choose(found)
    for problem in problems:
        st.warning(plain(problem), icon=":material/warning:")
    if "benchmark_form" not in st.session_state:
        st.session_state["benchmark_form"] = not found
    form = st.expander("Start a benchmark", icon=":material/play_arrow:", key="benchmark_form", on_change="rerun")
    if form.open:
        with form:
            _form(view)
    with st.container():  # there in every run, so that late reruns of the fragments find their places
        if chosen is not None:
            try:
                _shown(chosen)
            except InputError as error:
                st.error(plain(redact(error)), icon=":material/error:")


def _choose(found: dict[str, Benchmark]) -> Benchmark | None:
    if not found:
        st.caption("No benchmark yet. Start one below: it fills run by run, and you see which methods still find the right images.")
        return None
    if st.session_state.get("benchmark") not in found:
        st.session_state["benchmark"] = next(iter(found))
    key = st.selectbox(
        "Benchmark",
        list(found),
        format_func=lambda each: found[each].name + (" (shipped results)" if found[each].folder is None else "") if each in found else each,
        key="benchmark",
        bind="query-params",
        width=420,
    )
    return found[key]


def _form(view: View) -> None:
    if permissions.refused():
        return
    if view.base.table.attributes:
        benchmark_form.show(view)
    else:
        st.info("These images have no labels, so there are no classes to divide. Choose other images in the sidebar.", icon=":material/info:")


def _shown(chosen: Benchmark) -> None:
    running = False
    if chosen.folder is not None:
        running = benchmarks.standing(chosen).state == "running"
        with st.container():
            benchmark_card.show(chosen)
    if chosen.note:
        st.caption(plain(chosen.note))
    figure = benchmark_results.choose(benchmarks.columns(chosen))
    with st.container():
        st.fragment(_results, run_every=_EVERY if running else None)(chosen, figure)


def _results(chosen: Benchmark, figure: str) -> None:
    try:
        measured = benchmarks.figures(chosen)
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    benchmark_results.show(measured, benchmarks.methods(chosen), figure, chosen.name)
