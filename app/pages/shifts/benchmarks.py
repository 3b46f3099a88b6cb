"""Benchmarks of methods on splits of growing distance: those under way or done here, and those whose results ship."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st

from access import redact
from likeness.errors import InputError
from likeness.io import assets_dir, runs_dir
from likeness.studies import Cell, StudyFolder, StudyStatus, list_studies, measured, read_results, read_study, studies
from likeness.training import RunFolder
from server_settings import server

_OWN, _SHIPPED = "own:", "shipped:"


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


def listed() -> tuple[dict[str, Benchmark], list[str]]:
    """Benchmarks by key, newest first, then those that ship; and why others cannot be shown."""
    found, problems = {}, []
    for folder in list_studies(runs_dir()) if server().runs else []:
        try:
            with_splits = _study(folder)[0]
        except InputError as error:
            problems.append(f"The benchmark '{folder.name}' cannot be read, so it is left out. {redact(error)}")
            continue
        if with_splits:
            found[_OWN + folder.name] = Benchmark(_OWN + folder.name, folder)
    for file in sorted((assets_dir() / "results").glob("*.csv")):
        if _shift_grows(str(file), _stamp(file)):
            found[_SHIPPED + file.stem] = Benchmark(_SHIPPED + file.stem, None)
    return found, problems


def own(name: str) -> str:
    """The key of the benchmark in this folder."""
    return _OWN + name


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
