"""The layout process, `python -m likeness.projection.layout_process`: one job per line of its input, until the input ends."""

import contextlib
import json
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import read_array
from likeness.projection.map_store import write_map
from likeness.projection.methods import method_named
from likeness.projection.sampled_map import sampled_map
from likeness.projection.umap_map import umap_map


def run(folder: Path) -> None:
    """Runs the job of a folder and stores the map at its target.

    job.json holds the options and the file of the vectors, by default vectors.npy in the folder. init.npy is the start, if it exists. The file `done`
    is written last, after the one-line `error.txt` if there is no map. A missing folder is a canceled job.
    """
    if not folder.is_dir():
        return
    problem = None
    try:
        job = json.loads((folder / "job.json").read_text())
        if not Path(job["target"]).is_file():
            start = folder / "init.npy"
            init = read_array(start) if start.is_file() else None
            write_map(Path(job["target"]), sampled_map(_vectors(folder, job), method_named(job["method"]).function, init=init, **job["parameters"]))
    except InputError as error:
        problem = str(error)
    except Exception as error:
        traceback.print_exc()
        problem = f"{type(error).__name__}: {error}"
    with contextlib.suppress(FileNotFoundError):
        if problem:
            (folder / "error.txt").write_text(problem, encoding="utf-8")
        (folder / "done").touch()


def _vectors(folder: Path, job: dict[str, Any]) -> NDArray[np.float32]:
    if not job["vectors"]:
        return np.asarray(read_array(folder / "vectors.npy", mapped=True))
    given = job["vectors"]
    return np.memmap(given["file"], np.float32, "r", given["offset"], tuple(given["shape"]))


def main() -> None:
    """Compiles UMAP first, so that its jobs start at once; libraries of other methods are imported by their first job."""
    umap_map(np.random.default_rng(0).standard_normal((64, 8)), epochs=2)
    for line in sys.stdin:
        run(Path(line.rstrip("\n")))


if __name__ == "__main__":
    main()
