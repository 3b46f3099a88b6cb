"""Ranks of relevant items: every engine against plain loops in exact arithmetic, also where similarities tie or nearly do."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from likeness.evaluation import _ranks
from likeness.evaluation._inputs import AS_GIVEN, Scaling, scaling_for
from made_rows import clusters, unit

ENGINES = ("sorting", "counting", "device")


def similarity(x: np.ndarray, y: np.ndarray) -> np.float32:
    """The exact dot product (products of float32 numbers are exact in float64, fsum rounds once), in float32."""
    return np.float32(math.fsum((x.astype(np.float64) * y.astype(np.float64)).tolist()))


def slow_ranks(queries: np.ndarray, query_codes: np.ndarray, gallery: np.ndarray, codes: np.ndarray, own: bool) -> list[list[int]]:
    found = []
    for query, row in enumerate(queries):
        similarities = [similarity(row, other) for other in gallery]
        ranking = sorted((item for item in range(len(gallery)) if not (own and item == query)), key=lambda item: (-similarities[item], item))
        found.append([rank for rank, item in enumerate(ranking, 1) if codes[item] == query_codes[query]])
    return found


def ranks_by(
    engine: str, x: np.ndarray, codes: np.ndarray, queries: tuple[np.ndarray, np.ndarray] | None = None, scaling: Scaling = AS_GIVEN
) -> list[list[int]]:
    """Of every row as a query, or of others with their codes."""
    asking, asked = queries or (x, codes)
    found: dict[int, list[int]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ranks, "SORTED_UP_TO", 10**12 if engine == "sorting" else 0)
        device = torch.device("cpu") if engine == "device" else None
        for block in _ranks.relevant_ranks(asking, asked, x, codes, None if queries else np.arange(len(x)), scaling=scaling, device=device):
            for place, query in enumerate(block.queries.tolist()):
                found[query] = block.ranks[block.offsets[place] : block.offsets[place + 1]].tolist()
    return [found[query] for query in range(len(asking))]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), min_size=2, max_size=40), st.sampled_from(ENGINES))
def test_ties_go_by_row_number(drawn: list[tuple[int, int]], engine: str) -> None:
    """Many equal similarities, of either sign and zero."""
    codes, values = np.array(drawn).T
    x = values[:, None].astype(np.float32) / 8
    assert ranks_by(engine, x, codes) == slow_ranks(x, codes, x, codes, own=True)


def copies(rng: np.random.Generator) -> np.ndarray:
    """Unit rows that are copies of a few, changed by nothing or by one unit of the last place: neither float32 nor bfloat16 tells them apart."""
    x = unit(rng.standard_normal((4, 48)).astype(np.float32)[rng.integers(0, 4, 120)])
    return np.nextafter(x, np.where(rng.random(x.shape) < 0.05, np.float32(9), x)).astype(np.float32)


def half_way(rng: np.random.Generator) -> np.ndarray:
    """Exact products that lie in the middle of two float32 numbers, or just beside it, where even float64 sums could tip the rounding."""
    columns = rng.integers(2**12, 2**13, 60), 2.0 ** -rng.integers(0, 30, 60), rng.choice([0, 2.0**-60, -(2.0**-60)], 60)
    return np.column_stack(columns).astype(np.float32)


def rounded(rng: np.random.Generator) -> np.ndarray:
    """Odd numbers from 2^24 on lie in the middle of two float32 numbers; what is added tells the side, and gets lost in a float64 sum."""
    small = rng.choice([0, 1, -1], (60, 2)) * 2.0 ** -rng.integers(0, 30, (60, 2))
    return np.column_stack([rng.choice([4097, 4099], 60), small]).astype(np.float32)


NEARLY_TIED = [(copies, seed, engine) for seed in range(3) for engine in ENGINES] + [(half_way, 0, engine) for engine in ENGINES]


@pytest.mark.parametrize(("make", "seed", "engine"), [*NEARLY_TIED, (rounded, 0, "counting")])
def test_near_ties_are_ranked_by_the_exact_product(make: Callable[[np.random.Generator], np.ndarray], seed: int, engine: str) -> None:
    rng = np.random.default_rng(seed)
    x = make(rng)
    codes = rng.integers(0, 5, len(x))
    assert ranks_by(engine, x, codes) == slow_ranks(x, codes, x, codes, own=True)


@pytest.mark.parametrize("lengths", [(0.1, 10), (1e-12, 1e-8), (1, 1e6)])
def test_euclidean_of_rows_of_many_lengths(lengths: tuple[float, float]) -> None:
    """All engines agree on rows that are no unit vectors, an outlier among them."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 7, 400)
    x = (rng.standard_normal((400, 12)) * rng.uniform(*lengths, (400, 1))).astype(np.float32)
    x[7] *= 100
    counted, *others = (ranks_by(engine, x, codes, scaling=scaling_for(x, x, "euclidean")) for engine in ENGINES)
    assert others == [counted] * 2


def random_rows(n: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    x, codes = clusters(n, 16, classes, noise=1.5, seed=3)
    return unit(x), codes


@pytest.mark.parametrize("tile", [64, 100, 8192])
@pytest.mark.parametrize("most_queries", [7, 1024])
@pytest.mark.parametrize("most_paired", [0, 256])
def test_tiles_and_blocks_do_not_matter(tile: int, most_queries: int, most_paired: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x, codes = random_rows(500, 20)
    expected = ranks_by("sorting", x, codes)
    monkeypatch.setattr(_ranks, "MOST_QUERIES", most_queries)
    monkeypatch.setattr(_ranks, "MOST_PAIRED", most_paired)
    monkeypatch.setattr(_ranks, "TILE", tile)
    assert ranks_by("counting", x, codes) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_classes_that_have_no_gallery_row_and_others_that_nobody_asks_for(engine: str) -> None:
    x, codes = random_rows(300, 5)
    queries = x[:40] + np.float32(0.01), np.arange(40) % 9
    assert ranks_by(engine, x, codes, queries) == slow_ranks(*queries, x, codes, own=False)


@pytest.mark.parametrize("relevant", [5, 40])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_lone_tie_with_the_least_similar_relevant_item(relevant: int, engine: str) -> None:
    """All irrelevant items are far behind but one, which equals the last relevant one and stands before it in the gallery."""
    values = np.concatenate([[1.0], np.arange(relevant, 0, -1), np.zeros(600)]).astype(np.float32)[:, None]
    codes = np.concatenate([[0], np.ones(relevant), np.zeros(600)]).astype(np.intp)
    (ranks,) = ranks_by(engine, values, codes, (np.ones((1, 1), np.float32), np.array([1])))
    assert ranks == [*range(1, relevant), relevant + 1]


@pytest.mark.parametrize("classes", [1, 50])
def test_blocks_keep_to_their_memory(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be the classes large or small, a block takes no more than the limit, and no less than half of it."""
    monkeypatch.setattr(_ranks, "SORTED_UP_TO", 0)
    monkeypatch.setattr(_ranks, "BLOCK_BYTES", 10_000_000)
    x, codes = np.eye(400, dtype=np.float32), np.arange(400) % classes
    blocks = list(_ranks.relevant_ranks(x, codes, x, codes, np.arange(400)))
    each = 4 * (_ranks.TILE + _ranks.MOST_CELLS) + _ranks.BYTES_PER_RELEVANT * 400 // classes
    assert sum(len(block.queries) for block in blocks) == 400
    assert 5_000_000 < each * len(blocks[0].queries) <= 10_000_000


def test_tens_of_thousands_of_items() -> None:
    """Half of the values tie."""
    rng = np.random.default_rng(0)
    values, codes = rng.integers(0, 2_000, 70_000).astype(np.float32)[:, None], rng.integers(0, 2, 70_000)
    counted, *others = (ranks_by(engine, values, codes, (np.ones((1, 1), np.float32), np.array([1]))) for engine in ENGINES)
    assert others == [counted] * 2


@pytest.mark.parametrize("metric", [None, "cosine", "euclidean"])
@pytest.mark.parametrize("kind", ["random", "positive", "constant", "nearly constant", "sorted", "long and short"])
def test_products_of_any_rows_are_as_exact_as_is_said(kind: str, metric: str | None) -> None:
    """The bound is what lets a product in float32 decide, so it must hold for all rows though it is taken from a sample."""
    n, d, rng = 600, 96, np.random.default_rng(0)
    rows = {
        "random": lambda: rng.standard_normal((n, d)),
        "positive": lambda: np.abs(rng.standard_normal((n, d))),
        "constant": lambda: np.ones((n, d)) * rng.uniform(0.5, 2, (n, 1)),
        "nearly constant": lambda: 1 + 0.01 * rng.standard_normal((n, d)),
        "sorted": lambda: np.sort(np.abs(rng.standard_normal((n, d))))[:, ::-1],
        "long and short": lambda: rng.standard_normal((n, d)) * 10 ** rng.uniform(-3, 3, (n, 1)),
    }[kind]()
    x = rows.astype(np.float32)
    scaling = AS_GIVEN if metric is None else scaling_for(x, x, metric)
    queries, gallery = scaling.queries(x[:200]), scaling.gallery(x)
    bound = _ranks._product_error(gallery, scaling.unit if scaling.added else None)
    exact = queries.astype(np.float64) @ gallery.astype(np.float64).T
    lengths = np.linalg.norm(queries.astype(np.float64), axis=1)[:, None] * np.linalg.norm(gallery.astype(np.float64), axis=1)
    assert (np.abs(queries @ gallery.T - exact) <= bound * lengths).all()
