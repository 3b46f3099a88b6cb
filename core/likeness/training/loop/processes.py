"""Runs in processes of their own: begun from anywhere, they outlive who began them; what they say goes to a file in the run's folder."""

import subprocess
import sys
from pathlib import Path

from likeness.errors import InputError
from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import RunFolder, Status

_LOG = "output.log"
_TOLD_LINES = 3
# Begun by this process and perhaps ended since: held until then, so that the system can be told that somebody knows of their end.
_begun: list["subprocess.Popen[bytes]"] = []


def begin(run: RunFolder, config: RunConfig | None = None) -> int:
    """Trains in a process of its own, or goes on with what was stopped or killed; returns the process's number.

    Args:
        run: its folder, which need not exist yet.
        config: of a new run; None where the folder has one.

    Raises:
        InputError: a run that is running or finished, a folder with another config, or one that cannot be written.
    """
    before = run.status()
    if before.state in ("running", "finished"):
        raise InputError(
            f"The run '{run.name}' is {before.state}; " + ("stop it first." if before.state == "running" else "give the new one a name.")
        )
    try:
        run.create(config or run.config())
        run.clear_stop()
        pid = spawn(run.path, "train", str(run.path / "config.yaml"), "--out", str(run.path))
        run.report_status(Status("running", before.step, before.total, "Starting", pid, before.seconds))
    except OSError as error:
        raise InputError(f"The folder '{run.path}' cannot be written ({error.strerror or error}); make room, or choose another one.") from error
    return pid


def spawn(folder: Path, *arguments: str) -> int:
    """A command of `likeness` in a process of its own, which prints into the folder; returns its number.

    Raises:
        OSError: the folder cannot be written.
    """
    with (folder / _LOG).open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "likeness", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    _begun[:] = [*(each for each in _begun if each.poll() is None), process]
    return process.pid


def last_words(run: RunFolder) -> str:
    """The last lines that the run's process printed, for a run whose process is gone without a word in its status."""
    file = run.path / _LOG
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    return "\n".join(line for line in lines[-_TOLD_LINES:] if line.strip())
