"""As many vectors as one likes, distributed like the shipped encoder's.

`python benchmarks/scale/vectors.py` compares them with the encoder's own on renders that it never saw.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import read_dataset
from likeness.embedding import embed
from likeness.io import cache_dir

# As on renders that the encoder never saw, 40,000 of each: with fewer neighbors or shorter steps vectors lie too close together, and a search
# through cells of an index looks easier than it is.
_NEIGHBORS = 40
_STEP = 0.8
_BLOCK = 2_000
_COLUMNS = ["car_color", "background_color"]
_UNSEEN_SEED = 777

Vectors = NDArray[np.float32]


def like_encoder(n: int, seed: int = 0) -> tuple[Vectors, NDArray[np.int64]]:
    """Vectors (n, 512), unit rows in a memory-mapped file of the cache, and classes (n,): car color and background color, some 280 pairs.

    Each is a shipped image's vector moved by random multiples of the ways to its 40 nearest, so that neighborhoods keep the shape that they
    have, and scaled back to length 1. The first rows are the same whatever n.
    """
    space = embed(read_dataset("cars"))
    file = _folder() / f"like-encoder-{space.key}-{_NEIGHBORS}-{_STEP}-{n}-{seed}.npy"
    of = np.random.default_rng([seed, 1]).integers(0, len(space.vectors), n)
    if not file.is_file():
        _write(file, space.vectors, of, seed)
    names = space.table.frame[_COLUMNS].astype(str).agg(" ".join, axis=1)
    return np.load(file, mmap_mode="r"), pd.factorize(names)[0].astype(np.int64)[of]


def unseen_renders(n: int) -> Vectors:
    """The shipped encoder's vectors (n, 512) of freshly rendered cars, kept in the cache; some 250 images a second."""
    from PIL import Image

    from experiments.renders.cars import render_scenes, sample_scenes
    from likeness.encoders import load_encoder

    file = _folder() / f"unseen-{n}.npy"
    if not file.is_file():
        encoder, scenes = load_encoder("cars"), sample_scenes(n, seed=_UNSEEN_SEED)
        parts = (render_scenes(scenes.iloc[begin : begin + 500]) for begin in range(0, n, 500))
        np.save(file, np.concatenate([encoder.encode_images([Image.fromarray(pixels) for pixels in part]) for part in parts]))
    return np.load(file, mmap_mode="r")


def _folder() -> Path:
    folder = cache_dir() / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write(file: Path, known: Vectors, of: NDArray[np.int64], seed: int) -> None:
    nearest = np.argsort(-(known @ known.T), axis=1, kind="stable")[:, 1 : _NEIGHBORS + 1]
    partial = file.with_suffix(".partial.npy")
    rows = np.lib.format.open_memmap(partial, "w+", np.float32, (len(of), known.shape[1]))
    for block, begin in enumerate(range(0, len(of), _BLOCK)):
        base = of[begin : begin + _BLOCK]
        steps = np.random.default_rng([seed, 2, block]).standard_normal((_BLOCK, _NEIGHBORS), np.float32)[: len(base)] * (_STEP / _NEIGHBORS**0.5)
        # sum of steps times (neighbor - base), without the differences themselves
        moved = np.matmul(steps[:, None], known[nearest[base]])[:, 0] + known[base] * (1 - steps.sum(axis=1, keepdims=True))
        rows[begin : begin + len(base)] = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    rows.flush()
    partial.replace(file)


def _described(rows: Vectors) -> dict[str, float]:
    """Mean similarity of the nearest, 10th, 100th, 1,000th neighbor, and how many directions hold 90 % of the variance."""
    similarities = -np.sort(-(rows[:500] @ rows.T), axis=1)[:, 1:]
    values = np.linalg.eigvalsh(np.cov(rows.T))[::-1]
    told = {f"neighbor {k}": float(similarities[:, k - 1].mean()) for k in (1, 10, 100, 1000)}
    return told | {"directions for 90 %": int(np.argmax(np.cumsum(values) > 0.9 * values.sum())) + 1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000)
    n = parser.parse_args().size
    table = pd.DataFrame({"unseen renders": _described(np.asarray(unseen_renders(n))), "generated": _described(np.asarray(like_encoder(n)[0]))})
    print(f"{n:,} vectors of each\n{table.round(3).to_string()}")


if __name__ == "__main__":
    main()
