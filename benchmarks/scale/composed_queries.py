"""Composed queries among a million images through the index, beside a query of one image in the same run.

python benchmarks/scale/composed_queries.py                 # 1,000,000 x 512, some five minutes
python benchmarks/scale/composed_queries.py --size 100000   # fewer

In the encoder's space and in those of a notion, with 128 dimensions and with as many as its prompts suggest, where comparing all images is as fast
as the index: an image and a word, an image, a word and another one that is taken away, and an image without a word. Texts are read before. Times are
medians over the queries, the least of three rounds; recall@10 is counted against ranking all images by the same score.
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
from vectors import like_encoder

from likeness.encoders import embed_texts
from likeness.notions import get_notion
from likeness.search import Query, all_hold, build_index, reference_rows, term_statistics
from likeness.space import Space

SIZE, QUERIES, ROUNDS, K, DIM = 1_000_000, 30, 3, 10, 128
WORDS = ("a red car", "a car in front of a blue background")
SIGNS = {"image and word": (1, 1), "image, word and one taken away": (1, 1, -1), "image without a word": (1, -1)}


def milliseconds(space: Space, queries: list[Any]) -> tuple[float, list[Any]]:
    """Median time of a query in the best round, and what was found."""
    medians, found = [], []
    for _ in range(ROUNDS):
        times, found = [], []
        for query in queries:
            begin = time.perf_counter()
            found.append(space.nearest(query, K))
            times.append(time.perf_counter() - begin)
        medians.append(float(np.median(times)) * 1e3)
    return min(medians), found


def every_ranked(space: Space, query: Query) -> Any:
    """The best of all images by the score itself."""
    places = np.stack([space.vectors[what] if isinstance(what, int) else what for _, what in query.terms])
    scores = all_hold(places @ space.vectors.T, term_statistics(places @ reference_rows(space.vectors).T), [weight for weight, _ in query.terms])
    scores[list(query.rows)] = -1
    return np.argsort(-scores)[:K]


def one_space(n: int, space: Space, name: str) -> None:
    """A line for each kind of query."""
    assert space.search is not None
    assert space.embed_texts is not None
    space.search.wait()
    words = space.embed_texts(WORDS)
    rows = np.random.default_rng(0).integers(0, n, QUERIES).tolist()
    milliseconds(space, rows[:3])
    plain, _ = milliseconds(space, rows)
    for kind, signs in SIGNS.items():
        queries = [Query(list(zip(signs, (row, *words), strict=False))) for row in rows]
        milliseconds(space, queries[:3])
        composed, found = milliseconds(space, queries)
        shares = [len(np.intersect1d(hits.rows, every_ranked(space, query))) / K for hits, query in zip(found, queries, strict=True)]
        print(
            f"{n:,} images, {name}, {kind}: {composed:.1f} ms, one image {plain:.1f} ms ({composed / plain:.1f} times), "
            f"recall@10 {np.mean(shares):.3f}"
            f" | {space.search.message}",
            flush=True,
        )
        record("index", f"composed query, {name}, {kind}", n, round(composed, 2), "ms", "one image", round(plain, 2))
        record("index", f"composed query, {name}, {kind}, recall@10", n, round(float(np.mean(shares)), 3), "", "all ranked", 1.0)


def measure(n: int) -> None:
    """All spaces on n vectors."""
    vectors, folder = like_encoder(n)[0], Path(tempfile.mkdtemp())
    try:
        index = build_index(vectors, folder / "index")
        space = Space(np.asarray(vectors), encoder="cars", embed_texts=lambda texts: embed_texts("cars", list(texts)).vectors, index=index)
        one_space(n, space, "encoder")
        for dim in (DIM, None):
            notion = space.refit(get_notion("car-color"), dim=dim)
            one_space(n, notion, f"car-color {notion.vectors.shape[1]}-d")
    finally:
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=SIZE, help="images")
    in_child(measure, parser.parse_args().size)


if __name__ == "__main__":
    main()
