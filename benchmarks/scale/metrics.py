"""Metrics and splits out of core: seconds and memory from 10,000 to 1,000,000 x 512, beside the peers until they run out.

python benchmarks/scale/metrics.py                    # two hours on two idle cores
python benchmarks/scale/metrics.py --size 100000      # up to so many rows
python benchmarks/scale/metrics.py --part frechet     # retrieval, clusters, frechet or splits alone

Every figure is of a process of its own that reads a memory-mapped store. Memory is what the process holds beyond mapped files, its
interpreter and libraries included. A peer may take 16 GB and 2 minutes, and is not tried where the sizes before took so long that this one
would take thrice that.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from measuring.capped import Capped, capped
from measuring.record import record
from numpy.typing import NDArray
from vectors import like_encoder

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
DIM, PER_CLASS, NOISE = 512, 100, 1.5
PEER_SECONDS, PEER_GB, OUR_SECONDS, OUR_GB = 120, 16, 3600, 64
SEED = 1234

# All but MAP, for which every relevant item's rank is needed.
FIRST = ("precision_at_1", "r_precision", "map_at_r", "mrr", "recall_at_1", "recall_at_2", "recall_at_4", "recall_at_8")

Rows = NDArray[np.float32]
Labels = NDArray[np.int64]


class Store:
    """Where rows and labels lie, in two files; what a process is given."""

    def __init__(self, folder: Path, name: str, labels: Labels, rows: Path | None = None) -> None:
        self.rows_file, self.labels_file = rows or folder / f"{name}.npy", folder / f"{name}-labels.npy"
        np.save(self.labels_file, labels)

    def read(self, n: int) -> tuple[Rows, Labels]:
        """The first n rows, memory-mapped, and their labels, numbered without gaps."""
        labels = np.unique(np.load(self.labels_file)[:n], return_inverse=True)[1]
        return np.load(self.rows_file, mmap_mode="r")[:n], labels


def few_classes(folder: Path, largest: int) -> Store:
    """Vectors like the shipped encoder's, of some 280 classes."""
    rows, labels = like_encoder(largest)
    assert isinstance(rows, np.memmap)
    return Store(folder, "few", labels, Path(str(rows.filename)))


def many_classes(folder: Path, largest: int) -> Store:
    """Unit rows around class centers, a hundred rows to a class, in random order."""
    rng = np.random.default_rng(0)
    sizes = [n for n in SIZES if n <= largest] or [largest]
    # so that the first n rows of each size have classes of about the same size
    labels = np.concatenate([rng.integers(before // PER_CLASS, n // PER_CLASS, n - before) for before, n in pairwise((0, *sizes))])
    centers = rng.standard_normal((len(labels) // PER_CLASS + 1, DIM), np.float32)
    store = Store(folder, "many", labels)
    out = np.lib.format.open_memmap(store.rows_file, "w+", np.float32, (len(labels), DIM))
    for begin in range(0, len(labels), 10_000):
        part = centers[labels[begin : begin + 10_000]]
        part += NOISE * rng.standard_normal(part.shape, np.float32)
        out[begin : begin + 10_000] = part / np.linalg.norm(part, axis=1, keepdims=True)
    out.flush()
    return store


def ours_first(store: Store, n: int) -> dict[str, float]:
    """The metrics that only need the first places."""
    from likeness.evaluation import retrieval_metrics

    return retrieval_metrics(*store.read(n), only=FIRST)


def ours_all(store: Store, n: int) -> dict[str, float]:
    """All metrics."""
    from likeness.evaluation import retrieval_metrics

    return retrieval_metrics(*store.read(n))


def calculator(store: Store, n: int, names: dict[str, str], k: str | None) -> dict[str, float]:
    """AccuracyCalculator of pytorch-metric-learning, under our names."""
    import torch
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

    rows, labels = store.read(n)
    found = AccuracyCalculator(include=tuple(names.values()), k=k, device=torch.device("cpu")).get_accuracy(
        torch.from_numpy(np.array(rows)), torch.from_numpy(labels)
    )
    return {ours: found[theirs] for ours, theirs in names.items()}


def calculator_first(store: Store, n: int) -> dict[str, float]:
    """As many neighbors as the largest class has."""
    names = {"precision_at_1": "precision_at_1", "r_precision": "r_precision", "map_at_r": "mean_average_precision_at_r"}
    return calculator(store, n, names, "max_bin_count")


def calculator_all(store: Store, n: int) -> dict[str, float]:
    """The whole gallery ranked."""
    names = {"map_at_r": "mean_average_precision_at_r", "map": "mean_average_precision", "mrr": "mean_reciprocal_rank"}
    return calculator(store, n, names, None)


def faiss_recall(store: Store, n: int) -> dict[str, float]:
    """Recall at 1 to 8 by the nearest nine of a flat index, the query itself taken out."""
    import faiss

    rows, labels = store.read(n)
    index = faiss.IndexFlatIP(DIM)
    index.add(np.ascontiguousarray(rows))
    found = index.search(np.ascontiguousarray(rows), 9)[1]
    others = np.where(found == np.arange(n)[:, None], n, found)
    others = np.take_along_axis(others, np.argsort(others == n, axis=1, kind="stable"), axis=1)[:, :8]
    hits = labels[others] == labels[:, None]
    return {f"recall_at_{k}": float(hits[:, :k].any(axis=1).mean()) for k in (1, 2, 4, 8)}


def ours_nmi(store: Store, n: int) -> dict[str, float]:
    """K-means and its agreement with the classes."""
    from likeness.evaluation import clustering_metrics

    return clustering_metrics(*store.read(n), seed=SEED, metric="euclidean")


def calculator_nmi(store: Store, n: int) -> dict[str, float]:
    """The same by AccuracyCalculator."""
    return calculator(store, n, {"nmi": "NMI", "ami": "AMI"}, "max_bin_count")


def sklearn_nmi(store: Store, n: int) -> dict[str, float]:
    """The same by scikit-learn, with the same number of iterations."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

    rows, labels = store.read(n)
    found = KMeans(int(labels.max()) + 1, n_init=1, max_iter=20, init="random", random_state=SEED).fit_predict(rows)
    return {"nmi": float(normalized_mutual_info_score(labels, found)), "ami": float(adjusted_mutual_info_score(labels, found))}


def ours_frechet(store: Store, n: int) -> dict[str, float]:
    """Between the first half of the images and the others."""
    from likeness.shifts import frechet_distance

    rows, _ = store.read(n)
    return {"frechet": frechet_distance(rows[: n // 2], rows[n // 2 :])}


def scipy_frechet(store: Store, n: int) -> dict[str, float]:
    """As usually written: NumPy's covariances and SciPy's root of their product."""
    import scipy.linalg

    rows, _ = store.read(n)
    a, b = rows[: n // 2].astype(np.float64), rows[n // 2 :].astype(np.float64)
    covariance_a, covariance_b = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    root = scipy.linalg.sqrtm(covariance_a @ covariance_b).real
    return {"frechet": float(np.square(a.mean(axis=0) - b.mean(axis=0)).sum() + np.trace(covariance_a + covariance_b - 2 * root))}


def ours_splits(store: Store, n: int) -> dict[str, float]:
    """Class means of the store, and twenty exchanges of a fiftieth of the classes each."""
    from likeness.shifts import class_mean_features, start_halves, swap_splits

    rows, labels = store.read(n)
    classes = int(labels.max()) + 1
    splits = swap_splits(class_mean_features(rows, labels, classes), *start_halves(classes), steps=20, per_step=max(1, classes // 100))
    return {"classes": classes, "nearest": min(split.distance for split in splits), "farthest": max(split.distance for split in splits)}


def pandas_splits(store: Store, n: int) -> dict[str, float]:
    """The class means alone, by pandas."""
    import pandas as pd

    rows, labels = store.read(n)
    return {"classes": len(pd.DataFrame(np.asarray(rows, np.float64)).groupby(labels).mean())}


Work = Callable[[Store, int], dict[str, float]]
# what is measured: ours, and the peers by name
PARTS: dict[str, list[tuple[str, str, Work, dict[str, Work]]]] = {
    "retrieval": [
        (
            "R@k, MAP@R, MRR of 280 classes",
            "few",
            ours_first,
            {"AccuracyCalculator, k of the largest class": calculator_first, "faiss flat, R@k alone": faiss_recall},
        ),
        ("all retrieval metrics of classes of 100", "many", ours_all, {"AccuracyCalculator, whole ranking": calculator_all}),
    ],
    "clusters": [("NMI, AMI, 280 classes", "few", ours_nmi, {"AccuracyCalculator": calculator_nmi, "scikit-learn": sklearn_nmi})],
    "frechet": [("Frechet distance", "few", ours_frechet, {"SciPy sqrtm": scipy_frechet})],
    "splits": [("20 splits, classes of 100", "many", ours_splits, {"pandas, class means alone": pandas_splits})],
}


def growth(what: str, store: Store, ours: Work, peers: dict[str, Work], sizes: list[int]) -> None:
    """A line for each size and side; a peer that ran out is not asked again."""
    print(what, flush=True)
    capped(ours, store, 4_000, seconds=OUR_SECONDS, gigabytes=OUR_GB)  # compiles once per installation
    before: dict[str, list[tuple[int, float]]] = {name: [] for name in peers}
    for n in sizes:
        mine = capped(ours, store, n, seconds=OUR_SECONDS, gigabytes=OUR_GB)
        print(f"  {n:>9,}  ours: {told(mine)}", flush=True)
        keep(f"{what}, anonymous memory", n, round(mine.anonymous_gb, 2), "GB")
        for name in list(before):
            theirs = tried(peers[name], store, n, before[name])
            print(f"  {n:>9,}  {name}: {told(theirs)}{compared(mine, theirs)}", flush=True)
            said = (f"{name}: {theirs.failure}", None) if theirs.failure else (name, round(theirs.seconds, 2))
            keep(f"{what}, beside {name}", n, round(mine.seconds, 2), "s", *said)
            before[name].append((n, theirs.seconds))
            if theirs.failure:
                del before[name]
        keep(what, n, round(mine.seconds, 2), "s")


def keep(what: str, n: int, *figure: Any) -> None:
    """Figures of the sizes that docs/speed.md shows; not of trials."""
    if n in SIZES:
        record("metrics", what, n, *figure)


def tried(peer: Work, store: Store, n: int, before: list[tuple[int, float]]) -> Capped:
    """The peer's run, unless those before show that it would take far too long: work grows at least in proportion, and goes on as it grew."""
    if expected(n, before) > 3 * PEER_SECONDS:
        return Capped(None, float("nan"), float("nan"), f"more than {3 * PEER_SECONDS} s, by its growth")
    return capped(peer, store, n, seconds=PEER_SECONDS, gigabytes=PEER_GB)


def expected(n: int, before: list[tuple[int, float]]) -> float:
    """Seconds at this size by the last two (size, seconds); 0 where there is none."""
    if not before:
        return 0.0
    power = float(np.polyfit(*np.log(before[-2:]).T, 1)[0]) if len(before) > 1 else 1.0
    size, seconds = before[-1]
    return float(seconds * (n / size) ** max(1.0, power))


def told(run: Capped) -> str:
    """One run in words."""
    if run.failure:
        return f"did not end, {run.failure}"
    values = ", ".join(f"{name} {value:.4g}" for name, value in run.result.items())
    return f"{run.seconds:.1f} s, {run.anonymous_gb:.2f} GB; {values}"


def compared(ours: Capped, theirs: Capped) -> str:
    """How many times as long the peer took, and how far its results are from ours."""
    if ours.failure or theirs.failure:
        return ""
    both = [abs(ours.result[name] - value) for name, value in theirs.result.items() if name in ours.result]
    return f"; {theirs.seconds / ours.seconds:.1f} times as long, largest difference {max(both):.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=SIZES[-1], help="the largest number of rows")
    parser.add_argument("--part", choices=PARTS, help="one part alone")
    chosen = parser.parse_args()
    sizes = [n for n in SIZES if n <= chosen.size] or [chosen.size]
    with tempfile.TemporaryDirectory() as folder:
        makers = {"few": few_classes, "many": many_classes}
        wanted = [chosen.part] if chosen.part else list(PARTS)
        stores = {kind: makers[kind](Path(folder), sizes[-1]) for kind in {line[1] for part in wanted for line in PARTS[part]}}
        for part in wanted:
            for what, kind, ours, peers in PARTS[part]:
                growth(what, stores[kind], ours, peers, sizes)


if __name__ == "__main__":
    main()
