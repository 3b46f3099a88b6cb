"""Tags of 100,000 images: milliseconds of an edit and of reading all columns, beside a CSV file that is read and written anew for each edit.

python benchmarks/tags.py
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from likeness.tagging import NewColumn, TagStore

IMAGES, EDITED, ATTRIBUTES, TAGS, VALUES, REPEATS = 100_000, 10_000, 4, 4, 100, 5


def milliseconds(call: Callable[[], object]) -> float:
    """The shortest of several calls."""
    found = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        call()
        found.append(1000 * (time.perf_counter() - begin))
    return min(found)


def main() -> None:
    paths, draw = [f"class {number % 100}/{number:06d}.jpg" for number in range(IMAGES)], np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        store, file = TagStore(Path(folder) / "tags.sqlite"), Path(folder) / "tags.csv"
        for number in range(ATTRIBUTES):
            values = [f"value {value}" for value in draw.integers(0, VALUES, IMAGES)]
            store.set_columns(paths, [NewColumn(f"attribute {number}", "attribute", values)], "ada")
        for number in range(TAGS):
            store.add_tag(paths[:: number + 1], f"tag {number}", "ada")
        store.columns(paths).assign(path=paths).to_csv(file, index=False)
        some = paths[:EDITED]

        def rewrite() -> None:
            frame = pd.read_csv(file)
            frame.loc[frame["path"].isin(some), "tag 3"] = True
            frame.to_csv(file, index=False)

        def turn() -> None:
            store.add_tag(some, "new", "ada")
            store.remove_tag(some, "new", "ada")

        store.add_tag(some, "hers", "eve")
        whole = milliseconds(rewrite)
        for what, taken, peer in (
            (f"tag {EDITED:,} images (mean with removing it)", milliseconds(turn) / 2, whole),
            ("tag one image", milliseconds(lambda: store.add_tag(paths[:1], f"tag {time.monotonic_ns()}", "ada")), whole),
            (f"undo and redo {EDITED:,} images", milliseconds(lambda: (store.undo("eve"), store.redo("eve"))), whole),
            (
                f"read {ATTRIBUTES} attributes and {TAGS} tags of {IMAGES:,}",
                milliseconds(lambda: store.columns(paths)),
                milliseconds(lambda: pd.read_csv(file)),
            ),
            ("ask for the version", milliseconds(store.version), milliseconds(lambda: pd.read_csv(file))),
        ):
            print(f"{what:60} {taken:8.1f} ms   CSV {peer:8.1f} ms   {taken / peer:6.2f}")


if __name__ == "__main__":
    main()
