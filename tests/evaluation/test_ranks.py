"""Ranks of relevant items: every engine against plain loops in exact arithmetic, also where similarities tie or nearly do."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.evaluation import _counter, _counting, _ranks
from likeness.evaluation._inputs import scaling_for

ENGINES: tuple[_ranks.Engine, ...] = ("sort", "float32", "bfloat16")


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


def ranks_by(engine: _ranks.Engine, x: np.ndarray, codes: np.ndarray, limits: np.ndarray | None = None) -> list[list[int]]:
    """Of every row as a query."""
    found: dict[int, list[int]] = {}
    for block in _ranks.relevant_ranks(x, codes, x, codes, np.arange(len(x)), engine, limits=limits):
        for place, query in enumerate(block.queries.tolist()):
            found[query] = block.ranks[block.offsets[place] : block.offsets[place + 1]].tolist()
    return [found[query] for query in range(len(x))]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 40).flatmap(
        lambda n: st.tuples(st.lists(st.integers(0, 4), min_size=n, max_size=n), st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    ),
    st.sampled_from(ENGINES),
)
def test_ties_go_by_row_number(drawn: tuple[list[int], list[int]], engine: _ranks.Engine) -> None:
    """Many equal similarities, of either sign and zero."""
    codes, x = np.asarray(drawn[0]), np.asarray(drawn[1], np.float32)[:, None] / 8
    assert ranks_by(engine, x, codes) == slow_ranks(x, codes, x, codes, own=True)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(3))
def test_near_ties_are_ranked_by_the_exact_product(seed: int, engine: _ranks.Engine) -> None:
    """Unit rows that are copies of a few, changed by nothing or by one unit of the last place: neither float32 nor bfloat16 tells them apart."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((4, 48)).astype(np.float32)[rng.integers(0, 4, 120)]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x = np.nextafter(x, np.where(rng.random(x.shape) < 0.05, np.float32(9), x)).astype(np.float32)
    codes = rng.integers(0, 6, 120)
    assert ranks_by(engine, x, codes) == slow_ranks(x, codes, x, codes, own=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_products_half_way_between_two_floats(engine: _ranks.Engine) -> None:
    """Exact products that lie in the middle of two float32 numbers, or just beside it, where even float64 sums could tip the rounding."""
    rng = np.random.default_rng(0)
    x = np.ones((60, 3), np.float32)
    x[:, 0], x[:, 1], x[:, 2] = rng.integers(2**12, 2**13, 60), 2.0 ** -rng.integers(0, 30, 60), rng.choice([0, 2.0**-60, -(2.0**-60)], 60)
    codes = rng.integers(0, 4, 60)
    assert ranks_by(engine, x, codes) == slow_ranks(x, codes, x, codes, own=True)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("noise", [0.5, 2.0, 8.0])
def test_clusters_of_any_width(noise: float, engine: _ranks.Engine) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5, 150)
    x = (rng.standard_normal((5, 20))[codes] + noise * rng.standard_normal((150, 20))).astype(np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    assert ranks_by(engine, x, codes) == slow_ranks(x, codes, x, codes, own=True)


@pytest.mark.parametrize("engine", ["float32", "bfloat16"])
@pytest.mark.parametrize("lengths", [(0.1, 10), (1e-12, 1e-8), (1, 1e6)])
def test_euclidean_of_rows_of_many_lengths(lengths: tuple[float, float], engine: _ranks.Engine) -> None:
    """The engines agree on rows that are no unit vectors, an outlier among them."""
    rng = np.random.default_rng(2)
    codes, own = rng.integers(0, 7, 400), np.arange(400)
    x = (rng.standard_normal((400, 12)) * rng.uniform(*lengths, (400, 1))).astype(np.float32)
    x[7] *= 100
    scaling = scaling_for(x, x, "euclidean")
    found = {
        name: {
            query: ranks
            for block in _ranks.relevant_ranks(x, codes, x, codes, own, name, scaling=scaling)
            for query, ranks in zip(block.queries.tolist(), np.split(block.ranks, block.offsets[1:-1]), strict=True)
        }
        for name in ("sort", engine)
    }
    for query in range(400):
        np.testing.assert_array_equal(found[engine][query], found["sort"][query])


def random_rows(n: int, classes: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, n)
    x = rng.standard_normal((classes, 16))[codes] + 1.5 * rng.standard_normal((n, 16))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32), codes


@pytest.mark.parametrize("tile", [64, 100, 8192])
@pytest.mark.parametrize("most_queries", [7, 1024])
def test_tiles_and_blocks_do_not_matter(tile: int, most_queries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x, codes = random_rows(500, 20)
    expected = ranks_by("sort", x, codes)
    monkeypatch.setattr(_ranks, "MOST_QUERIES", most_queries)
    monkeypatch.setattr(_counter, "TILE", tile)
    for engine in ("float32", "bfloat16"):
        assert ranks_by(engine, x, codes) == expected


@pytest.mark.parametrize("most_pending", [1, 5, 64])
def test_pending_rows_may_overflow(most_pending: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x, codes = random_rows(600, 3)
    monkeypatch.setattr(_counting, "MOST_PENDING", most_pending)
    assert ranks_by("bfloat16", x, codes) == ranks_by("sort", x, codes)


@pytest.mark.parametrize("engine", ["float32", "bfloat16"])
@pytest.mark.parametrize("limit", [1, 10, 200])
@pytest.mark.parametrize("sampled", [600, 20])
def test_ranks_up_to_a_limit_are_exact(sampled: int, limit: int, engine: _ranks.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """And so is a query's first, wherever it is; the others come out beyond the limit. However well the sample shows where that is."""
    monkeypatch.setattr(_counter, "CUT_FROM", 0)
    monkeypatch.setattr(_counter, "FEWEST_SAMPLED", sampled)
    monkeypatch.setattr(_counter, "MOST_SAMPLED_SHARE", 1)
    monkeypatch.setattr(_counter, "TILE", 50)
    x, codes = random_rows(500, 60)
    found, expected = ranks_by(engine, x, codes, np.full(500, limit)), ranks_by("sort", x, codes)
    for ours, right in zip(found, expected, strict=True):
        assert ours[:1] == right[:1]
        assert ours == sorted(ours)
        assert all(our == rank if rank <= limit else our > limit for our, rank in zip(ours[1:], right[1:], strict=True))


@pytest.mark.parametrize("engine", ["float32", "bfloat16"])
def test_a_sample_that_misleads_is_found_out(engine: _ranks.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows that the sample sees are ahead of every item, and no others: queries are asked again with twice the limit, until that says no more."""
    monkeypatch.setattr(_counter, "CUT_FROM", 0)
    monkeypatch.setattr(_counter, "FEWEST_SAMPLED", 100)
    values = np.full(1_000, 0.1, np.float32)
    values[np.unique(np.linspace(0, 999, 100).astype(np.int64))] = 2
    values[500:600] = np.linspace(1, 1.5, 100)
    codes = np.where((np.arange(1_000) >= 500) & (np.arange(1_000) < 600), 1, np.where(np.arange(1_000) < 500, 0, 2))
    asked, original, query = [], _counter.Counter.ranks, np.ones((1, 1), np.float32)
    monkeypatch.setattr(_counter.Counter, "ranks", lambda self, asking: asked.append(len(asking.rows)) or original(self, asking))
    (found,) = _ranks.relevant_ranks(query, np.array([1]), values[:, None], codes, None, engine, limits=np.array([150]))
    (expected,) = _ranks.relevant_ranks(query, np.array([1]), values[:, None], codes, None, "sort")
    np.testing.assert_array_equal(found.ranks, expected.ranks)
    assert asked == [1, 1, 1, 1]  # limits of 150, 300, 600, and all


def test_all_choices_of_precision_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Well separated classes go by bfloat16, mixed ones by float32, and ranks are those of sorting."""
    monkeypatch.setattr(_ranks, "SORTED_BELOW", 0)
    for name in ("HALVES_FROM", "HALVES_FROM_WITH_TORCH"):
        monkeypatch.setattr(_counter, name, 0)
    monkeypatch.setattr(_counter, "halves_pay", lambda: True)
    rng = np.random.default_rng(0)
    codes = np.sort(rng.integers(0, 4, 600))
    x = (3 * rng.standard_normal((4, 32))[codes] + rng.standard_normal((600, 32))).astype(np.float32)
    x[codes == 0] = rng.standard_normal((int((codes == 0).sum()), 32))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    monkeypatch.setattr(_ranks, "MOST_QUERIES", 100)
    shares = []
    measured = _counter.Counter._cut
    monkeypatch.setattr(_counter.Counter, "_cut", lambda *arguments: shares.append(measured(*arguments)) or shares[-1])
    assert ranks_by("auto", x, codes) == ranks_by("sort", x, codes)
    assert min(shares) < _counter.MOST_PENDING_SHARE < max(shares)
    assert len(shares) == 5  # of six blocks: after the first, of mixed classes, one goes by float32 untried


@pytest.mark.parametrize("relevant", [5, 40])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_lone_tie_with_the_least_similar_relevant_item(relevant: int, engine: _ranks.Engine) -> None:
    """All irrelevant items are far behind but one, which equals the last relevant one and stands before it in the gallery."""
    values = np.concatenate([[1.0], np.arange(relevant, 0, -1), np.zeros(600)]).astype(np.float32)[:, None]
    codes = np.concatenate([[0], np.ones(relevant), np.zeros(600)]).astype(np.intp)
    (block,) = _ranks.relevant_ranks(np.ones((1, 1), np.float32), np.array([1]), values, codes, None, engine)
    assert block.ranks.tolist() == [*range(1, relevant), relevant + 1]


@pytest.mark.parametrize("classes", [1, 50])
@pytest.mark.parametrize("engine", ["sort", "float32"])
def test_blocks_keep_to_their_memory(classes: int, engine: _ranks.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be the classes large or small, a block takes no more than the limit, and no less than half of it."""
    monkeypatch.setattr(_ranks, "BLOCK_BYTES", 200_000)
    monkeypatch.setattr(_ranks, "BYTES_PER_QUERY", 2_000)
    x, codes = np.eye(400, dtype=np.float32), np.arange(400) % classes
    blocks = list(_ranks.relevant_ranks(x, codes, x, codes, np.arange(400), engine))
    each = 40 * 400 if engine == "sort" else 2_000 + _ranks.BYTES_PER_RELEVANT * 400 // classes
    assert sum(len(block.queries) for block in blocks) == 400
    assert 100_000 < each * len(blocks[0].queries) <= 200_000


def test_many_items_take_wider_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 2^15 relevant items places do not fit in 16 bits; half of the values tie."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2_000, 70_000).astype(np.float32)[:, None]
    codes, query = rng.integers(0, 2, 70_000), np.ones((1, 1), np.float32)
    found = {engine: next(iter(_ranks.relevant_ranks(query, np.array([1]), values, codes, None, engine))).ranks for engine in ("sort", "float32")}
    np.testing.assert_array_equal(found["float32"], found["sort"])
