"""A Ray cluster to work on: one that is there, or one of this machine for as long as it is needed."""

import logging
import os
import shutil
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from likeness.errors import InputError
from likeness.io import folder_kept_out

# The sockets of Ray lie below its folder, and their paths may have 107 characters.
_LONGEST_FOLDER = 40
_OBJECT_STORE_BYTES = 200 << 20
_TRIES = 3  # to start it on a busy machine
_REACHED_SECONDS = 10.0
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
_LOCAL = _QUIET | {
    # Read when Ray is imported: it listens on 127.0.0.1 alone, whatever the system, and not on the address that the network knows.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}


@contextmanager
def ray_cluster(address: str | None) -> Iterator[Any]:
    """The module `ray`, connected to the cluster at the address or in RAY_ADDRESS, or else to one of this machine. What was connected before stays
    so; what was started here is ended here. Raises InputError where Ray is not installed or cannot be started, or there is no cluster at the
    address.
    """
    address = address or os.environ.get("RAY_ADDRESS")
    with _environment(_QUIET if address else _LOCAL):
        ray = _imported()
        if ray.is_initialized():
            with _quiet():
                yield ray
            return
        folder = None if address else _folder()
        try:
            with _quiet():
                _connect(ray, address, folder)
                yield ray
        finally:
            ray.shutdown()
            if folder:
                shutil.rmtree(folder, ignore_errors=True)


def _imported() -> Any:
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise InputError(f"The engine 'ray' needs Ray Data, which is not here ({error}); install it with `pip install 'likeness[ray]'`.") from error
    return ray


class _ImportedFrom(list[str]):
    """Folders in which Ray's workers look for modules: of those that Ray adds, the ones in which this process looks, too, and so not the current
    folder of a command, whose files are a person's.
    """

    def extend(self, folders: Iterable[str]) -> None:
        searched = [os.path.abspath(place) for place in sys.path]
        super().extend(folder for folder in folders if folder in searched)


def _job_config() -> Any:
    from ray.job_config import JobConfig

    config = JobConfig()
    config._py_driver_sys_path = _ImportedFrom()
    return config


@folder_kept_out()
def _connect(ray: Any, address: str | None, folder: str | None) -> None:
    _check_reached(ray, address)
    options: dict[str, Any] = {"address": address} if address else {"address": "local", "include_dashboard": False, "_temp_dir": folder}
    if not address:
        options |= {"object_store_memory": _OBJECT_STORE_BYTES, "num_cpus": os.cpu_count()}
    for left in reversed(range(1 if address else _TRIES)):
        try:
            with _stderr_without(b"Set ray log level"):
                ray.init(**options, job_config=_job_config(), log_to_driver=False, logging_level=logging.ERROR, configure_logging=False)
            return
        except Exception as error:  # a bare one where Ray's processes are not up within 30 s, a limit that Ray has no setting for
            reason = " ".join(str(error).split())[:200]
            if address:
                raise InputError(_not_there(address, reason)) from error
            _end_what_began(error)
            if not left:
                said = f"Ray cannot be started on this machine ({reason}); try again when it is less busy, or use the engine 'local'."
                raise InputError(said) from error
            ray.shutdown()


def _end_what_began(error: BaseException) -> None:
    """Ends the processes of a node that did not come up: Ray knows them no more, `shutdown` leaves them running."""
    trace = error.__traceback__
    while trace:
        node: Any = trace.tb_frame.f_locals.get("self")
        if hasattr(node, "kill_all_processes"):
            node.kill_all_processes(check_alive=False, allow_graceful=True, wait=True)  # killed at once, a raylet leaves its agents behind
        trace = trace.tb_next


def _check_reached(ray: Any, address: str | None) -> None:
    """Ray itself looks for a cluster that is not there for minutes."""
    host, colon, port = (address or "").rpartition("://")[2].rpartition(":")
    if not colon:  # none, or "auto": Ray looks on this machine
        return
    host = host.strip("[]")
    try:
        # Ray takes this machine for its address in the network.
        hosts = [host, str(ray.util.get_node_ip_address())] if host in _THIS_MACHINE else [host]
        if not any(_answers(each, int(port)) for each in hosts):
            raise ConnectionRefusedError("nothing answers")
    except (OSError, ValueError) as error:
        raise InputError(_not_there(str(address), " ".join(str(error).split()))) from error


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=_REACHED_SECONDS).close()
    except (OSError, OverflowError):
        return False
    return True


def _not_there(address: str, reason: str) -> str:
    return (
        f"There is no Ray cluster at '{address}' ({reason}); start one with `ray start --head`, set RAY_AUTH_MODE=token if it asks for a token, "
        "or give no address."
    )


@contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    """Variables that hold for a while, here and in the processes that are started."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _folder() -> str:
    base = tempfile.gettempdir()
    return tempfile.mkdtemp(prefix="lk-", dir=base if len(base) <= _LONGEST_FOLDER or not os.path.isdir("/tmp") else "/tmp")


@contextmanager
def _stderr_without(text: bytes) -> Iterator[None]:
    """Takes lines with a text out of what compiled code writes: Ray tells the level of its log, whatever the level is."""
    sys.stderr.flush()
    stderr = os.dup(2)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(stderr, 2)
            os.close(stderr)
            held.seek(0)
            os.write(2, b"".join(line for line in held if text not in line))


@contextmanager
def _quiet() -> Iterator[None]:
    """Ray's own account of each run, and its use of its own old settings, are nothing for our users."""
    loggers = [logging.getLogger(name) for name in ("ray", "ray.data")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
