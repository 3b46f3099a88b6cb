"""A map that is computed in another process, so that the caller stays responsive."""

import atexit
import json
import mmap
import os
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows
from likeness.io import WorkerProcess
from likeness.projection.map_store import load_map, map_key, map_path
from likeness.projection.methods import differing


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


# seconds that a new process needs to import and compile UMAP: a younger job is not worth ending for another
RESTART = 5.0


def _file_of(vectors: Any) -> dict[str, Any] | None:
    """The file of vectors that are a whole memory-mapped array, which the process can read without copying gigabytes."""
    base: Any = getattr(vectors, "base", None)
    if not isinstance(vectors, np.memmap) or not isinstance(base, mmap.mmap) or vectors.filename is None:  # a view: part of a file
        return None
    if vectors.dtype != np.float32 or not vectors.flags.c_contiguous:
        return None
    return {"file": str(vectors.filename), "offset": vectors.offset, "shape": vectors.shape}


class LayoutFailed(RuntimeError):  # noqa: N818
    """There is no map; the message says why in one line."""


class LayoutJob:
    """A map that is being computed, or was found in the store under `key`.

    One process does all jobs in order of creation. A finished map stays in the store, even if the job object is gone. InputError: a vector that is
    not finite, or an unknown method.

    Args:
        vectors: (n, d).
        content: identifies the map in the store, see `map_key`; None: the vectors themselves.
        method: a name in `METHODS`.
        init: initial positions (n, 2), see `umap_map`; part of the key.
        parameters: of the method's function, such as seed or perplexity. Defaults are not part of the key.
    """

    def __init__(self, vectors: Any, content: str | None = None, method: str = "umap", init: Any = None, **parameters: Any) -> None:
        rows, parameters = checked_rows(vectors, "The vectors"), differing(method, parameters)
        self.key = map_key(rows if content is None else content, method, init=init, **parameters)
        self._folder: Path | None = None
        self._canceled = False
        self._begun = time.monotonic()
        if load_map(self.key) is None:
            self._folder = self._written(rows, _file_of(vectors), method, init, parameters)
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            WORKER.submit(self._folder)

    def _written(self, rows: NDArray[np.float32], file: dict[str, Any] | None, method: str, init: Any, parameters: dict[str, Any]) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="likeness-map-"))
        if file is None:
            np.save(folder / "vectors.npy", rows)
        if init is not None:
            np.save(folder / "init.npy", np.asarray(init, np.float32))
        job = {"target": str(map_path(self.key).resolve()), "vectors": file, "method": method, "parameters": parameters}
        (folder / "job.json").write_text(json.dumps(job))
        return folder

    @property
    def done(self) -> bool:
        """Whether the job has ended, with or without a map."""
        return self._folder is None or self._canceled or WORKER.ended(self._folder)

    def result(self, timeout: float | None = None) -> NDArray[np.float32]:
        """Waits for the positions (n, 2), at most `timeout` seconds.

        Raises:
            LayoutFailed: no map because of an error, cancellation or the timeout (after which the job continues).
        """
        until = time.monotonic() + (float("inf") if timeout is None else timeout)
        while not self.done:
            if time.monotonic() >= until:
                raise LayoutFailed(f"The map is not ready after {timeout} s; try again later.")
            time.sleep(0.02)
        positions = None if self._canceled else load_map(self.key)
        if positions is None:
            raise LayoutFailed(self._reason())
        return positions

    def _reason(self) -> str:
        if self._canceled:
            return "The map was canceled."
        errors = self._folder / "error.txt" if self._folder else None
        if errors and errors.is_file():
            return f"The map could not be computed: {errors.read_text(encoding='utf-8')}"
        return "The map was removed from the store; request it again."

    def abandon(self) -> bool:
        """Cancels a job whose map is no longer needed if that helps the next one, and returns whether it did.

        Waiting jobs are canceled at once, a running one only after `RESTART` seconds, since ending it costs a new process.
        """
        if not self.done and self._folder is not None:
            at_work = WORKER.at_work(self._folder)
            if not at_work or time.monotonic() - self._begun > RESTART:
                self.cancel()
        return self._canceled

    def cancel(self) -> None:
        """Stops the job, unless it is done; nothing is stored."""
        if not self.done and self._folder is not None:
            self._canceled = True
            WORKER.cancel(self._folder)
            shutil.rmtree(self._folder, ignore_errors=True)
