"""A Ray cluster: an existing one, or a temporary one on this machine."""

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

# Ray's sockets are in its folder, and their paths are limited to 107 characters
_LONGEST_FOLDER = 40
_OBJECT_STORE_BYTES = 200 << 20
_TRIES = 3  # to start it on a busy machine
_REACHED_SECONDS = 10.0
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
_LOCAL = _QUIET | {
    # read when Ray is imported: listen on 127.0.0.1 only, on any system, not on the network address
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}


@contextmanager
def ray_cluster(address: str | None) -> Iterator[Any]:
    """The module `ray`, connected to the cluster at the address or in RAY_ADDRESS, or else to a temporary one on this machine. Existing connections
    are kept. InputError: Ray is not installed or cannot be started, or there is no cluster at the address.
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
        raise InputError(f"The engine 'ray' needs Ray Data, which is not installed ({error}); run `pip install 'likeness[ray]'`.") from error
    return ray


class _ImportedFrom(list[str]):
    """Import path of Ray's workers: of the folders that Ray adds, only those in the path of this process, not the current folder of a command, which
    holds a person's files.
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
        except Exception as error:  # an error without details means that Ray's processes were not up within 30 s, a limit without a setting
            reason = " ".join(str(error).split())[:200]
            if address:
                raise InputError(_not_there(address, reason)) from error
            _end_what_began(error)
            if not left:
                message = f"Ray cannot be started on this machine ({reason}); try again when it is less busy, or use the engine 'local'."
                raise InputError(message) from error
            ray.shutdown()


def _end_what_began(error: BaseException) -> None:
    """Ends the processes of a node that did not start: Ray has lost track of them, and `shutdown` leaves them running."""
    trace = error.__traceback__
    while trace:
        node: Any = trace.tb_frame.f_locals.get("self")
        if hasattr(node, "kill_all_processes"):
            node.kill_all_processes(check_alive=False, allow_graceful=True, wait=True)  # a raylet that is killed at once leaves its agents running
        trace = trace.tb_next


def _check_reached(ray: Any, address: str | None) -> None:
    """Ray itself searches for a missing cluster for minutes."""
    host, colon, port = (address or "").rpartition("://")[2].rpartition(":")
    if not colon:  # none, or "auto": Ray looks on this machine
        return
    host = host.strip("[]")
    try:
        # Ray uses the network address of this machine
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
        "or pass no address."
    )


@contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    """Environment variables for this process and its children, restored afterwards."""
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
    """Removes lines with a text from the stderr of compiled code: Ray prints its log level at any level."""
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
    """Silences Ray's reports of each run and warnings about its own settings."""
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
