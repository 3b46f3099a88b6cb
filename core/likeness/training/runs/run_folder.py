"""Folders of work that can be stopped and resumed, such as runs: config, metrics so far, checkpoints. Readable while the work is running."""

import contextlib
import hashlib
import json
import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from likeness.errors import InputError
from likeness.io import as_path, parse_json, regular_file, runs_dir, sync_folder, text_of, write_atomic

if TYPE_CHECKING:
    from likeness.training.config import RunConfig

Checkpoint = Literal["last", "best"]
State = Literal["new", "running", "stopped", "finished", "failed", "lost"]
CHECKPOINTS: tuple[Checkpoint, ...] = ("best", "last")

_MOST_FIGURES = 1000  # in one line
_CHECKSUM = "sha256"
_LEFTOVER_SECONDS = 60.0
_BOOKKEEPING = ("step", "epoch", "rate", "seconds", "best_of", "alpha")


@dataclass(frozen=True)
class Status:
    """Status of a run.

    Attributes:
        state: "new" (only a config), "running", "stopped" (by a person), "finished", "failed" (see `message`, one sentence), or "lost": recorded as
            running, but its process is gone; can be resumed like a stopped run.
        step, total: steps done, and total steps.
        pid: process id, 0 if there is none.
        seconds: time spent in training.
    """

    state: State = "new"
    step: int = 0
    total: int = 0
    message: str = ""
    pid: int = 0
    seconds: float = 0.0


class TaskFolder:
    """A folder, which may not exist yet, of work that can be stopped, killed and resumed: its status, its process, and stop requests."""

    kind = "task"

    def __init__(self, path: Path | str, name: str | None = None) -> None:
        self.path = Path(path)
        self.name = name or self.path.name
        self._status, self._stop = self.path / "status.json", self.path / "stop"

    def status(self) -> Status:
        """The status; a broken file counts as new."""
        try:
            fields = parse_json(text_of(self._status), "The status")
            mark = str(fields.pop("process", ""))
            status = _status(fields)
        except (ValueError, TypeError, OverflowError, AttributeError):
            return Status()
        if status.state == "running" and not is_running(status.pid, mark):
            return Status("lost", status.step, status.total, "The process is gone; resume the run to continue.", 0, status.seconds)
        return status

    def report_status(self, status: Status) -> None:
        """Writes the status, with a mark that identifies the process beyond its id."""
        write_atomic(self._status, json.dumps(vars(status) | {"process": process_mark(status.pid)}).encode())

    def request_stop(self) -> None:
        write_atomic(self._stop, b"")

    def stop_requested(self) -> bool:
        return self._stop.exists()

    def clear_stop(self) -> None:
        self._stop.unlink(missing_ok=True)

    def claim(self) -> Status:
        """Claims the work for this process, clears earlier stop requests and returns the previous status. InputError: another process has it."""
        before = self.status()
        if before.state == "running" and before.pid != os.getpid():
            raise InputError(f"The {self.kind} in '{self.path}' is running already (process {before.pid}); stop it first.")
        if before.pid != os.getpid():  # otherwise the request may have come while this background process was starting
            self.clear_stop()
        return before

    @contextlib.contextmanager
    def working(self, total: int) -> Iterator[Callable[..., None]]:
        """Context of this process's work; yields `report(done, message="", state="running")`. Records errors and interruptions in the status."""
        self.claim()
        begun, done = time.perf_counter(), 0

        def report(now: int, message: str = "", state: State = "running") -> None:
            nonlocal done
            done = now
            pid = os.getpid() if state == "running" else 0
            self.report_status(Status(state, now, total, message, pid, time.perf_counter() - begun))

        try:
            yield report
        except InputError as error:
            report(done, str(error), "failed")
            raise
        except Exception as error:
            report(done, f"Ended by {type(error).__name__}: {error}", "failed")
            raise
        except BaseException:
            report(done, "", "stopped")
            raise


class RunFolder(TaskFolder):
    kind = "run"

    def __init__(self, path: Path | str, name: str | None = None) -> None:
        super().__init__(path, name)
        self.checkpoint = self.path / "checkpoint.ckpt"
        self.best = self.path / "best.safetensors"
        self._metrics = self.path / "metrics.jsonl"

    def create(self, config: "RunConfig") -> None:
        """Writes config and environment. InputError: the folder has another config, except for the number of processes."""
        from likeness.training.config import as_yaml

        if (self.path / "config.yaml").is_file() and not self.config().same_run(config):
            raise InputError(f"The folder '{self.path}' holds a run with another config; choose another folder, or resume that run.")
        write_atomic(self.path / "config.yaml", as_yaml(config).encode())
        if not (self.path / "environment.json").is_file():
            write_atomic(self.path / "environment.json", json.dumps(_environment(), indent=1).encode())

    def start_or_resume(self, config: "RunConfig") -> Status:
        """Starts or resumes the run in this process and returns the previous status. InputError: as `create` and `claim`."""
        self.create(config)
        self._remove_leftovers()
        before = self.claim()
        self.report_status(Status("running", before.step, before.total, "Reading images", os.getpid(), before.seconds))
        return before

    def _remove_leftovers(self) -> None:
        """Deletes temporary files of killed processes."""
        for file in self.path.glob(".*.partial"):
            with contextlib.suppress(OSError):
                if time.time() - file.stat().st_mtime > _LEFTOVER_SECONDS:
                    file.unlink()

    def end(self, state: State, message: str) -> None:
        """Records the end of the run at its current step."""
        now = self.status()
        self.report_status(Status(state, now.step, now.total, message, 0, now.seconds))

    def fail(self, message: str) -> None:
        """Records that an error ended the run, unless it was asked to stop, for example while reading images."""
        self.end("stopped" if self.stop_requested() else "failed", message)

    def config(self) -> "RunConfig":
        """The config of the run. InputError: there is no run."""
        from likeness.training.config import read_config  # heavy: all losses and labels, which listing runs does not need

        file = self.path / "config.yaml"
        if not file.is_file():
            raise InputError(f"There is no run in '{self.path}'; start one with `likeness train`.")
        return read_config(file)

    def append_metrics(self, row: dict[str, Any]) -> None:
        """Appends a line; `step` is the step after which it was measured."""
        with self._metrics.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def sync_metrics(self) -> None:
        if self._metrics.is_file():
            with self._metrics.open("rb+") as file:
                os.fsync(file.fileno())

    def metrics(self) -> pd.DataFrame:
        """The metrics so far, a row per measurement, by step; skips an incomplete line."""
        rows = []
        for line in self._lines():
            with contextlib.suppress(InputError):
                row = parse_json(line, "A line")
                if isinstance(row, dict) and len(row) <= _MOST_FIGURES:
                    rows.append({name: value for name, value in row.items() if isinstance(value, int | float | str)})
        return pd.DataFrame(rows)

    def _lines(self) -> list[str]:
        """Lines of the metrics; empty if there are none. Damaged bytes are replaced, which makes invalid JSON."""
        try:
            return regular_file(self._metrics).read_bytes().decode(errors="replace").splitlines()
        except OSError:
            return []

    def metrics_stamp(self) -> tuple[int, int]:
        """Size and modification time of the metrics, which change with every new measurement."""
        with contextlib.suppress(OSError):
            stat = self._metrics.stat()
            return stat.st_size, stat.st_mtime_ns
        return 0, 0

    def drop_metrics_after(self, step: int) -> None:
        """Drops metrics after `step`: a killed run resumes from its checkpoint and measures them again."""
        if not self._metrics.is_file():
            return
        kept = [line for line in self._lines() if _step_of(line) <= step]
        write_atomic(self._metrics, "".join(f"{line}\n" for line in kept).encode())

    def write_report(self, report: dict[str, Any]) -> None:
        """Writes the final metrics, with a checksum."""
        write_atomic(self.path / "report.json", json.dumps(report | {_CHECKSUM: _digest(report)}, indent=1).encode())
        sync_folder(self.path)

    def report(self) -> dict[str, Any] | None:
        """The final metrics, None before the end. InputError: a damaged file. Old reports without checksum are accepted."""
        file = self.path / "report.json"
        if not file.is_file():
            return None
        found = parse_json(text_of(file), f"'{file.name}' of the run '{self.name}'")
        if not isinstance(found, dict):
            raise InputError(f"'{file.name}' of the run '{self.name}' holds no figures; delete it and resume the run.")
        expected = found.pop(_CHECKSUM, None)
        if expected not in (None, _digest(found)):
            raise InputError(f"'{file.name}' of the run '{self.name}' is damaged (it does not fit its checksum); delete it and resume the run.")
        return found

    def best_figures(self) -> dict[str, float]:
        """Metrics of the best weights on the test images, with their `step`: from the report, or until then from the evaluation that kept them."""
        figures = (self.report() or {}).get("best") or checkpoint_figures(self.metrics(), self.config().selection_metric, "best")
        return {name: value for name, value in figures.items() if isinstance(value, int | float)}


def figure_names(measured: Iterable[Any]) -> list[str]:
    """The names of evaluation metrics among measurements, or their columns."""
    return [name for name in map(str, measured) if name not in _BOOKKEEPING and not name.startswith("loss")]


def checkpoint_figures(measured: pd.DataFrame, selection: str, which: Checkpoint) -> dict[str, float]:
    """Metrics at a checkpoint by name, with its `step` and `epoch`, from `RunFolder.metrics`; empty if there is none yet.

    "last" is the last evaluation, or that of the untrained network before the first one; "best" is the evaluation whose weights are kept.
    """
    evaluated = "best_of" if which == "best" else selection
    if evaluated not in measured or not measured[evaluated].notna().any():
        return {}
    row: dict[Any, Any] = measured[measured[evaluated].notna()].iloc[-1].to_dict()
    return {"step": int(row["step"]), "epoch": float(row["epoch"])} | {name: float(row[name]) for name in figure_names(row)}


def find_run(name: Path | str) -> RunFolder:
    """The run of a name or folder, with or without the prefix "run:": a run's folder, or one of that name in the folder of runs. InputError: there is
    none.
    """
    plain = str(name).removeprefix("run:")
    for folder in (as_path(plain), runs_dir() / plain):
        if plain.strip() and (folder / "config.yaml").is_file():
            return RunFolder(folder)
    raise InputError(f"There is no run '{plain}', neither as a folder nor in '{runs_dir()}'; `likeness runs` lists all runs.")


def list_runs(folder: Path) -> list[RunFolder]:
    """The runs in the subfolders, newest first; runs of a sweep are named by their path in it, "rates/runs/trial-0007"."""
    found = [RunFolder(place, place.relative_to(folder).as_posix()) for place in _places(folder, "config.yaml")]
    return sorted(found, key=lambda run: (run.path / "config.yaml").stat().st_mtime, reverse=True)


def trained_folders(folder: Path) -> list[Path]:
    """The folders of `list_runs` that have weights, newest first; reads only file names."""
    weights = [place / "best.safetensors" for place in _places(folder, "best.safetensors") if (place / "config.yaml").is_file()]
    return [file.parent for file in sorted(weights, key=lambda file: file.stat().st_mtime, reverse=True)]


def _places(folder: Path, file: str) -> list[Path]:
    """Subfolders with such a file, and those of sweeps."""
    return [found.parent for pattern in (f"*/{file}", f"*/runs/*/{file}") for found in folder.glob(pattern)]


def _status(fields: dict[str, Any]) -> Status:
    whole: dict[str, Any] = {name: int(fields[name]) for name in ("step", "total", "pid") if name in fields}
    status = Status(**(fields | whole | {"seconds": float(fields.get("seconds", 0.0))}))
    if not isinstance(status.state, str) or not isinstance(status.message, str) or not 0 <= status.pid < 2**31 or not math.isfinite(status.seconds):
        raise ValueError("another form")
    return status


def _digest(report: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(report, sort_keys=True).encode()).hexdigest()


def _step_of(line: str) -> float:
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return float("inf")


def _environment() -> dict[str, Any]:
    from importlib.metadata import version

    packages = ("likeness", "torch", "torchvision", "timm", "lightning", "pytorch-metric-learning", "numpy")
    return {"python": platform.python_version(), "machine": platform.machine(), "begun": time.strftime("%Y-%m-%d %H:%M:%S")} | {
        name: version(name) for name in packages
    }


def process_mark(pid: int) -> str:
    """Identifies a process beyond its id: start of the system and of the process; "" if there is no such process, or no /proc."""
    with contextlib.suppress(OSError, IndexError):
        start = _stat(pid)[19]
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {start}"
    return ""


def is_running(pid: int, mark: str = "") -> bool:
    """Whether a process with this id runs and, if given and available, with this mark."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    with contextlib.suppress(OSError, IndexError):  # a zombie has ended, though its parent has not collected it yet
        if _stat(pid)[0] == "Z":
            return False
    return not mark or process_mark(pid) in ("", mark)


def _stat(pid: int) -> list[str]:
    """Fields of /proc/PID/stat from the state on; the name before it may contain anything."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
