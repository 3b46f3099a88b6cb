"""The app, served for the fuzz of its messages, and what its log says."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

_STARTING_SECONDS = 300.0


class AppServer:
    """`likeness app` on a free port, with folders of its own; use it as a context.

    Args:
        folder: of its files.
        options: of `likeness app`, besides.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "log.txt"
        environment = os.environ | {"LIKENESS_CACHE": str(folder / "cache"), "LIKENESS_RUNS": str(folder / "runs"), "HF_HUB_OFFLINE": "1"}
        environment |= {"STREAMLIT_LOGGER_ENABLE_RICH": "false", "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "full"}
        with self._log.open("wb") as output:
            arguments = [sys.executable, "-m", "likeness", "app", "--no-token", "--port", str(port), *options]
            self._process = subprocess.Popen(arguments, env=environment, stdout=output, stderr=subprocess.STDOUT)

    def __enter__(self) -> "AppServer":
        end = time.monotonic() + _STARTING_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            if self.status("/_stcore/health") == 200:
                return self
            time.sleep(0.2)
        self.__exit__()
        raise TimeoutError(f"the app does not answer: {self.log()}")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(60)

    def kill(self) -> None:
        """Ends it at once, as a failing machine does."""
        self._process.kill()
        self._process.wait(60)

    @property
    def is_up(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def log(self) -> str:
        """All that it has printed."""
        return self._log.read_text(errors="replace")

    def status(self, address: str) -> int:
        """Of an answer; 0 where there is none."""
        try:
            with urllib.request.urlopen(f"{self.url}{address}", timeout=60) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0
