"""What the process of a `LayoutJob` runs: `python -m likeness.projection.layout_process FOLDER`."""

import json
import sys
from pathlib import Path

import numpy as np

from likeness.errors import InputError
from likeness.projection.map_store import save_map
from likeness.projection.umap_map import umap_map


def main(folder: Path) -> None:
    """Reads vectors.npy, init.npy if there is one, and job.json from `folder`; stores the map under the job's key."""
    job = json.loads((folder / "job.json").read_text())
    start = folder / "init.npy"
    init = np.load(start, allow_pickle=False) if start.is_file() else None
    save_map(job["key"], umap_map(np.load(folder / "vectors.npy", allow_pickle=False), init=init, **job["parameters"]))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except InputError as error:
        sys.exit(str(error))
