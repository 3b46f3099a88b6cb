"""Retrieval metrics beside pytorch-metric-learning's AccuracyCalculator, in one run on the same rows.

Without options 8,131 x 128 with 98 classes, the test half of Cars196; with --large 60,502 x 512 with 11,316 classes, as in Stanford
Online Products, beside its products alone.
"""

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

from likeness.evaluation import retrieval_metrics

PEER_NAMES = {
    "precision_at_1": "precision_at_1",
    "r_precision": "r_precision",
    "map_at_r": "mean_average_precision_at_r",
    "map": "mean_average_precision",
    "mrr": "mean_reciprocal_rank",
}


def make_rows(n: int, dim: int, classes: int, noise: float) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Unit rows (n, dim) around class centers, in random order, and their classes."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, n)
    rows = rng.standard_normal((classes, dim), np.float32)[labels]
    rows += noise * rng.standard_normal((n, dim), np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows, labels


def best_of(runs: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Shortest time in seconds of several runs, and the last result."""
    times, result = [], None
    for _ in range(runs):
        begin = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begin)
    return min(times), result


def peer(rows: NDArray[np.float32], labels: NDArray[np.int64]) -> dict[str, float]:
    """The same five metrics by pytorch-metric-learning, ranking the whole gallery (MAP and MRR need it)."""
    calculator = AccuracyCalculator(include=tuple(PEER_NAMES.values()), k=None, device=torch.device("cpu"))
    return dict(calculator.get_accuracy(torch.from_numpy(rows), torch.from_numpy(labels)))


def products(rows: NDArray[np.float32]) -> None:
    """All similarities, a chunk of queries at a time, and nothing else."""
    size = max(1, 32_000_000 // (4 * len(rows)))
    out = np.empty((size, len(rows)), np.float32)
    for begin in range(0, len(rows), size):
        part = rows[begin : begin + size]
        np.matmul(part, rows.T, out=out[: len(part)])


def compare(noise: float) -> None:
    """One line: times, ratio and largest difference at the size of the Cars196 test half."""
    rows, labels = make_rows(8131, 128, 98, noise)
    ours, found = best_of(5, lambda: retrieval_metrics(rows, labels))
    base, _ = best_of(5, lambda: products(rows))
    theirs, expected = best_of(1, lambda: peer(rows, labels))
    difference = max(abs(found[name] - expected[other]) for name, other in PEER_NAMES.items())
    print(
        f"MAP@R {found['map_at_r']:.4f}: ours {ours:.2f} s, pytorch-metric-learning {theirs:.2f} s, ratio {theirs / ours:.0f}x, "
        f"products alone {base:.2f} s, largest difference {difference:.1e}"
    )


def large(noise: float) -> None:
    """One line: time against the products alone, and memory, at the size of Stanford Online Products."""
    rows, labels = make_rows(60_502, 512, 11_316, noise)
    base, _ = best_of(2, lambda: products(rows))
    ours, found = best_of(2, lambda: retrieval_metrics(rows, labels))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"MAP@R {found['map_at_r']:.4f}: ours {ours:.1f} s, products alone {base:.1f} s, ratio {ours / base:.2f}x, peak memory {peak:.2f} GB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    # From well separated classes to nearly none, since the work of counting depends on it.
    for noise in (0.7, 1.5, 5.0):
        (large if arguments.large else compare)(noise)


if __name__ == "__main__":
    main()
