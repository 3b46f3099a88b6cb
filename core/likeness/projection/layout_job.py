"""Laying out a map in a process of its own, so that whoever waits for it stays quick."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.projection.map_store import load_map, map_key
from likeness.search import checked_rows


class LayoutFailed(RuntimeError):
    """The process that laid out the map ended without one; the message is its last line."""


class LayoutJob:
    """A UMAP that is being computed, or was found in the store.

    Args:
        vectors: (n, d).
        content: what the map is stored under, see `map_key`; None: the vectors themselves.
        init: positions to start from (n, 2), see `umap_map`.
        parameters: further keywords of `umap_map` (seed, neighbours, min_distance, epochs).

    Attributes:
        key: name of the map in the store, where it stays after the job.

    Raises:
        InputError: if a vector is not finite.

    A plain subprocess and not `multiprocessing`, whose child would import the caller's main script: under Streamlit that is the app.
    """

    def __init__(self, vectors: Any, content: str | None = None, init: Any = None, **parameters: Any) -> None:
        rows = checked_rows(vectors, "The vectors")
        self.key = map_key(rows if content is None else content, "umap", init=init, **parameters)
        self._process: subprocess.Popen[bytes] | None = None
        self._cancelled = False
        if load_map(self.key) is None:
            self._start(rows, init, parameters)

    def _start(self, rows: NDArray[np.float32], init: Any, parameters: dict[str, Any]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="likeness-map-"))
        np.save(self._folder / "vectors.npy", rows)
        if init is not None:
            np.save(self._folder / "init.npy", np.asarray(init, np.float32))
        (self._folder / "job.json").write_text(json.dumps({"key": self.key, "parameters": parameters}))
        source = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(part for part in (source, os.environ.get("PYTHONPATH")) if part)
        with (self._folder / "errors.txt").open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "likeness.projection.layout_process", str(self._folder)],
                env=os.environ | {"PYTHONPATH": path},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        self._clean = weakref.finalize(self, _end, self._process, self._folder)

    @property
    def done(self) -> bool:
        """Whether the job has ended, with a map or without."""
        return self._process is None or self._process.poll() is not None

    def result(self, timeout: float | None = None) -> NDArray[np.float32]:
        """Positions (n, 2); waits for them, at most `timeout` seconds.

        Raises:
            LayoutFailed: if the process failed, was cancelled, or is not done in time (it then goes on).
        """
        if self._process is not None:
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                raise LayoutFailed(f"The map is not ready after {timeout} s; ask again later.") from None
        positions = load_map(self.key)
        if positions is None or self._cancelled:
            raise LayoutFailed(self._reason())
        return positions

    def _reason(self) -> str:
        if self._cancelled:
            return "The map was cancelled."
        errors = self._folder / "errors.txt"
        lines = errors.read_text(errors="replace").strip().splitlines() if errors.is_file() else []
        code = self._process.returncode if self._process else None
        return f"The map could not be laid out: {lines[-1]}" if lines else f"The map could not be laid out: its process ended with status {code}."

    def cancel(self) -> None:
        """Ends the process, if it still runs; nothing is stored."""
        if self._process is not None and not self.done:
            self._cancelled = True
            self._clean()


def _end(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Runs on cancel, when the job is dropped, and at exit."""
    if process.poll() is None:
        process.terminate()
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)
