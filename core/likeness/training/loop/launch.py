"""Starts, monitors and interrupts a run of several processes on this machine, and records how it ended. Needs no torch.

The first process is `likeness.training.loop.worker`; Lightning's launcher starts the others from it. torchrun does not replace this module: it
imports torch in a process that only waits, does not know the run's status, and leaves its workers running when it is killed. Runs that torchrun or
SLURM start do not use this module.
"""

import contextlib
import os
import signal
import socket
import subprocess
from pathlib import Path

from likeness.errors import InputError
from likeness.io import interrupted_by, start_python
from likeness.progress import Progress
from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import RunFolder

# seconds between two checks of the run, and until an interrupted run must have ended
_POLL_SECONDS, _EXIT_GRACE_SECONDS = 0.2, 20.0


def launch(config: RunConfig, folder: Path | str, progress: Progress) -> RunFolder:
    """Trains in several new processes and waits for their end, as `train`.

    The processes end with this one: interruptions are passed on, and none of them outlives the first one.
    """
    if config.nodes > 1:
        raise InputError(f"nodes is {config.nodes}; start the run on each machine with torchrun or SLURM (docs/speed.md).")
    run = RunFolder(folder)
    run.start_or_resume(config)
    with interrupted_by(signal.SIGTERM):
        process = start_python(
            *("-m", "likeness.training.loop.worker", str(run.path / "config.yaml"), str(run.path)),
            stdin=subprocess.DEVNULL,
            environment=_environment(),
            start_new_session=True,  # an interruption from the keyboard reaches only this process, and is passed on once
        )
        try:
            code = _follow(process, run, progress)
        except BaseException:
            _interrupt(process)
            if run.status().state == "running":
                run.end("stopped", "Interrupted; resume the run to continue.")
            raise
        finally:
            _kill_session(process)
    return _check_end(run, code)


def _environment() -> dict[str, str]:
    """Environment for the processes of one machine, which communicate over the loopback interface, without the variables of a parent run."""
    loopback = next((name for _, name in socket.if_nameindex() if name in ("lo", "lo0")), None)
    defaults = {"TORCH_CPP_LOG_LEVEL": "ERROR"} | ({"GLOO_SOCKET_IFNAME": loopback} if loopback else {})
    foreign = ("LOCAL_RANK", "NODE_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    return defaults | {name: value for name, value in os.environ.items() if name not in foreign}


def _follow(process: "subprocess.Popen[bytes]", run: RunFolder, progress: Progress) -> int:
    """Reports progress until the process has ended; returns its exit status."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_POLL_SECONDS)
        status = run.status()
        if status.total:
            progress(status.step, status.total, status.message or "Training")


def _interrupt(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_EXIT_GRACE_SECONDS)


def _kill_session(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _check_end(run: RunFolder, code: int) -> RunFolder:
    if code == 0:
        return run
    if run.status().state == "running":  # killed before it could record the reason
        run.fail("A process of the run was killed, or ended before all had started (see its output); resume the run to continue.")
    if code in (1, -signal.SIGABRT):
        raise RuntimeError(run.status().message)  # a bug, with its traceback in the output
    raise InputError(run.status().message)
