"""The process that computes maps for this one, job after job."""

import atexit
import os
import subprocess
import threading
from pathlib import Path

from likeness.io import WorkerProcess


class LayoutWorker:
    """A queue of job folders for a persistent process, since importing and compiling UMAP takes far longer than a map.

    A plain subprocess, not `multiprocessing`, whose child would import the caller's main script, the app under Streamlit. The process ends with this
    one, when its input closes. If it dies, the running job fails and the others go to a new process.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = WorkerProcess(("-m", "likeness.projection.layout_process"), stdout=subprocess.DEVNULL, stderr=None)
        self._queue: list[Path] = []

    def start(self) -> None:
        """Starts the process if it is not running; does not wait until it is ready."""
        with self._lock:
            self._process.start()

    def submit(self, folder: Path) -> None:
        """Appends a job to the queue."""
        with self._lock:
            self._recover()
            self._queue.append(folder)
            self._send(folder)

    def ended(self, folder: Path) -> bool:
        """Whether a job is done or has failed."""
        with self._lock:
            self._recover()
            return folder not in self._queue

    def at_work(self, folder: Path) -> bool:
        """Whether a job is the one that the process runs, or will run as soon as it is ready."""
        with self._lock:
            self._recover()
            return bool(self._queue) and self._queue[0] == folder

    def cancel(self, folder: Path) -> None:
        """Removes a job; if it is running, ends the process, and the others go to a new one."""
        with self._lock:
            self._recover()
            if folder in self._queue:
                at_work = self._queue[0] == folder
                self._queue.remove(folder)
                if at_work:
                    self._process.end()
                    self._resend()

    def stop(self) -> None:
        """Ends the process and clears the queue."""
        with self._lock:
            self._queue.clear()
            self._process.end()

    def _send(self, folder: Path) -> None:
        pipe = self._process.start().stdin
        assert pipe is not None
        try:
            pipe.write(os.fsencode(folder) + b"\n")
            pipe.flush()
        except BrokenPipeError:
            return  # the process has just died; the next check of the queue handles it

    def _recover(self) -> None:
        """Removes finished jobs and, if the process died, fails the first of the others."""
        self._queue = [folder for folder in self._queue if folder.is_dir() and not (folder / "done").exists()]
        if self._queue and (status := self._process.exit_status()) is not None:
            failed = self._queue.pop(0)
            (failed / "error.txt").write_text(f"The layout process ended with status {status}; there may be too little memory.", encoding="utf-8")
            self._resend()

    def _resend(self) -> None:
        for folder in self._queue:
            self._send(folder)


WORKER = LayoutWorker()  # of this process
atexit.register(WORKER.stop)


def warm_up() -> None:
    """Starts the layout process, so that UMAP is imported and compiled (about 10 s) before a map is needed. Returns at once."""
    WORKER.start()
