"""What the layout process runs, `python -m likeness.projection.layout_process`: one job per line of its input, until that ends."""

import contextlib
import json
import sys
import traceback
from pathlib import Path

import numpy as np

from likeness.errors import InputError
from likeness.projection.map_store import write_map
from likeness.projection.methods import method_named
from likeness.projection.umap_map import umap_map


def run(folder: Path) -> None:
    """Lays out vectors.npy of a job's folder, from init.npy if there is one, as job.json says, and stores the map at its target.

    The file `done` appears last; before it `error.txt`, one line, if there is no map. A folder that is gone is a job nobody waits for.
    """
    if not folder.is_dir():
        return
    problem = None
    try:
        job = json.loads((folder / "job.json").read_text())
        if not Path(job["target"]).is_file():
            start = folder / "init.npy"
            init = np.load(start, allow_pickle=False) if start.is_file() else None
            vectors = np.load(folder / "vectors.npy", allow_pickle=False)
            write_map(Path(job["target"]), method_named(job["method"]).function(vectors, init=init, **job["parameters"]))
    except InputError as error:
        problem = str(error)
    except Exception as error:
        traceback.print_exc()
        problem = f"{type(error).__name__}: {error}"
    with contextlib.suppress(FileNotFoundError):
        if problem:
            (folder / "error.txt").write_text(problem)
        (folder / "done").touch()


def main() -> None:
    """Compiles UMAP first, so that its jobs find everything ready; the other methods' libraries are imported by their first job."""
    umap_map(np.random.default_rng(0).standard_normal((64, 8)), epochs=2)
    for line in sys.stdin:
        run(Path(line.rstrip("\n")))


if __name__ == "__main__":
    main()
