"""What labels that spread take: prints seconds of the graph, of spreading by each method, and of the queue, on random vectors in groups.

python benchmarks/label_spreading_speed.py                    # 10,000 images, some seconds
python benchmarks/label_spreading_speed.py --images 100000    # minutes: without an index, all images are compared for the graph
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from likeness.space import Space
from likeness.spreading import METHODS, label_screens, neighbor_graph, next_to_label, spread_labels

_DIM = 384  # of the encoder `photos`
_GROUPS = ((10, 100), (100, 1000))  # classes, labels


def seconds(call: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    found = call(*given)
    return time.perf_counter() - start, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=10_000)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    for classes, labels in _GROUPS:
        truth = rng.integers(classes, size=given.images)
        centers = rng.normal(size=(classes, _DIM)).astype(np.float32)
        space = Space(centers[truth] + 2 * rng.normal(size=(given.images, _DIM)).astype(np.float32))
        took, _ = seconds(neighbor_graph, space)
        print(f"{given.images:,} images, {_DIM} dimensions, {labels:,} labels of {classes} classes: graph, once per space {took:.2f} s")
        said = np.full(given.images, None, object)
        rows = rng.permutation(given.images)[:labels]
        said[rows] = truth[rows]
        for method in METHODS:
            spread_labels(space, said, method)  # loads what it needs
            took, found = seconds(spread_labels, space, said, method)
            queue, _ = seconds(next_to_label, found)
            screens, _ = seconds(label_screens, found)
            print(f"  {method}: {took:.3f} s; queue {1000 * queue:.0f} ms; screens {1000 * screens:.0f} ms", flush=True)


if __name__ == "__main__":
    main()
