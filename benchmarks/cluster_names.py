"""Seconds of processor time until the clusters of a space are found and named, for 300 images and for 10,000 made from them.

What a process imports and compiles on first use is in the first row alone. Peer: scikit-learn's HDBSCAN of as many points in 10 dimensions.
"""

import time

import numpy as np

import likeness as lk
from likeness.clusters import cluster, name_clusters
from likeness.space import Space

SIZES = (300, 300, 10_000)


def varied(base: Space, n: int, seed: int = 0) -> Space:
    """So many unit vectors around mixtures of two of a space's own."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(len(base), size=(2, n))
    noise = rng.normal(size=(n, base.vectors.shape[1])) / np.sqrt(base.vectors.shape[1])
    vectors = np.asarray(base.vectors[first] + 0.35 * base.vectors[second] + 0.5 * noise, np.float32)
    return Space(vectors, name=f"{n} vectors", encoder=base.encoder, embed_texts=base.embed_texts)


def peer_seconds(n: int) -> float:
    """HDBSCAN with the least size of a coarse cluster."""
    from sklearn.cluster import HDBSCAN

    points = np.random.default_rng(0).normal(size=(n, 10))
    begin = time.process_time()
    HDBSCAN(min_cluster_size=max(n // 25, 5), copy=True).fit(points)
    return time.process_time() - begin


def main() -> None:
    """Prints the table."""
    base = lk.embed(lk.read("cars"), "cars")
    for n in SIZES:
        space = varied(base, n)
        begin = time.process_time()
        found = cluster(space)
        middle = time.process_time()
        name_clusters(space, found)
        end, peer = time.process_time(), peer_seconds(n)
        print(
            f"{n:>6,} images: clusters {middle - begin:.1f} s, names {end - middle:.1f} s, {(end - begin) / peer:.1f} times HDBSCAN alone", flush=True
        )


if __name__ == "__main__":
    main()
