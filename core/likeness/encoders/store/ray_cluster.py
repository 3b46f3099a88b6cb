"""A Ray cluster: an existing one, or a temporary one on this machine."""

import logging
import os
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from likeness.errors import InputError
from likeness.io import folder_kept_out

# Ray's sockets are in its folder, and their paths are limited to 107 characters
_LONGEST_FOLDER = 40
_OBJECT_STORE_BYTES = 200 << 20
_TRIES = 3  # to start it on a busy machine
_REACHED_SECONDS = 10.0
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
    with _quiet(_QUIET if address else _LOCAL):
        try:
            import ray
            import ray.data
        except ImportError as error:
            raise InputError(f"The engine 'ray' needs Ray Data, which is not installed ({error}); run `pip install 'likeness[ray]'`.") from error
        if ray.is_initialized():
            yield ray
            return
        base = tempfile.gettempdir()
        place = base if len(base) <= _LONGEST_FOLDER or not os.path.isdir("/tmp") else "/tmp"
        with tempfile.TemporaryDirectory(prefix="lk-", dir=place, ignore_cleanup_errors=True) as folder:
            try:
                _connect(ray, address, folder)
                yield ray
            finally:
                ray.shutdown()


@folder_kept_out()
def _connect(ray: Any, address: str | None, folder: str) -> None:
    options: dict[str, Any] = {"address": address or "local", "log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": False}
    if not address:
        options |= {"include_dashboard": False, "_temp_dir": folder, "object_store_memory": _OBJECT_STORE_BYTES, "num_cpus": os.cpu_count()}
    # Ray adds the current folder, which holds a person's files, to the import path of its workers, except for jobs that "clients" send
    own = os.path.abspath(os.curdir) in map(os.path.abspath, sys.path)
    for left in reversed(range(1 if address else _TRIES)):
        try:
            _check_reached(ray, address or "")
            with _no_stderr():
                ray.init(**options, job_config=ray.job_config.JobConfig(_client_job=not own))
            return
        except Exception as error:  # an error without details means that Ray's processes were not up within 30 s, a limit without a setting
            reason = " ".join(str(error).split())[:200]
            if address:
                raise InputError(
                    f"There is no Ray cluster at '{address}' ({reason}); start one with `ray start --head`, set RAY_AUTH_MODE=token if it asks for "
                    "a token, or pass no address."
                ) from error
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


def _check_reached(ray: Any, address: str) -> None:
    """Any error if nothing answers: Ray itself searches for a missing cluster for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon:  # otherwise none, or "auto": Ray looks on this machine
        here = host in ("127.0.0.1", "localhost", "[::1]")  # which Ray replaces by its network address
        place = str(ray.util.get_node_ip_address()) if here else host.strip("[]")
        socket.create_connection((place, int(port)), timeout=_REACHED_SECONDS).close()


@contextmanager
def _no_stderr() -> Iterator[None]:
    """Drops what compiled code prints: Ray prints its log level at any level."""
    sys.stderr.flush()
    stderr = os.dup(2)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(stderr, 2)
        os.close(stderr)


@contextmanager
def _quiet(settings: dict[str, str]) -> Iterator[None]:
    """Environment variables for this process and its children, restored afterwards, without Ray's reports of each run and its warnings."""
    before = {name: os.environ[name] for name in settings if name in os.environ}
    levels = {logger: logger.level for logger in map(logging.getLogger, ("ray", "ray.data"))}
    os.environ.update(settings)
    try:
        for logger in levels:
            logger.setLevel(logging.CRITICAL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)
        for name in settings:
            os.environ.pop(name, None)
        os.environ.update(before)
