"""The app, or another page of Streamlit, served for a measurement, with folders of its own."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

APP = [sys.executable, "-m", "likeness", "app"]


@contextmanager
def served(command: list[str], cache: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Runs a server command with a free port appended; yields its address at once, before it answers, and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "LIKENESS_CACHE": cache, "LIKENESS_RUNS": os.path.join(cache, "runs")}
    process = subprocess.Popen([*command, str(port)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait(60)


def wait_for(url: str, seconds: float = 120) -> None:
    """Waits until the server answers.

    Raises:
        TimeoutError: it does not.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return
        except OSError:
            if time.monotonic() > end:
                raise TimeoutError("the app did not answer") from None
            time.sleep(0.02)
