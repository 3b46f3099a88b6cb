"""A study on disk: its config, runs and status; can run in a background process."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from likeness.errors import InputError
from likeness.io import write_atomic
from likeness.progress import Progress, report_progress
from likeness.studies.study import Cell, StudyConfig, cells, finished, read_study, resolve_splits, rows_with, run_study
from likeness.training import RunFolder, Status, TaskFolder, begin


@dataclass(frozen=True)
class StudyStatus:
    """Status of a study: `state` as of a run; `done` of `total` runs; title of the `current` one; `message` of failures."""

    state: str
    done: int
    total: int
    current: str = ""
    message: str = ""


class StudyFolder(TaskFolder):
    """The files of a study: `study.yaml`, a folder for each run, and the status."""

    kind = "study"

    def create(self, study: StudyConfig, changes: dict[str, Any] | None = None, rows: Collection[str] | None = None) -> None:
        """Writes the study; `changes`, by dotted keys, apply to every row, or to these `rows`: the others keep the folder's values."""
        before = self.study().rows if rows and (self.path / "study.yaml").is_file() else {}
        changed = rows_with(study, changes or {}, rows)
        compared = {row: own if not rows or row in rows else before.get(row, own) for row, own in changed.items()}
        content = study.model_copy(update={"rows": compared, "splits": resolve_splits(study)}).model_dump(mode="json")
        write_atomic(self.path / "study.yaml", yaml.safe_dump(content, sort_keys=False, allow_unicode=True).encode())

    def study(self) -> StudyConfig:
        """Reads the study. InputError: there is none."""
        file = self.path / "study.yaml"
        if not file.is_file():
            raise InputError(f"There is no study in '{self.path}'; start one with `likeness study`.")
        return read_study(file)

    def cells(self) -> list[Cell]:
        """Its runs, finished or not. InputError: as `study` and `likeness.studies.study.cells`."""
        return cells(self.study(), self.path)

    def standing(self) -> StudyStatus:
        """The status; runs are counted by their own reports."""
        own = self.status()
        wanted = self.cells()
        done = sum(finished(cell) for cell in wanted)
        state = "finished" if done == len(wanted) else "stopped" if own.state == "finished" else own.state
        return StudyStatus(state, done, len(wanted), own.message if state == "running" else "", own.message if state == "failed" else "")

    def run(self, wanted: list[Cell] | None = None, progress: Progress | None = None) -> None:
        """Trains unfinished runs until asked to stop; failed ones are skipped, reported at the end, and tried again next time.

        `progress` is called with (runs done, runs, title of the next run) before each run. InputError: another process trains it, or runs failed.
        """
        wanted = self.cells() if wanted is None else wanted
        with self.working(len(wanted)) as report:

            def tell(done: int, total: int, stage: str = "") -> None:
                report(done, stage)
                report_progress(progress, done, total, stage)

            run_study(wanted, tell, self.stop_requested)
            report(len(wanted), "", "stopped" if self.stop_requested() else "finished")

    def request_stop(self) -> None:
        """Requests a stop; the current run saves a checkpoint, from which the next call resumes."""
        super().request_stop()
        for cell in self.cells():
            run = RunFolder(cell.folder)
            if run.status().state == "running":
                run.request_stop()

    def begin(self) -> int:
        """Starts or resumes the study in a background process; returns the process id.

        InputError: it is running or finished, there is no study, or the folder cannot be written.
        """
        standing = self.standing()
        if standing.state in ("running", "finished"):
            remedy = "stop it first" if standing.state == "running" else "change it first"
            raise InputError(f"The study '{self.name}' is {standing.state}; {remedy}.")
        before = Status(step=standing.done, total=standing.total)
        return begin(self, self.study, before, "study", str(self.path / "study.yaml"), "--out", str(self.path))


def list_studies(folder: Path) -> list[StudyFolder]:
    """The studies in the subfolders, newest first."""
    found = [StudyFolder(file.parent) for file in folder.glob("*/study.yaml")]
    return sorted(found, key=lambda study: (study.path / "study.yaml").stat().st_mtime, reverse=True)
