"""Benchmarks of methods on splits of growing distance: those that ran here and those whose results ship, how they stand, and what they found."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from likeness import training
from likeness.errors import InputError
from likeness.evaluation import (
    by_split,
    correlations_without,
    few_shot_gains,
    generalization_scores,
    rise_by_removal,
    scaled_structure,
    structure_correlations,
)
from likeness.io import assets_dir, runs_dir
from likeness.plots import PROPERTIES, few_shot_bars, few_shot_curves, generalization_bars, generalization_curves, structure_scatter
from likeness.studies import Cell, StudyFolder, StudyStatus, list_studies, measured, read_results, read_study, studies
from likeness.training import RunFolder
from pages.shifts import benchmark_form
from pages.shifts.benchmark_form import OWN, choices, chosen_benchmark
from parts import permissions, run_card
from parts.plain import plain
from parts.view import View
from server import trainings
from server.access import check_may, redact, refusal
from server.settings import server
from state import Item

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_SHIPPED = "shipped:"


class _Chosen:
    """figure: the column that is compared. shots_of: the method whose gain by a few images is shown, or their mean."""

    prefix = "benchmark_"
    figure = Item[str | None]()
    shots_of = Item[str | None]()


_chosen = _Chosen()


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    Attributes:
        key: "own:" and a folder's name, or "shipped:" and a study's.
        folder: of its runs; None where only results ship.
    """

    key: str
    folder: StudyFolder | None

    @property
    def name(self) -> str:
        """For people."""
        return self.key.partition(":")[2]

    @property
    def note(self) -> str:
        """What it asks."""
        if self.folder is not None:
            return _study(self.folder)[1]
        return read_study(self.name).note if self.name in studies() else ""


def list_benchmarks() -> tuple[dict[str, Benchmark], list[str]]:
    """Benchmarks by key, newest first, then those that ship; and why others cannot be shown."""
    found, problems = {}, []
    for folder in list_studies(runs_dir()) if server().runs else []:
        try:
            with_splits = _study(folder)[0]
        except InputError as error:
            problems.append(f"The benchmark '{folder.name}' cannot be read, so it is left out. {redact(error)}")
            continue
        if with_splits:
            found[OWN + folder.name] = Benchmark(OWN + folder.name, folder)
    for file in sorted((assets_dir() / "results").glob("*.csv")):
        if _shift_grows(str(file), _stamp(file)):
            found[_SHIPPED + file.stem] = Benchmark(_SHIPPED + file.stem, None)
    return found, problems


def _study(folder: StudyFolder) -> tuple[bool, str]:
    """Whether it has splits, and its note."""
    return _read_study(str(folder.path), _stamp(folder.path / "study.yaml"), folder)


@st.cache_resource(max_entries=64, show_spinner=False)
def _read_study(path: str, stamp: int, _folder: StudyFolder) -> tuple[bool, str]:
    study = _folder.study()
    return study.splits is not None, study.note


@st.cache_resource(max_entries=16, show_spinner=False)
def _shift_grows(file: str, stamp: int) -> bool:
    """Whether the runs of a file are on splits of several distances; two halves swapped, say, have one."""
    table = pd.read_csv(file)
    return {"split", "distance"} <= set(table) and table["distance"].nunique() > 1


def cells(benchmark: Benchmark) -> list[Cell]:
    """Its runs, finished or not; none where only results ship.

    Raises:
        InputError: a study or splits that cannot be read.
    """
    folder = benchmark.folder
    return [] if folder is None else _cells(str(folder.path), _stamp(folder.path / "study.yaml"), folder)


@st.cache_resource(max_entries=32, show_spinner=False)
def _cells(path: str, stamp: int, _folder: StudyFolder) -> list[Cell]:
    return _folder.cells()


def figures(benchmark: Benchmark) -> pd.DataFrame:
    """What the finished runs measured, as `likeness.studies.study.measured`; each is read once.

    Raises:
        InputError: as `cells`, or a folder that holds a run with another config.
    """
    if benchmark.folder is None:
        return read_results(benchmark.name)
    parts = [_figures(str(cell.folder), _stamp(cell.folder / "report.json"), cell) for cell in cells(benchmark) if _ended(cell)]
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


@st.cache_resource(max_entries=10_000, show_spinner=False)
def _figures(folder: str, stamp: int, _cell: Cell) -> pd.DataFrame:
    return measured([_cell])


def _ended(cell: Cell) -> bool:
    return (cell.folder / "report.json").is_file() and RunFolder(cell.folder).status().state == "finished"


def methods(benchmark: Benchmark) -> list[str]:
    """Names of its methods, in its order."""
    names = [cell.row for cell in cells(benchmark)] if benchmark.folder is not None else list(figures(benchmark)["row"])
    return list(dict.fromkeys(names))


def columns(benchmark: Benchmark) -> set[str]:
    """Figures that its runs have, or will have."""
    if benchmark.folder is None:
        return set(figures(benchmark).columns)
    matched = any(cell.config.matched_classes for cell in cells(benchmark))
    return {"recall_at_1", "map_at_1000"} | ({"matched_recall_at_1"} if matched else set())


def standing(benchmark: Benchmark) -> StudyStatus:
    """As `StudyFolder.standing`, from what was read before: that reads the config of every run anew, which takes long for hundreds of runs."""
    assert benchmark.folder is not None
    own, wanted = RunFolder(benchmark.folder.path).status(), cells(benchmark)
    done = sum(_ended(cell) for cell in wanted)
    state = "finished" if done == len(wanted) else "stopped" if own.state == "finished" else own.state
    return StudyStatus(state, done, len(wanted), own.message if state == "running" else "", own.message if state == "failed" else "")


def _stamp(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _show_card(benchmark: Benchmark) -> None:
    """The card of a benchmark with a folder, drawn anew while it runs; called at a place that is the same in every run of the page."""
    st.fragment(_card, run_every=run_card.seconds_until_redrawn(_key(benchmark), standing(benchmark).state))(benchmark)


def _key(benchmark: Benchmark) -> str:
    return f"benchmark_state_{benchmark.key}"


def _card(benchmark: Benchmark) -> None:
    assert benchmark.folder is not None
    status = standing(benchmark)
    label, icon = run_card.STATES[status.state]
    run_card.redraw_page_after_begin_and_end(_key(benchmark), status.state)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{plain(benchmark.name)}**  :material/{icon}: {label}  :gray[{_progress_text(status)}]", width="stretch")
            _button(benchmark.folder, status)
        st.progress(status.done / status.total if status.total else 0.0)
        if status.state == "failed" and status.message:
            st.error(plain(redact(status.message)), icon=":material/error:")
        elif status.state == "lost":
            st.warning("Its process ended unexpectedly. Resume to continue where it stopped.", icon=":material/warning:")
            words = training.tail_log(RunFolder(benchmark.folder.path))
            if words:
                with st.expander("Last lines of its output"):
                    st.code(redact(words), language=None)


def _progress_text(status: StudyStatus) -> str:
    done = f"{status.done:,} of {status.total:,} runs"
    return f"{done}; now {plain(status.current)}" if status.current else done


def _button(folder: StudyFolder, status: StudyStatus) -> None:
    """Start, stop or resume: one key at the right edge, so that it stays under the pointer while the card is redrawn."""
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


MATCHED = "matched_recall_at_1"
_QUIET = {"displayModeBar": False}
_NAMES = {"recall_at_1": "R@1", "map_at_1000": "mAP@1000", MATCHED: "R@1 among equally many classes"}
_HELP = {
    MATCHED: "R@1 with the same number of test classes on every split, since fewer classes make retrieval easier. No network was trained on them.",
}
_MEAN = "Mean of all methods"


def _choose_figure(columns: Collection[str]) -> str:
    """The switch between the figures that the runs have."""
    names = [name for name in _NAMES if name in columns] or ["recall_at_1"]
    if _chosen.figure not in names:
        del _chosen.figure
    chosen = st.segmented_control(
        "Figure",
        names,
        default=names[0],
        required=True,
        format_func=lambda name: _NAMES[name],
        key="benchmark_figure",
        label_visibility="collapsed",
    )
    return str(chosen or names[0])


def _show_results(measured: pd.DataFrame, methods: Sequence[str], figure: str, name: str) -> None:
    """Draws the results.

    Args:
        measured: a line per finished run, as `likeness.studies.study.measured`.
        methods: all of the benchmark, in the order in which they get their looks.
        figure: the column that is compared.
        name: of the benchmark, for the file of the table.
    """
    if measured.empty or figure not in measured:
        with st.container(height=380, border=True, vertical_alignment="center", horizontal_alignment="center"):
            st.caption("Nothing measured yet. A point appears with each finished run.")
        return
    found = by_split(measured, figure)
    _against_distance(found, methods, figure, MATCHED in measured)
    _over_all_splits(measured, methods, figure)
    _few_shot(measured, methods)
    _structure(measured, methods, figure)
    _table(measured, found, figure, name)


def _against_distance(found: pd.DataFrame, methods: Sequence[str], figure: str, has_matched: bool) -> None:
    st.caption(f"{_HELP.get(figure) or run_card.metric_help(figure)} Whiskers: one standard deviation over the seeds.")
    drawn = _drawn(generalization_curves, found, named=_NAMES[figure], methods=methods)
    st.plotly_chart(drawn, theme="streamlit", key="benchmark_curves", config=_QUIET)
    rise = rise_by_removal(found)
    if rise:
        remedy = "" if figure == MATCHED or not has_matched else f" Choose {_NAMES[MATCHED]} above to compare equal numbers of classes."
        st.caption(
            f":material/info: {_NAMES[figure]} rises from {rise.score_before:.3f} on {plain(rise.before)} to {rise.score_after:.3f} on "
            f"{plain(rise.after)}, averaged over the methods, although train and test lie farther apart there. Removal steps remove classes from "
            f"both sides, and these are the hardest to tell apart: the remaining test classes are fewer and easier.{remedy}"
        )


def _over_all_splits(measured: pd.DataFrame, methods: Sequence[str], figure: str) -> None:
    st.subheader("Over all splits", divider="gray")
    st.caption(
        f"Aggregated generalization score (AGS): the average of {_NAMES[figure]} over the whole range from easy to hard, as the area under the "
        "line of a method above with distances scaled to 0 to 1."
    )
    scores = generalization_scores(measured, figure)
    if scores.empty:
        st.caption(":material/hourglass_empty: A bar appears for each method that has been measured on all splits.")
        return
    st.plotly_chart(_drawn(generalization_bars, scores, methods=methods), theme="streamlit", key="benchmark_ags", config=_QUIET)


def _few_shot(measured: pd.DataFrame, methods: Sequence[str]) -> None:
    gains = few_shot_gains(measured)
    if gains.empty:
        return
    st.subheader("With a few images of each new class", divider="gray")
    st.caption(
        "R@1 on the test classes before and after the network is adapted to a few of their images; the other images are searched. "
        "Left: each split, with the relative gain above the bars. Right: the gain of each method."
    )
    options = [_MEAN, *(row for row in methods if row in set(gains["row"]))]
    if _chosen.shots_of not in options:
        _chosen.shots_of = _MEAN
    chosen = st.selectbox("Bars of", options, key="benchmark_shots_of", width=260)
    bars, curves = st.columns(2, gap="medium")
    with bars:
        drawn = _drawn(few_shot_bars, gains, None if chosen == _MEAN else chosen)
        st.plotly_chart(drawn, theme="streamlit", key="benchmark_shots", config=_QUIET)
    with curves:
        st.plotly_chart(_drawn(few_shot_curves, gains, methods=methods), theme="streamlit", key="benchmark_gains", config=_QUIET)


def _structure(measured: pd.DataFrame, methods: Sequence[str], figure: str) -> None:
    scaled = scaled_structure(measured, figure)
    if scaled.empty:
        return
    st.subheader("Does the shape of the space predict it?", divider="gray")
    st.caption(
        f"Each point is a run: a property of the training images' space against {_NAMES[figure]} on the test classes, both scaled from 0 to 1 within "
        "their split. A line that rises or falls shows that the property predicts which methods do well; a correlation of 0 shows that it does not. "
        "Distance: between the centers of two classes. Spread: between images of one class. Uneven use: how unequally directions are used."
    )
    try:
        drawn = _drawn(structure_scatter, scaled, structure_correlations(scaled), methods=methods)
    except InputError as error:
        st.caption(plain(redact(error)))
        return
    st.plotly_chart(drawn, theme="streamlit", key="benchmark_structure", config=_QUIET)
    left = [
        f"{PROPERTIES[name]} {weakest:+.2f} (without {plain(str(without))})" for name, _, weakest, without in _without(scaled).itertuples(index=False)
    ]
    if left:
        st.caption(f"Weakest correlation over all splits when one method is left out: {', '.join(left)}.")


@st.cache_resource(max_entries=64, show_spinner=False)
def _without(scaled: pd.DataFrame) -> pd.DataFrame:
    return correlations_without(scaled)


@st.cache_resource(max_entries=64, show_spinner=False)
def _cached(name: str, _draw: "Callable[..., Figure]", given: Any, options: Any) -> "Figure":
    return _draw(*given, **options)


def _drawn(draw: "Callable[..., Figure]", *given: Any, **options: Any) -> "Figure":
    """A figure drawn once for the same numbers: plotly takes 0.1 s for each, and the page runs anew at every click."""
    return _cached(draw.__name__, draw, given, options)


def _table(measured: pd.DataFrame, found: pd.DataFrame, figure: str, name: str) -> None:
    st.subheader("Table", divider="gray")
    st.caption(f"{_NAMES[figure]}, averaged over seeds; AGS is the score over all splits. The CSV file has all figures of all runs.")
    places = found[["split", "distance"]].drop_duplicates()
    titles = {str(split): f"{split} ({distance:.3g})" for split, distance in zip(places["split"], places["distance"], strict=True)}
    table = found.pivot(index="row", columns="split", values="mean").reindex(columns=list(titles)).rename(columns=titles)
    scores = generalization_scores(measured, figure).set_index("row")["ags"]
    table["AGS"] = [float(scores.get(row, float("nan"))) for row in table.index]
    order = [row for row in dict.fromkeys(["Raw encoder", *measured["row"]]) if row in table.index]  # the baseline first
    shown = table.loc[order].reset_index(names="Method")
    st.dataframe(
        shown,
        hide_index=True,
        placeholder="",
        key="benchmark_table",
        column_config={
            str(column): st.column_config.ProgressColumn(format="%.3f", min_value=0, max_value=1) for column in shown if column != "Method"
        },
    )
    st.download_button(
        "Download every run",
        measured.to_csv(index=False).encode(),
        f"{name}.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        key="benchmark_csv",
    )


_EVERY = 2.0  # seconds


def show(view: View) -> None:
    """Draws the part of the page."""
    found, problems = list_benchmarks()
    chosen = _choose(found)
    for problem in problems:
        st.warning(plain(problem), icon=":material/warning:")
    if choices.form is None:
        choices.form = not found
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
        st.caption("No benchmark yet. Start one below to see which methods still retrieve the right images as classes drift apart.")
        return None
    if chosen_benchmark.benchmark not in found:
        chosen_benchmark.benchmark = next(iter(found))
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
        st.info(
            "A benchmark needs classes, and these images have no labels. Label some under Label, or choose other images in the sidebar.",
            icon=":material/info:",
        )


def _shown(chosen: Benchmark) -> None:
    running = False
    if chosen.folder is not None:
        running = standing(chosen).state == "running"
        with st.container():
            _show_card(chosen)
    if chosen.note:
        st.caption(plain(chosen.note))
    figure = _choose_figure(columns(chosen))
    with st.container():
        st.fragment(_results, run_every=_EVERY if running else None)(chosen, figure)


def _results(chosen: Benchmark, figure: str) -> None:
    try:
        measured = figures(chosen)
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    _show_results(measured, methods(chosen), figure, chosen.name)
