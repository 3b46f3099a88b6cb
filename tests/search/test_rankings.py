"""Rankings: against loops written from the papers' equations or plain NumPy, and where there is little to rank."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.search import PRECISIONS, Query, code_index, find_ranking, rank, rankings, scan
from likeness.space import Space
from made_rows import clusters, unit

K_RECIPROCAL = "k-reciprocal:k1={},k2={},weight={}"


def space(n: int = 70, d: int = 6, seed: int = 0) -> np.ndarray:
    return unit(clusters(n, d, 5, 0.6, seed)[0].astype(np.float64)).astype(np.float32)


def slow_k_reciprocal(pool: np.ndarray, k1: int, k2: int, weight: float) -> np.ndarray:
    """1 - d*(p, g) of all pairs of a pool: Zhong et al., Eq. 1 to 12, one pair at a time."""
    n = len(pool)
    squares = [[max(0.0, 2 - 2 * float(pool[p].astype(float) @ pool[g].astype(float))) for g in range(n)] for p in range(n)]
    d = [[value / max(row) if max(row) > 1e-6 else value for value in row] for row in squares]

    @cache
    def near(p: int, k: int) -> list[int]:  # N(p, k), and p
        return [p, *sorted((g for g in range(n) if g != p), key=lambda g: (round(d[p][g], 6), g))][: k + 1]

    @cache
    def reciprocal(p: int, k: int) -> set[int]:  # R(p, k)
        return {g for g in near(p, k) if p in near(g, k)}

    def expanded(p: int) -> set[int]:  # R*(p, k1)
        found = set(reciprocal(p, k1))
        for q in reciprocal(p, k1):
            half = reciprocal(q, round(k1 / 2))
            if 3 * len(reciprocal(p, k1) & half) >= 2 * len(half):
                found |= half
        return found

    V = []
    for p in range(n):
        members = expanded(p)
        row = [math.exp(-d[p][g]) if g in members else 0.0 for g in range(n)]
        V.append([value / sum(row) for value in row])
    local = [[sum(V[g][j] for g in near(p, k2 - 1)) / len(near(p, k2 - 1)) for j in range(n)] for p in range(n)]
    found = np.empty((n, n))
    for p in range(n):
        for g in range(n):
            smaller = sum(min(a, b) for a, b in zip(local[p], local[g], strict=True))
            larger = sum(max(a, b) for a, b in zip(local[p], local[g], strict=True))
            found[p, g] = 1 - ((1 - weight) * (1 - smaller / larger) + weight * d[p][g])
    return found


def slow_expansion(query: np.ndarray, gallery: np.ndarray, own: int, n: int, alpha: float) -> np.ndarray:
    """Radenovic et al., section 3.3: the weighted mean of the query and its n nearest, of unit length."""
    others = sorted((i for i in range(len(gallery)) if i != own), key=lambda i: (-float(gallery[i] @ query), i))[:n]
    total = query.astype(float)
    for i in others:
        total = total + max(0.0, float(gallery[i] @ query)) ** alpha * gallery[i]
    return total / np.linalg.norm(total)


def all_blocks(name: str, gallery: np.ndarray, queries: np.ndarray, own: Any) -> np.ndarray:
    return np.vstack([block for _, block in find_ranking(name)(gallery, queries, np.asarray(own))])


@pytest.mark.parametrize(("k1", "k2", "weight"), [(20, 6, 0.3), (7, 1, 0.0), (4, 3, 0.5), (1, 1, 1.0), (200, 300, 0.3)])
@pytest.mark.parametrize("chunk", [32_000_000, 8 * 75 * 9])
def test_k_reciprocal_equals_the_papers_equations_in_a_loop(k1: int, k2: int, weight: float, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rankings, "CHUNK_BYTES", chunk)
    gallery, queries = space(), space(5, seed=1)
    name = K_RECIPROCAL.format(k1, k2, weight)
    alone = slow_k_reciprocal(gallery, k1, k2, weight)
    np.testing.assert_allclose(all_blocks(name, gallery, gallery, np.arange(70)), alone, atol=2e-6)
    mixed = slow_k_reciprocal(np.vstack([gallery, queries[:3]]), k1, k2, weight)
    found = all_blocks(name, gallery, np.vstack([queries[:1], gallery[[4]], queries[1:3]]), [-1, 4, -1, -1])
    np.testing.assert_allclose(found, mixed[[70, 4, 71, 72], :70], atol=2e-6)


@pytest.mark.parametrize(("n", "alpha"), [(10, 3.0), (1, 0.0), (500, 1.5)])
@pytest.mark.parametrize("database", ["true", "false"])
def test_alpha_expansion_equals_its_sum_in_a_loop(n: int, alpha: float, database: str) -> None:
    gallery, queries = space(), space(3, seed=1)
    images = np.array([slow_expansion(row, gallery, i, n, alpha) for i, row in enumerate(gallery)])
    queries, own = np.vstack([queries, gallery[[9]]]), [-1, -1, -1, 9]
    expanded = np.array([slow_expansion(row, gallery, i, n, alpha) for row, i in zip(queries, own, strict=True)])
    found = all_blocks(f"alpha-qe:n={n},alpha={alpha},database={database}", gallery, queries, own)
    # a product of an image with an expanded query that leaves it out, and one that has all images, are different sums
    np.testing.assert_allclose(found, expanded @ (images if database == "true" else gallery).T, atol=1e-5)


def test_by_hand() -> None:
    """Two pairs of equal images: each pair shares all its reciprocal neighbors, and none with the other pair."""
    pairs = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], np.float32)
    found = all_blocks("k-reciprocal:k1=1,k2=1", pairs, pairs, np.arange(4))
    np.testing.assert_allclose(found, np.kron(np.eye(2), np.ones((2, 2))), atol=1e-6)  # d is 0, or the largest of its row
    near = np.array([[0.6, 0.8]], np.float32)
    # of (1, 0), (0, 1): q + .6 (1, 0) + .8 (0, 1) with alpha 1 is (1.2, 1.6), the direction of q
    np.testing.assert_allclose(all_blocks("alpha-qe:n=2,alpha=1", pairs[1:3], near, [-1]), [[0.6, 0.8]], atol=1e-6)
    # with alpha 2 it is q + (.36, .64) = (.96, 1.44)
    np.testing.assert_allclose(all_blocks("alpha-qe:n=2,alpha=2", pairs[1:3], near, [-1]), np.array([[2, 3]]) / np.sqrt(13), atol=1e-6)


def test_a_query_that_no_image_has_as_a_neighbor_keeps_its_order() -> None:
    """Its set is itself; what is left are averages over its k2 nearest, and with k2 = 1 distances alone."""
    rows = np.random.default_rng(0).normal(0, 0.2, (61, 8)) + 1
    rows[-1] = -1
    gallery, query = np.split(unit(rows).astype(np.float32), [60])
    found = rank("k-reciprocal:k1=3,k2=1", gallery, query, 60)
    np.testing.assert_array_equal(found.rows, scan(gallery, query, 60).rows)
    assert found.similarities.max() <= 0.3  # the Jaccard distance is 1


@pytest.mark.parametrize("name", ["k-reciprocal", "alpha-qe", "alpha-qe:database=true", "int8", "binary"])
def test_few_or_equal_images(name: str) -> None:
    one = np.array([[0.6, 0.8]], np.float32)
    assert rank(name, one, one, 5).rows.tolist() == [[0]]
    with pytest.raises(InputError, match="No image is left to search"):
        rank(name, one, one, 5, exclude=[0])
    assert all_blocks(name, one, one, [0]).shape == (1, 1)
    two = np.array([[0.6, 0.8], [1, 0]], np.float32)
    assert rank(name, two, two, 5, exclude=[0, 1]).rows.tolist() == [[1], [0]]
    equal = np.repeat(one, 50, axis=0)
    found = rank(name, equal, equal[:1], 50, exclude=[0])
    assert sorted(found.rows[0]) == list(range(1, 50))
    assert np.isfinite(found.similarities).all()
    zeros = np.vstack([np.zeros((3, 2), np.float32), two])  # what a notion maps to nothing
    assert np.isfinite(rank(name, zeros, two[:1], 5).similarities).all()


@pytest.mark.parametrize("name", ["k-reciprocal", "alpha-qe", "alpha-qe:database=true", "int8", "binary"])
def test_what_is_excluded_or_not_allowed_is_no_ones_neighbor(name: str) -> None:
    gallery, rows = space(), np.array([3, 8, 11, 12, 20, 40, 41, 42, 69])
    allowed = np.isin(np.arange(70), rows)
    found = rank(name, gallery, gallery[[8, 0]], 20, exclude=[8, 0], allowed=allowed)
    alone = rank(name, gallery[rows], gallery[[8, 0]], 20, exclude=[1, -1])
    np.testing.assert_array_equal(found.rows, rows[alone.rows])
    np.testing.assert_array_equal(found.similarities, alone.similarities)
    assert found.rows.shape == (2, 8)
    assert 8 not in found.rows[0]
    new = unit(gallery[[8]] + 0.01)  # an image that is no row of the gallery, and hides one
    assert 8 not in rank(name, gallery, new, 69, exclude=[8]).rows
    for wrong in ({"exclude": [0, 1]}, {"allowed": np.ones(3, bool)}):
        with pytest.raises(InputError, match="must hold"):
            rank(name, gallery, gallery[[8]], 3, **wrong)


def test_of_many_images_those_near_the_query_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = space()
    near = np.sort(scan(gallery, gallery[[5]], 30).rows[0])
    expected = rank("k-reciprocal", gallery, gallery[[5]], 10, exclude=[5], allowed=np.isin(np.arange(70), near))
    whole = rank("alpha-qe", gallery, gallery[[5]], 69, exclude=[5])
    monkeypatch.setattr(rankings, "MOST_COMPARED", 30)
    found = rank("k-reciprocal", gallery, gallery[[5]], 10, exclude=[5])
    np.testing.assert_array_equal(found.rows, expected.rows)
    assert rank("alpha-qe:database=true", gallery, gallery[[5]], 69, exclude=[5]).rows.shape == (1, 29)
    np.testing.assert_array_equal(rank("alpha-qe", gallery, gallery[[5]], 69, exclude=[5]).rows, whole.rows)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("best", "There is no ranking 'best'; choose from cosine, k-reciprocal, alpha-qe, int8, binary"),
        ("", "There is no ranking ''"),
        ("k-reciprocal:k3=1", "The ranking 'k-reciprocal' has no option 'k3'; it has k1, k2, weight"),
        ("k-reciprocal:k1=0", "k-reciprocal.k1 is 0; choose a whole number of at least 1"),
        ("k-reciprocal:k1=2.5", "k-reciprocal.k1 is 2.5; choose a whole number"),
        ("k-reciprocal:weight=1.5", "k-reciprocal.weight is 1.5; choose a number from 0 to 1"),
        ("k-reciprocal:weight=NaN", "k-reciprocal.weight is nan; choose a number from 0 to 1"),
        ("k-reciprocal:k1", "The option 'k1' of 'k-reciprocal' is not valid JSON"),
        ("k-reciprocal:k1=[1]", r"k-reciprocal.k1 is \[1\]; choose"),
        ("int8:n=1", "The ranking 'int8' has no option 'n'; it has none"),
        ("binary:candidates=-1", "binary.candidates is -1; choose a whole number of at least 0"),
        ("alpha-qe:n=0", "alpha-qe.n is 0"),
        ("alpha-qe:alpha=-1", "alpha-qe.alpha is -1"),
        ("alpha-qe:alpha=Infinity", "alpha-qe.alpha is inf"),
        ("alpha-qe:database=1", "alpha-qe.database is 1; choose true or false"),
    ],
)
def test_a_name_or_option_that_is_none_is_answered(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_ranking(name)


def test_int8_and_binary_equal_plain_numpy() -> None:
    gallery, queries = space(70, 13), space(4, 13, seed=1)
    low, width = gallery.min(axis=0), np.ptp(gallery, axis=0)
    codes = np.floor((gallery - low) / width * np.float32(255))  # of faiss: the number of whole steps, decoded as their middle
    np.testing.assert_allclose(all_blocks("int8", gallery, queries, [-1] * 4), queries @ (low + (codes + 0.5) / 255 * width).T, atol=1e-6)
    differing = ((queries[:, None] > 0) != (gallery > 0)).sum(axis=2)
    np.testing.assert_array_equal(all_blocks("binary:candidates=0", gallery, queries, [-1] * 4), -2 - differing)
    found, expected = all_blocks("binary:candidates=9", gallery, queries, [-1] * 4), -2.0 - differing
    for query, best in enumerate(np.argsort(differing, axis=1, kind="stable")[:, :9]):
        expected[query, best] = gallery[best] @ queries[query]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_array_equal(rank("binary", gallery, queries, 70).rows, scan(gallery, queries, 70).rows)  # all are candidates


@pytest.mark.parametrize("precision", PRECISIONS)
def test_codes_do_not_depend_on_parts(precision: str) -> None:
    import faiss

    rows = space(70, 13)
    whole = code_index(lambda: [rows], 13, precision)
    parts = code_index(lambda: (rows[begin : begin + 9] for begin in range(0, 70, 9)), 13, precision)
    first, second = (faiss.vector_to_array(index.xb if precision == "binary" else index.codes) for index in (whole, parts))
    np.testing.assert_array_equal(first, second)
    assert (parts.ntotal, parts.code_size) == (70, {"float32": 52, "int8": 13, "binary": 2}[precision])


@pytest.mark.parametrize("name", ["k-reciprocal:k1=5,k2=2", "alpha-qe", "int8", "binary:candidates=3"])
def test_a_space_is_searched_and_measured_by_it(name: str, tmp_path: Path) -> None:
    rows, labels = clusters(60, 8, 4, 0.8)
    base = Space(rows, labels={"kind": labels})
    expected = rank(name, base.vectors, base.vectors[[7]], 59, exclude=[7])
    for searched in (base, base.build_index(tmp_path / name[:4], cells=2)):
        hits = searched.nearest(7, 59, ranking=name)
        np.testing.assert_array_equal(hits.rows, expected.rows[0])
        np.testing.assert_array_equal(hits.similarities, expected.similarities[0])
    assert base.nearest(rows[:3], 4, ranking=name).rows.shape == (3, 4)
    first = [base.nearest(row, 1, ranking=name).rows[0] for row in range(60)]
    found = base.metrics("kind", ["precision_at_1", "nmi"], ranking=name)
    assert found["precision_at_1"] == pytest.approx((labels[first] == labels).mean())
    assert found["nmi"] == base.metrics("kind", "nmi")["nmi"]
    twice = pd.DataFrame({"path": [f"{number % 30}.png" for number in range(60)]})
    repeated = Space(np.tile(base.vectors[:30], (2, 1)), twice)  # an image in two rows is one image
    np.testing.assert_array_equal(repeated.nearest(7, 29, ranking=name).rows, base[:30].nearest(7, 29, ranking=name).rows)
    with pytest.raises(InputError, match="A composed query has a ranking of its own; remove 'int8'"):
        base.nearest(Query([(1, 3), (1, 4)]), ranking="int8")
    with pytest.raises(InputError, match="There is no ranking 'euclidean'; choose from cosine, k-reciprocal"):
        base.nearest(3, ranking="euclidean")
