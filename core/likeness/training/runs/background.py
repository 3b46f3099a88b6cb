"""Runs in background processes, which outlive this process; their output goes to a file in the run's folder."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from likeness.errors import InputError
from likeness.io import start_python
from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import RunFolder, Status, TaskFolder

_LOG = "output.log"
_TAIL_LINES = 3
# started by this process; kept until they have ended, so that they do not remain zombies
_started: list["subprocess.Popen[bytes]"] = []


def start_run(run: RunFolder, config: RunConfig | None = None) -> int:
    """Starts a run with this config, or resumes it, in a background process; returns the process id.

    InputError: a run that is running or finished, a folder with another config, or a folder that cannot be written.
    """
    before = run.status()
    if before.state in ("running", "finished"):
        raise InputError(
            f"The run '{run.name}' is {before.state}; " + ("stop it first." if before.state == "running" else "choose another name for the new run.")
        )
    return begin(run, lambda: run.create(config or run.config()), before, "train", str(run.path / "config.yaml"), "--out", str(run.path))


def begin(folder: TaskFolder, create: Callable[[], object], before: Status, *command: str) -> int:
    """Creates the folder of some work and starts a `likeness` command for it in a background process; returns the process id.

    InputError: the folder cannot be written; and errors of `create`.
    """
    try:
        create()
        folder.clear_stop()
        pid = spawn(folder.path, *command)
        folder.report_status(Status("running", before.step, before.total, "Starting", pid, before.seconds))
    except OSError as error:
        raise InputError(f"The folder '{folder.path}' cannot be written ({error.strerror or error}); make room, or choose another one.") from error
    return pid


def spawn(folder: Path, *arguments: str) -> int:
    """Starts a `likeness` command in a background process, with its output in the folder; returns the process id. OSError: it cannot start."""
    with (folder / _LOG).open("ab") as output:
        process = start_python("-m", "likeness", *arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
    _started[:] = [*(each for each in _started if each.poll() is None), process]
    return process.pid


def tail_log(run: RunFolder) -> str:
    """The last lines of the output of a run's process that ended without updating the status."""
    file = run.path / _LOG
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    return "\n".join(line for line in lines[-_TAIL_LINES:] if line.strip())
