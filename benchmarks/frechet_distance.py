"""The Frechet distance beside SciPy's root of the product of covariances, in the same run: full sets, and class means, fewer than dimensions."""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
import scipy.linalg
from measuring.record import SMALL, add_record, record

from likeness.shifts import frechet_distance

ROWS, CLASSES = 5_900, 98


def by_root(a: np.ndarray, b: np.ndarray) -> float:
    """As usually computed."""
    cov_a, cov_b, gap = np.cov(a, rowvar=False), np.cov(b, rowvar=False), a.mean(axis=0) - b.mean(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the root of a singular matrix
        root = scipy.linalg.sqrtm(cov_a @ cov_b)
    return float(gap @ gap + np.trace(cov_a) + np.trace(cov_b) - 2 * np.trace(np.real(root)))


def drawn(n: int, d: int, seed: int) -> np.ndarray:
    """Features whose variance falls over the dimensions as that of a network's does."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=(n, d)) * np.arange(1, d + 1) ** -0.5 + 0.1 * rng.normal(size=d))


def timed(work: Callable[[], float], repeats: int) -> tuple[float, float]:
    """Result and the least of so many durations."""
    durations = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        durations.append(time.perf_counter() - start)
    return result, min(durations)


def main() -> None:
    """Prints a line for each number of dimensions and rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without 2,048 dimensions, whose peer takes a minute and more")
    add_record(parser)
    options = parser.parse_args()
    for d in (256, 512) if options.quick else (256, 512, 2048):
        for n, what in ((ROWS, "full sets"), (CLASSES, "class means")):
            a, b = drawn(n, d, 0), drawn(n, d, 1)
            frechet_distance(a, b)
            ours, seconds = timed(lambda a=a, b=b: frechet_distance(a, b), 3)  # type: ignore[misc]
            theirs, peer = timed(lambda a=a, b=b: by_root(a, b), 1)  # type: ignore[misc]
            print(
                f"{d} dimensions, {what} of {n:,} rows: ours {seconds:.4f} s, SciPy's root {peer:.2f} s, {peer / seconds:,.0f} times; "
                f"{ours:.8g} and {theirs:.8g}, relative difference {abs(ours - theirs) / ours:.1e}",
                flush=True,
            )
            if options.record and (d, n) == (2048, ROWS):
                record(SMALL, "Frechet distance, 2,048-d", n, round(seconds, 2), "s", "SciPy sqrtm", round(peer, 1))


if __name__ == "__main__":
    main()
