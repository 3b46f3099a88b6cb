"""Nearest neighbors in a notion's space through one index of raw vectors, beside transforming everything and comparing with all.

python benchmarks/scale/notion_index.py                 # 100,000 and 1,000,000 x 512, and 20,000 unseen renders; some five minutes
python benchmarks/scale/notion_index.py --size 100000   # one size alone

For each notion: the peer transforms all vectors and compares the query with each; then the same with the transformed vectors kept; then the index,
with as many cells as a calibration of the notion says that a recall@10 of .95 needs (.96 on the calibration's own queries); and for comparison
what as many cells hold if they are chosen by inner product with UU'q, as an index of inner products does.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from measuring.child import in_child
from measuring.record import record
from vectors import like_encoder, unseen_renders

from likeness.encoders import embed_texts
from likeness.notions import InDiReCT, get_notion, project
from likeness.search import NotionSearch, build_index, calibrate_nprobe, plan
from likeness.search.search_plan import RECALL

SIZES = (100_000, 1_000_000)
UNSEEN = 20_000
NOTIONS = (("car-color", 2), ("car-color", 8), ("car-color", 16), ("car-color", 128), ("car-model-names", 16), ("car-model-names", 128), ("raw", 512))
QUERIES, K = 100, 10


def map_of(name: str, dim: int) -> Any:
    """U of a notion; None for the encoder's own space."""
    return None if name == "raw" else InDiReCT(dim=dim).fit(embed_texts("cars", get_notion(name).prompts).vectors).U.astype(np.float32)


def top(values: Any) -> Any:
    """The K largest of one row, not in order: what a scan costs at the least."""
    return np.argpartition(-values, K)[:K]


def share_found(found: Any, codes: Any, asked: Any) -> float:
    """recall@10. In two dimensions many images are as near as single precision can tell: a found one counts if it is as near as the tenth."""
    asked = asked.astype(np.float64)
    nearness = np.einsum("qm,qkm->qk", asked, codes[found].astype(np.float64))
    tenth = [np.partition(codes @ query, len(codes) - K)[len(codes) - K] for query in asked.astype(np.float32)]
    return float(np.mean(nearness >= np.array(tenth)[:, None] - 2e-7))


def seconds(work: Any, times: int = 1) -> tuple[float, Any]:
    """Seconds of one call, and what the last returned."""
    begin, result = time.perf_counter(), None
    for _ in range(times):
        result = work()
    return (time.perf_counter() - begin) / times, result


def by_inner_products(index: Any, U: Any, queries: Any, probes: int, codes: Any) -> Any:
    """What is found in as many cells, chosen as an index of inner products does: by the product of UU'q with their centers."""
    order, asked = np.argsort(-(queries @ U @ U.T @ index.centers.T), axis=1)[:, :probes], project(queries, U)
    rows = [np.concatenate([index.rows[index.cell(cell)] for cell in cells]) for cells in order]
    return np.array([these[np.argsort(-(codes[these] @ code))[:K]] for these, code in zip(rows, asked, strict=True)])


def one_size(n: int) -> None:
    """All notions on n vectors."""
    vectors = np.ascontiguousarray(unseen_renders(n)) if n == UNSEEN else like_encoder(n)[0]
    queries = np.asarray(vectors[:QUERIES]) if n == UNSEEN else np.asarray(like_encoder(QUERIES, seed=5)[0])
    folder = Path(tempfile.mkdtemp())
    try:
        build, index = seconds(lambda: build_index(vectors, folder / "index"))
        what = "unseen renders" if n == UNSEEN else "vectors"
        print(f"{n:,} {what}: {len(index.centers):,} cells, built in {build:.1f} s, {(folder / 'index' / 'vectors.npy').stat().st_size / 1e9:.2f} GB")
        record("index", "build", n, round(build, 1), "s")
        everything = np.ascontiguousarray(vectors)
        for name, dim in NOTIONS:
            one_notion(n, index, everything, queries, name, dim)
    finally:
        shutil.rmtree(folder)


def one_notion(n: int, index: Any, vectors: Any, queries: Any, name: str, dim: int) -> None:
    """One line."""
    map_of(name, dim)  # its prompts are encoded from here on, as when one of them is edited
    fit, U = seconds(lambda: map_of(name, dim))
    transform, codes = seconds(lambda: vectors if U is None else project(vectors, U))
    asked = queries if U is None else project(queries, U)
    scan, _ = seconds(lambda: [top(codes @ query) for query in asked[:20]])
    scan /= 20
    search = NotionSearch(index, U)
    first, _ = seconds(lambda: search.nearest(asked[:1], K))
    surveyed_in, calibrated = seconds(lambda: calibrate_nprobe(search))
    probes = calibrated.probes(RECALL)
    each, found = seconds(lambda: search.nearest(asked, K, probes=probes))
    each /= len(asked)
    chosen = plan(n, dim, vectors.shape[1], calibrated)
    plain = None if U is None else share_found(by_inner_products(index, U, queries[:20], probes, codes), codes, asked[:20])
    fresh, recall = transform + scan, share_found(found.rows, codes, asked)
    print(
        f"  {name:15} {dim:3}-d: transform and scan {fresh * 1e3:6.0f} ms, scan of kept codes {scan * 1e3:5.1f} ms | index {each * 1e3:6.2f} ms "
        f"({fresh / each:4.0f} and {scan / each:4.1f} times), {probes:4} cells, {calibrated.share[probes - 1]:5.1%} of the vectors, "
        f"recall@10 {recall:.3f}"
        + ("" if plain is None else f" ({plain:.3f} in as many cells chosen by inner product)")
        + f"; a new notion: fit {fit * 1e3:.0f} ms, first query {first * 1e3:.0f} ms, survey {surveyed_in:.1f} s | {chosen.message()}",
        flush=True,
    )
    if n != UNSEEN:
        if name == "car-color" and dim == 128:
            record("index", f"survey of {dim}-d", n, round(surveyed_in, 2), "s")
            record("index", f"fit of {dim}-d, prompts encoded", n, round(fit, 3), "s")
            record("index", f"first query of a new notion, {dim}-d", n, round(first, 3), "s")
        record("index", f"{name} {dim}-d query", n, round(each * 1e3, 2), "ms", "transform and scan", round(fresh * 1e3, 1))
        record("index", f"{name} {dim}-d query once transformed", n, round(each * 1e3, 2), "ms", "scan of kept codes", round(scan * 1e3, 1))
    record("index", f"{name} {dim}-d recall@10{' on unseen renders' if n == UNSEEN else ''}", n, round(recall, 3), "", "scan", 1.0)
    record(
        "index",
        f"{name} {dim}-d share looked through{' on unseen renders' if n == UNSEEN else ''}",
        n,
        round(float(calibrated.share[probes - 1]), 4),
        "",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, choices=(*SIZES, UNSEEN), help="one of the sizes alone")
    chosen = parser.parse_args().size
    for n in (UNSEEN, *SIZES) if chosen is None else (chosen,):
        peak = in_child(one_size, n).peak_gb
        print(f"  peak memory, the vectors themselves and the transformed ones included: {peak:.1f} GB", flush=True)


if __name__ == "__main__":
    main()
