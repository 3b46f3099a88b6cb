"""The one process that lays out maps for this one, job after job."""

import atexit
import os
import subprocess
import threading
from pathlib import Path

from likeness.io import WorkerProcess


class LayoutWorker:
    """A queue of job folders in front of a process that stays, because importing and compiling UMAP takes far longer than a map.

    A plain subprocess and not `multiprocessing`, whose child would import the caller's main script: under Streamlit that is the app.
    The process ends with this one, since its input does. If it dies, the job it was at has failed and the others go to a new one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = WorkerProcess(("-m", "likeness.projection.layout_process"), stdout=subprocess.DEVNULL, stderr=None)
        self._queue: list[Path] = []

    def start(self) -> None:
        """Starts the process, unless it runs; it gets ready on its own."""
        with self._lock:
            self._process.start()

    def submit(self, folder: Path) -> None:
        """Puts a job at the end of the queue."""
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
        """Whether a job is the one that the process is busy with, or will be as soon as it is ready."""
        with self._lock:
            self._recover()
            return bool(self._queue) and self._queue[0] == folder

    def cancel(self, folder: Path) -> None:
        """Takes a job out; if it is the one at work, the process is ended and the others go to a new one."""
        with self._lock:
            self._recover()
            if folder in self._queue:
                at_work = self._queue[0] == folder
                self._queue.remove(folder)
                if at_work:
                    self._process.end()
                    self._resend()

    def stop(self) -> None:
        """Ends the process and forgets the queue."""
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
            return  # The process has just died; the next look at the queue sees to it.

    def _recover(self) -> None:
        """Forgets jobs that are done, and if the process died, fails the first of the others."""
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
    """Starts the layout process, so that it has imported and compiled UMAP (some 10 s) by the time a map is wanted. Returns at once."""
    WORKER.start()
