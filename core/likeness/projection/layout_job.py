"""A map on its way: laid out in another process, so that whoever waits for it stays quick."""

import json
import mmap
import shutil
import tempfile
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows
from likeness.projection.layout_worker import WORKER
from likeness.projection.map_store import load_map, map_key, map_path
from likeness.projection.methods import differing

# Seconds that a new process takes until it has imported and compiled UMAP: a job at work for less is not worth ending for another.
RESTART = 5.0


def _file_of(vectors: Any) -> dict[str, Any] | None:
    """Where the vectors lie on disk, if they are a whole memory-mapped array as the process reads it: no copy of gigabytes then."""
    base: Any = getattr(vectors, "base", None)
    if not isinstance(vectors, np.memmap) or not isinstance(base, mmap.mmap) or vectors.filename is None:  # another base: a part of a file
        return None
    if vectors.dtype != np.float32 or not vectors.flags.c_contiguous:
        return None
    return {"file": str(vectors.filename), "offset": vectors.offset, "shape": vectors.shape}


class LayoutFailed(RuntimeError):  # noqa: N818
    """There is no map; the message says why in one line."""


class LayoutJob:
    """A map that is being laid out, or was found in the store, where `key` is its name.

    Jobs are done one after the other by one process, in the order they were made. A finished map stays in the store, also when the job itself has
    been forgotten meanwhile.

    Args:
        vectors: (n, d).
        content: what the map is stored under, see `map_key`; None: the vectors themselves.
        method: a name in `METHODS`.
        init: positions to start from (n, 2), see `umap_map`; they count for the key.
        parameters: of the method's function, such as seed or perplexity. Those at their default do not count for the key.

    Raises:
        InputError: if a vector is not finite, or there is no such method.
    """

    def __init__(self, vectors: Any, content: str | None = None, method: str = "umap", init: Any = None, **parameters: Any) -> None:
        rows, parameters = checked_rows(vectors, "The vectors"), differing(method, parameters)
        self.key = map_key(rows if content is None else content, method, init=init, **parameters)
        self._folder: Path | None = None
        self._cancelled = False
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
        """Whether the job has ended, with a map or without."""
        return self._folder is None or self._cancelled or WORKER.ended(self._folder)

    def result(self, timeout: float | None = None) -> NDArray[np.float32]:
        """Positions (n, 2); waits for them, at most `timeout` seconds.

        Raises:
            LayoutFailed: if there is no map because of an error, a cancel, or the time limit (the job then goes on).
        """
        until = time.monotonic() + (float("inf") if timeout is None else timeout)
        while not self.done:
            if time.monotonic() >= until:
                raise LayoutFailed(f"The map is not ready after {timeout} s; ask again later.")
            time.sleep(0.02)
        positions = None if self._cancelled else load_map(self.key)
        if positions is None:
            raise LayoutFailed(self._reason())
        return positions

    def _reason(self) -> str:
        if self._cancelled:
            return "The map was cancelled."
        errors = self._folder / "error.txt" if self._folder else None
        if errors and errors.is_file():
            return f"The map could not be laid out: {errors.read_text(encoding='utf-8')}"
        return "The map was removed from the store; ask for it again."

    def abandon(self) -> bool:
        """Cancels a job whose map is no longer wanted, if that brings the next one forward, and says whether it is cancelled: one that waits in the
        queue at once, one at work only after `RESTART` seconds, since ending it costs a new process."""
        if not self.done and self._folder is not None:
            at_work = WORKER.at_work(self._folder)
            if not at_work or time.monotonic() - self._begun > RESTART:
                self.cancel()
        return self._cancelled

    def cancel(self) -> None:
        """Stops the job, unless it is done; nothing is stored."""
        if not self.done and self._folder is not None:
            self._cancelled = True
            WORKER.cancel(self._folder)
            shutil.rmtree(self._folder, ignore_errors=True)
