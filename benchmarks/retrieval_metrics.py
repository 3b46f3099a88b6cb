"""Retrieval and clustering metrics beside pytorch-metric-learning's AccuracyCalculator, in one run on the same rows.

python benchmarks/retrieval_metrics.py                    # all four, some minutes on idle cores
python benchmarks/retrieval_metrics.py --size cars        # 8,131 x 128, 98 classes, as the test half of Cars196: all seven metrics
python benchmarks/retrieval_metrics.py --size products    # 60,502 x 512, 11,316 classes, as Stanford Online Products, beside the bare products
python benchmarks/retrieval_metrics.py --size memory      # 100,000 x 512, 10,000 classes: peak memory
python benchmarks/retrieval_metrics.py --size device      # 8,131 x 128 on a device (--device, by default CUDA or the processor) and on the host

Every part runs in a process of its own; peak memory is of that process, with its interpreter and the rows themselves.
"""

import argparse
from functools import partial
from typing import Any

import numpy as np
from measuring.child import in_child
from measuring.record import SMALL, add_record, record
from measuring.timing import Timed, best_of
from numpy.typing import NDArray

PEER_NAMES = {
    "precision_at_1": "precision_at_1",
    "r_precision": "r_precision",
    "map_at_r": "mean_average_precision_at_r",
    "map": "mean_average_precision",
    "mrr": "mean_reciprocal_rank",
    "nmi": "NMI",
    "ami": "AMI",
}
# What the peer can do where ranking the whole gallery would take more memory than there is: the nearest of each query, as many as the
# largest class has. MAP and MRR would be cut off there; its k-means with 11,316 centers takes minutes for both sides alike.
PEER_LARGE = ("precision_at_1", "r_precision", "map_at_r")
PEER_SEED = 1234
NOISE = 1.5

Rows = NDArray[np.float32]
Labels = NDArray[np.int64]


def make_rows(n: int, dim: int, classes: int, noise: float) -> tuple[Rows, Labels]:
    """Unit rows (n, dim) around class centers, in random order, and their classes."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, n)
    rows = rng.standard_normal((classes, dim), np.float32)[labels]
    rows += noise * rng.standard_normal((n, dim), np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows, labels


def all_seven(rows: Rows, labels: Labels) -> dict[str, float]:
    """Ours, with the peer's k-means start."""
    from likeness.evaluation import clustering_metrics, retrieval_metrics

    return retrieval_metrics(rows, labels) | clustering_metrics(rows, labels, seed=PEER_SEED, metric="euclidean")


def peer(rows: Rows, labels: Labels, names: tuple[str, ...], k: str | None = None) -> dict[str, float]:
    """The metrics of these names by pytorch-metric-learning, under our names; k None ranks the whole gallery, which MAP and MRR need."""
    import torch
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

    calculator = AccuracyCalculator(include=tuple(PEER_NAMES[name] for name in names), k=k, device=torch.device("cpu"))
    found = calculator.get_accuracy(torch.from_numpy(rows), torch.from_numpy(labels))
    return {name: found[PEER_NAMES[name]] for name in names}


def bare_products(rows: Rows) -> None:
    """All similarities, 512 queries at a time, and nothing else."""
    out = np.empty((512, len(rows)), np.float32)
    for begin in range(0, len(rows), len(out)):
        part = rows[begin : begin + len(out)]
        np.matmul(part, rows.T, out=out[: len(part)])


def both_sides(noise: float) -> tuple[Timed, Timed, Timed]:
    """Ours, the peer and the bare products at the size of the Cars196 test half."""
    rows, labels = make_rows(8131, 128, 98, noise)
    all_seven(rows[:4000], labels[:4000])  # compiles once per installation
    ours = best_of(3, partial(all_seven, rows, labels))
    return ours, best_of(1, partial(peer, rows, labels, tuple(PEER_NAMES))), best_of(3, partial(bare_products, rows))


def ours_alone(n: int, classes: int, runs: int) -> tuple[Timed, Timed]:
    """Our retrieval metrics and the bare products, 512 dimensions."""
    from likeness.evaluation import retrieval_metrics

    rows, labels = make_rows(n, 512, classes, NOISE)
    retrieval_metrics(rows, labels, rows=[0])
    return best_of(runs, partial(retrieval_metrics, rows, labels)), best_of(runs, partial(bare_products, rows))


def peer_alone(n: int, classes: int) -> Timed:
    """What the peer can do on the rows of `ours_alone`."""
    return best_of(1, partial(peer, *make_rows(n, 512, classes, NOISE), PEER_LARGE, k="max_bin_count"))


def difference(ours: dict[str, float], theirs: dict[str, float]) -> float:
    """Largest difference of the metrics that both have."""
    return max(abs(ours[name] - theirs[name]) for name in theirs)


def cars(recorded: bool) -> None:
    """One line each from well separated classes to nearly none, since the work of counting depends on it."""
    print(f"8,131 x 128, 98 classes: {', '.join(PEER_NAMES)}")
    for noise in (0.7, NOISE, 5.0):
        (ours, theirs, products), _ = in_child(both_sides, noise)
        print(
            f"  MAP@R {ours.result['map_at_r']:.4f}: ours {spent(ours)}, AccuracyCalculator {spent(theirs)}, "
            f"{theirs.seconds / ours.seconds:.0f} times as fast; products alone {spent(products)}; "
            f"largest difference {difference(ours.result, theirs.result):.1e}",
            flush=True,
        )
    if recorded:  # of classes that lie nearly all over each other, where we gain least
        record(SMALL, "seven metrics", 8131, round(theirs.seconds / ours.seconds), "times", "AccuracyCalculator")


def products(recorded: bool) -> None:
    """Time against the bare products and the peer, and memory."""
    n, classes = 60_502, 11_316
    print("60,502 x 512, 11,316 classes")
    (ours, bare), peak = in_child(ours_alone, n, classes, 1)
    print(
        f"  MAP@R {ours.result['map_at_r']:.4f}: ours {spent(ours)}, products alone {spent(bare)}, "
        f"{ours.seconds / bare.seconds:.2f} times the products ({ours.cpu_seconds / bare.cpu_seconds:.2f} by CPU time), peak memory {peak:.2f} GB",
        flush=True,
    )
    if recorded:
        record(SMALL, "retrieval metrics, 11,316 classes", n, round(ours.seconds, 1), "s", "bare products", round(bare.seconds, 1))
    theirs, peer_peak = in_child(peer_alone, n, classes)
    print(
        f"  {', '.join(PEER_LARGE)} alone by AccuracyCalculator: {spent(theirs)}, peak memory {peer_peak:.2f} GB; "
        f"largest difference {difference(ours.result, theirs.result):.1e}"
    )


def memory() -> None:
    """Peak memory where the rows alone take 0.2 GB and all similarities would take 40 GB."""
    ours, peak = in_child(ours_once, 100_000, 10_000)
    print(f"100,000 x 512, 10,000 classes\n  MAP@R {ours.result['map_at_r']:.4f}: ours {spent(ours)}, peak memory {peak:.2f} GB", flush=True)


def ours_once(n: int, classes: int) -> Timed:
    """Our retrieval metrics, 512 dimensions."""
    from likeness.evaluation import retrieval_metrics

    return best_of(1, partial(retrieval_metrics, *make_rows(n, 512, classes, NOISE)))


def on_device(device: str) -> tuple[Timed, Timed]:
    """All seven metrics of 8,131 rows that lie on a device, and of the same in the host's memory."""
    import torch

    from likeness import arrays

    rows, labels = make_rows(8131, 128, 98, NOISE)
    host = best_of(2, partial(all_seven, rows, labels))
    arrays.HOST = ()  # the processor too goes the way of a device, where it is the only one
    there = torch.from_numpy(rows).to(device)
    return best_of(2, partial(all_seven, there, labels)), host


def device(name: str | None = None) -> None:
    """The device's way beside the host's."""
    from likeness.encoders import choose_device

    name = name or choose_device("auto").type
    (there, host), _ = in_child(on_device, name)
    print(
        f"8,131 x 128, 98 classes: on {name} {spent(there)}, by the host's engines {spent(host)}; "
        f"largest difference {difference(there.result, host.result):.1e}",
        flush=True,
    )


def spent(work: Timed) -> str:
    """Seconds, and seconds of processor time."""
    return f"{work.seconds:.2f} s ({work.cpu_seconds:.2f} s CPU)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes: dict[str, Any] = {"cars": cars, "products": products, "memory": memory, "device": device}
    parser.add_argument("--size", choices=sizes, help="one of the four alone")
    parser.add_argument("--device", help="torch device of the last; by default CUDA or the processor")
    add_record(parser)
    chosen = parser.parse_args()
    sizes |= {"cars": partial(cars, chosen.record), "products": partial(products, chosen.record), "device": partial(device, chosen.device)}
    for name, run in sizes.items():
        if chosen.size in (None, name):
            run()


if __name__ == "__main__":
    main()
