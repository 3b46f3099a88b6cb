"""A run of several processes on this machine: starts, follows and interrupts it, and records how it ended. Needs no torch.

The first process is `likeness.training.loop.worker`, from which Lightning's own launcher starts the others. torchrun does not replace
this module: it imports torch in a process that only waits, knows nothing of the run's status, and leaves its workers running when it is
killed. Runs that torchrun or SLURM start do not come here.
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

# Seconds between two checks of the run, and for an interrupted run to end by itself.
_POLL_SECONDS, _EXIT_GRACE_SECONDS = 0.2, 20.0


def launch(config: RunConfig, folder: Path | str, progress: Progress) -> RunFolder:
    """Trains in several new processes and waits for their end, as `train`.

    The processes end with this one: an interruption is passed on, and none of them is left once the first one has ended.
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
            start_new_session=True,  # an interruption from the keyboard reaches this process only, and is passed on once
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
    """For the processes of one machine, which talk over the loopback interface; without the variables of a run that started this process."""
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
    if run.status().state == "running":  # killed before it could record why
        run.fail("A process of the run was killed, or ended before all had started (see its output); resume the run to continue.")
    if code in (1, -signal.SIGABRT):
        raise RuntimeError(run.status().message)  # a defect, with its traceback in the output
    raise InputError(run.status().message)
