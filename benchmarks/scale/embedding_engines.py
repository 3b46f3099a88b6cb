"""The Ray engine beside the local one, and a store of a million vectors.

    python benchmarks/scale/embedding_engines.py             # 4,000 images, 1,000,000 vectors
    python benchmarks/scale/embedding_engines.py --quick     # 600 and 50,000

Both engines read, prepare, embed and store the same files with all cores of this machine; each runs in a process of its own.
"""

import argparse
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import pandas as pd
import psutil
from measuring.child import in_child
from measuring.record import record
from vectors import like_encoder

from likeness.data import ImageTable, read_cars, read_folder
from likeness.encoders import embed_images, store_folder
from likeness.encoders.store import collected
from likeness.encoders.store.keys import Keys, image_key, key_array
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import Shard, write_shard

ENGINES: dict[str, dict[str, Any]] = {
    "local": {},
    "ray, 1 worker": {"engine": "ray", "workers": 1},
    "ray, 2 workers": {"engine": "ray", "workers": 2},
}
SHARD = 1024
Keep = Callable[..., None]


def main() -> None:
    """Prints and records all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--images", type=int)
    parser.add_argument("--size", type=int)
    arguments = parser.parse_args()
    images, size = arguments.images or (600 if arguments.quick else 4000), arguments.size or (50_000 if arguments.quick else 1_000_000)
    keep: Keep = (lambda *_, **__: None) if arguments.quick else record
    with tempfile.TemporaryDirectory(prefix="likeness-engines-") as scratch:
        compare_engines(_copies(Path(scratch) / "images", images), Path(scratch), keep)
    with tempfile.TemporaryDirectory(prefix="likeness-store-") as scratch:
        open_a_large_store(size, Path(scratch), keep)


def compare_engines(folder: Path, scratch: Path, keep: Keep) -> None:
    """Images per second of each engine, with and without its start, and the memory of the process that calls it."""
    found: dict[str, dict[str, Any]] = {}
    for name, options in ENGINES.items():
        measured = in_child(embed, folder, scratch / name.replace(" ", "-").replace(",", ""), options)
        found[name] = measured.result | {"peak_gb": measured.peak_gb}
    local = found["local"]
    for name, figures in found.items():
        n, peer = figures["images"], {} if name == "local" else {"peer": "local engine"}
        print(
            f"{name:15} {n / figures['seconds']:6.0f} images/s with its start, {figures['steady']:6.0f} without; all stored: {figures['again']:.2f} s"
        )
        print(f"{'':15} {figures['peak_gb']:6.2f} GB in the calling process; same vectors: {figures['digest'] == local['digest']}")
        for what, value, unit, beside in (
            ("images per second", n / figures["seconds"], "images/s", n / local["seconds"]),
            ("images per second once started", figures["steady"], "images/s", local["steady"]),
            ("seconds when all is stored", figures["again"], "s", local["again"]),
            ("memory of the calling process", figures["peak_gb"], "GB", local["peak_gb"]),
        ):
            keep("embedding", f"{what}, {name}", n, round(value, 3), unit, **peer, **({"peer_value": round(beside, 3)} if peer else {}))


def embed(folder: Path, store: Path, options: dict[str, Any]) -> dict[str, Any]:
    """In a process of its own: embeds a folder, twice."""
    table, reports = read_folder(folder), []
    begin = time.perf_counter()
    first = embed_images(table, "cars", store_dir=store, progress=lambda done, *_: reports.append((time.perf_counter(), done)), **options)
    seconds = time.perf_counter() - begin
    assert first.n_encoded == len(table)
    begin = time.perf_counter()
    again = embed_images(table, "cars", store_dir=store, **options)
    assert again.n_encoded == 0
    (start, done_first), (end, done_last) = reports[1], reports[-1]
    return {
        "images": len(table),
        "seconds": seconds,
        "steady": (done_last - done_first) / (end - start),
        "again": time.perf_counter() - begin,
        "digest": sha256(first.vectors.tobytes()).hexdigest(),
    }


def open_a_large_store(n: int, scratch: Path, keep: Keep) -> None:
    """Seconds and memory from a store of n vectors to a space of them, held in memory and memory-mapped."""
    _fill(n, scratch)
    peer_seconds, peer_more, _ = in_child(_open, n, scratch, 1 << 40).result
    print(f"{n:,} stored vectors, all in memory: {peer_seconds:6.1f} s, {peer_more:5.2f} GB of memory beside the table")
    for name in ("packed first", "packed before"):
        seconds, more, right = in_child(_open, n, scratch, 1 << 28).result
        print(f"{n:,} stored vectors, {name:13}: {seconds:6.1f} s, {more:5.2f} GB of memory beside the table; right vectors: {right}")
        keep("embedding", f"seconds to open a store, {name}", n, round(seconds, 2), "s", "all vectors in memory", round(peer_seconds, 2))
        keep("embedding", f"memory to open a store, {name}", n, round(more, 3), "GB", "all vectors in memory", round(peer_more, 3))


class Stored:
    """An encoder of which everything is stored."""

    name, identity, dim, has_text = "stored", "stored-1", 512, False


def _table(n: int, scratch: Path) -> ImageTable:
    return ImageTable("stored", scratch, pd.DataFrame({"path": [f"{row:08}.jpg" for row in range(n)]}))


def _keys(table: ImageTable, remote: bool = False) -> tuple[Keys, dict[int, str]]:
    """As `table_keys`, of images that lie nowhere: their paths are all there is."""
    return key_array([image_key(path, "") for path in table.frame["path"]]), {}


def _fill(n: int, scratch: Path) -> None:
    vectors, _ = like_encoder(n)
    keys = _keys(_table(n, scratch))[0]
    folder = LocalFolder(store_folder(_table(1, scratch), Stored.identity, scratch / "store"))
    for begin in range(0, n, SHARD):
        part = np.asarray(vectors[begin : begin + SHARD])
        write_shard(folder, Shard(keys[begin : begin + len(part)], part, {}))


def _open(n: int, scratch: Path, most_bytes: int) -> tuple[float, float, bool]:
    """Seconds, most gigabytes beyond the table (what the system can drop at any time, pages of the file, left out), and whether all is right."""
    collected.table_keys = _keys
    table, process = _table(n, scratch), psutil.Process()
    before, most, done = _own_bytes(process), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            most[0] = max(most[0], _own_bytes(process))

    watching = threading.Thread(target=watch)
    watching.start()
    begin = time.perf_counter()
    embeddings = embed_images(table, Stored(), store_dir=scratch / "store", most_bytes=most_bytes)  # type: ignore[arg-type]
    seconds = time.perf_counter() - begin
    done.set()
    watching.join()
    expected, _ = like_encoder(n)
    rows = np.linspace(0, n - 1, 1000).astype(int)
    return seconds, (most[0] - before) / 1e9, bool(np.array_equal(embeddings.vectors[rows], expected[rows]))


def _own_bytes(process: psutil.Process) -> int:
    memory = process.memory_info()
    return int(memory.rss - getattr(memory, "shared", 0))


def _copies(folder: Path, n: int) -> Path:
    """n files of the shipped images, the later ones copies of the first."""
    folder.mkdir()
    sources = read_cars().paths()
    for number in range(n):
        shutil.copy(sources[number % len(sources)], folder / f"{number:06}{sources[0].suffix}")
    return folder


if __name__ == "__main__":
    main()
