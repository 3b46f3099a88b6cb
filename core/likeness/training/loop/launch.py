"""A run of several processes from outside: begun, followed, interrupted, and its end told of, whatever ended it. Needs no torch."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from likeness.errors import InputError
from likeness.io.interruption import interrupted_by
from likeness.progress import Progress
from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import RunFolder

# Seconds between two looks at the run, and those that it has to end by itself when interrupted.
_LOOK, _GRACE = 0.2, 20.0


def launch(config: RunConfig, folder: Path | str, progress: Progress) -> RunFolder:
    """Trains in processes of their own and waits for their end; arguments and result as for `likeness.training.loop.train.train`.

    The first process is `likeness.training.loop.worker`, from which Lightning launches the others. They end with this one: interrupted, it
    interrupts them, and once the first one has ended none of them stays.
    """
    if config.nodes > 1:
        raise InputError(f"nodes is {config.nodes}; start the run on each machine with torchrun or SLURM, as docs/several-machines.md shows.")
    run = RunFolder(folder)
    run.take_up(config)
    with interrupted_by(signal.SIGTERM):
        process = subprocess.Popen(
            [sys.executable, "-m", "likeness.training.loop.worker", str(run.path / "config.yaml"), str(run.path)],
            stdin=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # an interruption from the keyboard comes here first, and once
        )
        try:
            code = _follow(process, run, progress)
        except BaseException:
            _interrupt(process)
            if run.status().state == "running":
                run.end("stopped", "Interrupted; resume the run to go on.")
            raise
        finally:
            _end_all(process)
    return _ended(run, code)


def _environment() -> dict[str, str]:
    """Of one machine: what it says between its processes stays on it."""
    inside = next((name for _, name in socket.if_nameindex() if name in ("lo", "lo0")), None)
    said = {"TORCH_CPP_LOG_LEVEL": "ERROR"} | ({"GLOO_SOCKET_IFNAME": inside} if inside else {})
    others = ("LOCAL_RANK", "NODE_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # of a run that this one has nothing to do with
    own = {name: value for name, value in os.environ.items() if name not in others}
    return said | own


def _follow(process: "subprocess.Popen[bytes]", run: RunFolder, progress: Progress) -> int:
    """Its exit status, once it has ended."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_LOOK)
        now = run.status()
        if now.total:
            progress(now.step, now.total, now.message or "Training")


def _interrupt(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)


def _end_all(process: "subprocess.Popen[bytes]") -> None:
    """Of the session that the first process led, nobody is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ended(run: RunFolder, code: int) -> RunFolder:
    if code == 0:
        return run
    if run.status().state == "running":  # it was killed, and could not say why
        run.fail("A process of the run was killed, or ended before all had begun (what it said is in its output); resume the run to go on.")
    if code in (1, -signal.SIGABRT):
        raise RuntimeError(run.status().message)  # a defect, whose traceback stands in the output
    raise InputError(run.status().message)
