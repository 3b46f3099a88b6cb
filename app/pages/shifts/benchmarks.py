"""Benchmarks of methods on splits of growing distance, run here or shipped: progress and results."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from likeness.errors import InputError
from likeness.evaluation import (
    by_split,
    correlation_intervals,
    few_shot_gains,
    generalization_scores,
    is_control,
    rise_by_removal,
    scaled_structure,
    structure_correlations,
)
from likeness.io import assets_dir, csv_bytes, read_figures, runs_dir
from likeness.plots import PROPERTIES, few_shot_bars, few_shot_curves, generalization_bars, generalization_curves, structure_scatter
from likeness.studies import Cell, StudyFolder, StudyStatus, list_studies, measured, read_results, read_study, studies
from likeness.training import RunFolder
from pages.shifts import PAGE, benchmark_form
from pages.shifts.benchmark_form import OWN
from parts import permissions, run_card
from parts.app_page import show_missing
from parts.errors import show_errors, toast_errors
from parts.plain import plain, prose
from parts.view import View
from server import trainings
from server.access import redact
from server.settings import server

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_SHIPPED = "shipped:"
_EVERY = 2.0  # seconds
_MATCHED = "matched_recall_at_1"
_FIGURES = {"recall_at_1": "R@1", "map_at_1000": "mAP@1000", _MATCHED: "R@1 among equally many classes"}
_MATCHED_HELP = "R@1 with the same number of test classes on every split, since fewer classes make retrieval easier. No network was trained on them."
_MEAN = "Mean of all methods"


def show(view: View) -> None:
    found, problems = _list_benchmarks()
    chosen = _choose(found)
    for problem in problems:
        st.warning(prose(problem), icon=":material/warning:")
    if benchmark_form.is_open.get() is None:
        benchmark_form.is_open.set(not found)
    form = st.expander("Start a benchmark", icon=":material/play_arrow:", key="benchmark_form", on_change="rerun")
    if form.open:
        with form, show_errors():
            if not PAGE.suits(view.base.table):
                words = "A benchmark splits classes into train and test, and these images have no classes yet."
                show_missing(words, "label", "Label images", "label")
            elif not permissions.refused():
                benchmark_form.show(view)
    with st.container(), show_errors():  # there in every run, so that late reruns of the fragments find their places
        if chosen is not None:
            _show_benchmark(chosen.partition(":")[2], chosen.startswith(OWN), found[chosen])


def _list_benchmarks() -> tuple[dict[str, str], list[str]]:
    """Keys of benchmarks with their questions, newest first, then shipped ones; and why others cannot be shown."""
    found, problems = {}, []
    for folder in list_studies(runs_dir()) if server().runs else []:
        try:
            note = _kept("note", _stamp(folder.path / "study.yaml"), partial(_note, folder))
        except InputError as error:
            problems.append(f"The benchmark '{folder.name}' cannot be read, so it is left out. {redact(error)}")
            continue
        if note is not None:
            found[OWN + folder.name] = note
    for file in sorted((assets_dir() / "results").glob("*.csv")):
        if _kept("shift", _stamp(file), partial(_shift_grows, file)):
            found[_SHIPPED + file.stem] = read_study(file.stem).note if file.stem in studies() else ""
    return found, problems


def _stamp(file: Path) -> tuple[str, int]:
    """A key that changes whenever a file is written."""
    try:
        return str(file), file.stat().st_mtime_ns
    except OSError:
        return str(file), 0


@st.cache_resource(max_entries=128, show_spinner=False)
def _kept(what: str, key: Any, _make: Callable[[], Any]) -> Any:
    """Caches the result of `_make` by key: plotly takes 0.1 s per figure, and the page reruns at every click."""
    return _make()


def _note(folder: StudyFolder) -> str | None:
    """The question of a study; None for one without splits."""
    study = folder.study()
    return None if study.splits is None else study.note


def _shift_grows(file: Path) -> bool:
    """Whether a file's runs are on splits with several distances; for example, two swapped halves have one."""
    table = read_figures(file)
    return {"split", "distance"} <= set(table) and table["distance"].nunique() > 1


def cells(folder: StudyFolder) -> tuple[list[Cell], list[Cell]]:
    """A benchmark's runs, and the finished ones.

    Raises:
        InputError: the study or its splits cannot be read.
    """
    every = _kept("cells", _stamp(folder.path / "study.yaml"), folder.cells)
    return every, [cell for cell in every if (cell.folder / "report.json").is_file() and RunFolder(cell.folder).status().state == "finished"]


def _choose(found: dict[str, str]) -> str | None:
    if not found:
        st.caption("No benchmark yet. Start one below to see which methods still work as train and test classes differ more.")
        return None
    named = {key: key.removeprefix(OWN) if key.startswith(OWN) else f"{key.removeprefix(_SHIPPED)} (shipped results)" for key in found}
    return st.selectbox("Benchmark", list(found), format_func=lambda key: named.get(key, key), key="benchmark", bind="query-params", width=420)


def _show_benchmark(name: str, is_own: bool, note: str) -> None:
    """Draws a benchmark, own or shipped; `note` is its question."""
    folder, is_running = StudyFolder(runs_dir() / name) if is_own else None, False
    if folder is None:
        columns = set(read_results(name))
    else:  # reading errors are shown here, in place of a card
        columns = {"recall_at_1", "map_at_1000"} | ({_MATCHED} if any(cell.config.matched_classes for cell in cells(folder)[0]) else set())
        is_running = run_card.redraw_while_running(folder, partial(_card, folder))
    if note:
        st.caption(prose(note))
    names = [name for name in _FIGURES if name in columns] or ["recall_at_1"]
    options: dict[str, Any] = {"default": names[0], "required": True, "key": "benchmark_figure", "label_visibility": "collapsed"}
    figure = str(st.segmented_control("Figure", names, format_func=_FIGURES.__getitem__, **options) or names[0])
    with st.container():
        st.fragment(_results, run_every=_EVERY if is_running else None)(name, folder, figure)


def _status(folder: StudyFolder) -> StudyStatus:
    """`StudyFolder.standing` from cached data: reading the config of every run takes long for hundreds of runs."""
    own, (every, finished) = RunFolder(folder.path).status(), cells(folder)
    state = "finished" if len(finished) == len(every) else "stopped" if own.state == "finished" else own.state
    running, failed = (own.message if state == each else "" for each in ("running", "failed"))
    return StudyStatus(state, len(finished), len(every), running, failed)


def _card(folder: StudyFolder) -> None:
    status = _status(folder)
    said = f"{status.done:,} of {status.total:,} runs{f'; now {status.current}' if status.current else ''}"
    act = partial(run_card.action, folder, status.state, f"act_benchmark_{folder.name}", _resume, is_quiet=True)
    run_card.draw_frame(folder, status, said, status.done / (status.total or 1), act)


@toast_errors()
def _resume(folder: StudyFolder) -> None:
    trainings.begin_training(folder.path, folder.begin)


def _results(name: str, folder: StudyFolder | None, figure: str) -> None:
    with show_errors():
        if folder is None:
            runs = read_results(name)
            methods = list(dict.fromkeys(runs["row"]))
        else:
            every, finished = cells(folder)
            stamps = [_stamp(cell.folder / "report.json") for cell in finished]
            runs = _kept("runs", stamps, partial(measured, finished)) if finished else pd.DataFrame()
            methods = list(dict.fromkeys(cell.row for cell in every))
        if runs.empty or figure not in runs:
            st.info("Nothing measured yet. A point appears with each finished run.", icon=":material/hourglass_empty:")
            return
        found = by_split(runs, figure)
        _against_distance(found, methods, figure, _MATCHED in runs)
        _over_all_splits(runs, methods, figure)
        _few_shot(runs, methods)
        _structure(runs, methods, figure)
        _table(runs, found, figure, name)


def _against_distance(found: pd.DataFrame, methods: Sequence[str], figure: str, has_matched: bool) -> None:
    help = _MATCHED_HELP if figure == _MATCHED else run_card.metric_help(figure)
    beside = " Points beside the lines: as many classes removed at random, a control." if is_control(found).any() else ""
    st.caption(f"{help} Whiskers: one standard deviation over the seeds.{beside}")
    _chart("curves", generalization_curves, found, named=_FIGURES[figure], methods=methods)
    if rise := rise_by_removal(found):
        remedy = "" if figure == _MATCHED or not has_matched else f" Choose {_FIGURES[_MATCHED]} above to compare equal numbers of classes."
        st.caption(
            f":material/info: {_FIGURES[figure]} rises from {rise.score_before:.3f} on {plain(rise.before)} to {rise.score_after:.3f} on "
            f"{plain(rise.after)}, averaged over the methods, although train and test lie farther apart there. Removal steps remove classes from "
            f"both sides, and these are the hardest to tell apart: the remaining test classes are fewer and easier.{remedy}"
        )


def _over_all_splits(runs: pd.DataFrame, methods: Sequence[str], figure: str) -> None:
    _head(
        "Over all splits",
        f"Aggregated generalization score (AGS): the average of {_FIGURES[figure]} over the whole range from easy to hard, as the area under the "
        "line of a method above with distances scaled to 0 to 1.",
    )
    scores = generalization_scores(runs, figure)
    if scores.empty:
        st.caption(":material/hourglass_empty: A bar appears for each method that has been measured on all splits.")
    else:
        _chart("ags", generalization_bars, scores, methods=methods)


def _few_shot(runs: pd.DataFrame, methods: Sequence[str]) -> None:
    gains = few_shot_gains(runs)
    if gains.empty:
        return
    _head(
        "With a few images of each new class",
        "R@1 on the test classes before and after the network is adapted to a few of their images; the other images are searched. "
        "Left: each split, with the relative gain above the bars. Right: the gain of each method.",
    )
    options = [_MEAN, *(row for row in methods if row in set(gains["row"]))]
    chosen = st.selectbox("Bars of", options, key="benchmark_shots_of", width=260)
    bars, curves = st.columns(2, gap="medium")
    with bars:
        _chart("shots", few_shot_bars, gains, None if chosen == _MEAN else chosen)
    with curves:
        _chart("gains", few_shot_curves, gains, methods=methods)


def _structure(runs: pd.DataFrame, methods: Sequence[str], figure: str) -> None:
    scaled = scaled_structure(runs, figure)
    if scaled.empty:
        return
    _head(
        "Does the shape of the space predict it?",
        f"Each point is a run: a property of the training images' space against {_FIGURES[figure]} on the test classes, both scaled from 0 to 1 "
        "within their split. A line that rises or falls shows that the property predicts which methods do well; a correlation of 0 shows that it "
        "does not. Distance: between the centers of two classes. Spread: between images of one class. Uneven use: how unequally directions are used.",
    )
    try:
        _chart("structure", structure_scatter, scaled, structure_correlations(scaled), methods=methods)
    except InputError as error:
        st.caption(prose(redact(error)))
        return
    intervals = _kept("correlations", scaled, partial(correlation_intervals, scaled)).itertuples(index=False)
    if shown := [f"{PROPERTIES[name]} {value:+.2f} ({low:+.2f} to {high:+.2f})" for name, value, low, high in intervals]:
        st.caption(f"Correlation of the methods' means over all splits, with 95 % intervals over methods: {', '.join(shown)}.")


def _table(runs: pd.DataFrame, found: pd.DataFrame, figure: str, name: str) -> None:
    _head("Table", f"{_FIGURES[figure]}, averaged over seeds; AGS is the score over all splits. The CSV file has all figures of all runs.")
    titles = {str(row.split): f"{row.split} ({row.distance:.3g})" for row in found.drop_duplicates(["split", "distance"]).itertuples()}
    table = found.pivot(index="row", columns="split", values="mean").reindex(columns=list(titles)).rename(columns=titles)
    table["AGS"] = generalization_scores(runs, figure).set_index("row")["ags"].reindex(table.index)
    order = [row for row in dict.fromkeys(["Raw encoder", *runs["row"]]) if row in table.index]  # the baseline first
    bar = st.column_config.ProgressColumn(format="%.3f", min_value=0, max_value=1)
    config = dict.fromkeys(map(str, table.columns), bar)
    st.dataframe(table.loc[order].rename_axis("Method"), placeholder="", key="benchmark_table", column_config=config)
    button: dict[str, Any] = {"icon": ":material/download:", "on_click": "ignore", "key": "benchmark_csv"}
    st.download_button("Download every run", lambda: csv_bytes(runs), f"{name}.csv", "text/csv", **button)


def _head(title: str, help: str) -> None:
    st.subheader(title, divider="gray")
    st.caption(help)


def _chart(name: str, draw: "Callable[..., Figure]", *given: Any, **options: Any) -> None:
    figure = _kept(name, (given, options), partial(draw, *given, **options))
    st.plotly_chart(figure, theme="streamlit", key=f"benchmark_{name}", config={"displayModeBar": False})
