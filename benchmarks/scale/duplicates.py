"""Near copies among 100,000 and a million images, by all pairs and through cells, beside faiss in the same run.

python benchmarks/scale/duplicates.py                 # 100,000 and 1,000,000 x 512; half an hour on two cores
python benchmarks/scale/duplicates.py --size 100000   # one size alone

The vectors are like the shipped encoder's; one in 50 is a copy of another one, moved toward a random image until their cosine lies evenly between the
threshold and 1. At 100,000 recall is counted against all pairs, at a million against those of 2,000 images that are compared with all, drawn by
another seed than those that set the margin of the cells. The peer is faiss's inverted file with as many cells in memory, looking through the fewest
of 1, 2, 4 ... cells that find .99 of the pairs of 1,000 other images; its exact index is asked for one image in 20 and its time multiplied.
"""

import argparse
import math
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from measuring.capped import Capped, capped
from measuring.record import record
from vectors import like_encoder

from likeness.duplicates import near_copies
from likeness.search import build_index, open_index
from likeness.search.ivf_index import cells_for
from likeness.space import Space

SIZES, THRESHOLD, COPIES = (100_000, 1_000_000), 0.95, 50
SECONDS, GIGABYTES = 7200, 20
_BLOCK = 10_000
_ASKED, _TUNED, _SHARE = 2_000, 1_000, 0.99
_EXACT_PART = 20


def planted(n: int, folder: Path) -> tuple[Path, Any]:
    """A file of vectors (n, 512), and pairs (n / 50, 2) of rows of which the second is a copy of the first."""
    vectors, rng = like_encoder(n)[0], np.random.default_rng(1)
    first, second = rng.permutation(n)[: 2 * (n // COPIES)].reshape(2, -1)
    file = folder / "vectors.npy"
    rows = np.lib.format.open_memmap(file, "w+", np.float32, vectors.shape)
    for begin in range(0, n, _BLOCK):
        rows[begin : begin + _BLOCK] = vectors[begin : begin + _BLOCK]
    for begin in range(0, len(first), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        own = np.asarray(vectors[first[part]])
        aside = vectors[rng.integers(0, n, len(own))] - own
        aside -= np.einsum("ij,ij->i", aside, own)[:, None] * own
        aside /= np.linalg.norm(aside, axis=1, keepdims=True)
        cosine = rng.uniform(THRESHOLD, 1, (len(own), 1)).astype(np.float32)
        rows[second[part]] = cosine * own + np.sqrt(1 - cosine**2) * aside
    rows.flush()
    return file, np.sort(np.stack([first, second], axis=1), axis=1)


def by_pairs(folder: Path) -> Any:
    """All pairs compared."""
    found = near_copies(Space(np.load(folder / "vectors.npy", mmap_mode="r")), THRESHOLD, exact=True)
    return found.rows


def by_cells(folder: Path) -> Any:
    """Through an index that is there: pairs, and what the search itself says of its recall."""
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    found = near_copies(Space(vectors, index=open_index(folder / "index", vectors)), THRESHOLD, exact=False)
    return found.rows, found.recall, found.sampled


def by_faiss(folder: Path, sample: Any, pairs: Any) -> Any:
    """Pairs by faiss's inverted file; seconds to build and to search, and cells looked through."""
    import faiss

    vectors = np.ascontiguousarray(np.load(folder / "vectors.npy", mmap_mode="r"))
    begin = time.perf_counter()
    index = faiss.index_factory(vectors.shape[1], f"IVF{cells_for(len(vectors))},Flat", faiss.METRIC_INNER_PRODUCT)
    index.cp.max_points_per_centroid = 40
    index.train(vectors)
    index.add(vectors)
    built = time.perf_counter() - begin
    for probes in (1, 2, 4, 8, 16, 32, 64, 128):
        index.nprobe = probes
        if np.isin(pairs, _ranged(index, vectors, sample)).mean() >= _SHARE:
            break
    begin = time.perf_counter()
    keys = np.unique(
        np.concatenate([_ranged(index, vectors, np.arange(at, min(at + _BLOCK, len(vectors)))) for at in range(0, len(vectors), _BLOCK)])
    )
    return keys, built, time.perf_counter() - begin, probes


def exact_faiss(folder: Path) -> float:
    """Seconds in which faiss's exact index answers one image in 20."""
    import faiss

    vectors = np.ascontiguousarray(np.load(folder / "vectors.npy", mmap_mode="r"))
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    begin = time.perf_counter()
    index.range_search(vectors[::_EXACT_PART], THRESHOLD)
    return time.perf_counter() - begin


def _ranged(index: Any, vectors: Any, asked: Any) -> Any:
    """Keys of the pairs of some rows."""
    limits, _, rows = index.range_search(vectors[asked], THRESHOLD - 1e-6)
    first = np.repeat(asked, np.diff(limits.astype(np.int64)))
    return keys_of(np.stack([first, rows], axis=1)[first != rows], len(vectors))


def keys_of(pairs: Any, n: int) -> Any:
    """One number a pair."""
    return pairs.min(axis=1) * n + pairs.max(axis=1)


def pairs_of(file: Path, asked: Any) -> Any:
    """Keys of all pairs of some rows, by comparing them with all."""
    vectors, found = np.load(file, mmap_mode="r"), []
    rows = np.asarray(vectors[asked])
    for begin in range(0, len(vectors), _BLOCK):
        row, column = np.nonzero(rows @ vectors[begin : begin + _BLOCK].T >= THRESHOLD)
        pairs = np.stack([asked[row], begin + column], axis=1)
        found.append(keys_of(pairs[pairs[:, 0] != pairs[:, 1]], len(vectors)))
    return np.unique(np.concatenate(found))


def one_size(n: int, folder: Path) -> None:
    """All ways on n vectors."""
    file, copies = planted(n, folder)
    drawn = np.random.default_rng(2).permutation(n)
    judged, tuned = pairs_of(file, drawn[:_ASKED]), pairs_of(file, drawn[_ASKED : _ASKED + _TUNED])
    begin = time.perf_counter()
    build_index(np.load(file, mmap_mode="r"), folder / "index")
    built = time.perf_counter() - begin
    cells = whole(capped(by_cells, folder, seconds=SECONDS, gigabytes=GIGABYTES))
    rows, own_recall, sampled = cells.result
    keys = keys_of(rows, n)
    if n == SIZES[0]:
        exact = whole(capped(by_pairs, folder, seconds=SECONDS, gigabytes=GIGABYTES))
        judged = keys_of(exact.result, n)
        flat = whole(capped(exact_faiss, folder, seconds=SECONDS, gigabytes=GIGABYTES)).result * _EXACT_PART
        report(n, "all pairs compared", exact.seconds, "s", "faiss, exact index", flat)
        report(n, "all pairs compared, memory", exact.anonymous_gb, "GB")
    peer = whole(capped(by_faiss, folder, drawn[_ASKED : _ASKED + _TUNED], tuned, seconds=SECONDS, gigabytes=GIGABYTES))
    peer_keys, peer_built, peer_seconds, probes = peer.result
    name = f"faiss, {probes} cells an image"
    report(n, "pairs through cells", cells.seconds, "s", name, peer_seconds)
    report(n, "the same with building the index", cells.seconds + built, "s", name, peer_seconds + peer_built)
    report(n, "pairs through cells, memory", cells.anonymous_gb, "GB", name, peer.anonymous_gb)
    report(n, "recall of pairs through cells", float(np.isin(judged, keys).mean()), "", name, float(np.isin(judged, peer_keys).mean()))
    report(
        n, "recall of planted copies", float(np.isin(keys_of(copies, n), keys).mean()), "", name, float(np.isin(keys_of(copies, n), peer_keys).mean())
    )
    print(f"  {len(keys):,} pairs; recall as the search itself says it: {own_recall} ({sampled} pairs)", flush=True)


def whole(done: Capped) -> Capped:
    """What ended well."""
    if done.failure:
        sys.exit(f"It failed: {done.failure}")
    return done


def report(n: int, what: str, value: float, unit: str, peer: str = "", peer_value: float | None = None) -> None:
    """A line, and a row of the table."""
    beside = f" | {peer}: {peer_value:.4g} {unit}" if peer_value is not None else ""
    print(f"{n:,} images, {what}: {value:.4g} {unit}{beside}", flush=True)
    short = floor_to_thousandths if not unit else round_to_hundredths
    record("duplicates", what, n, short(value), unit, peer, None if peer_value is None else short(peer_value))


def floor_to_thousandths(share: float) -> float:
    """A share that is not 1 is not shown as 1."""
    return math.floor(share * 1000) / 1000


def round_to_hundredths(value: float) -> float:
    """Seconds and gigabytes."""
    return round(value, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, choices=SIZES, help="one of the sizes alone")
    chosen = parser.parse_args().size
    for n in SIZES if chosen is None else (chosen,):
        folder = Path(tempfile.mkdtemp())
        try:
            one_size(n, folder)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
