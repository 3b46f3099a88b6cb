from pathlib import Path

import numpy as np
import pytest
from tests.search.conftest import D, N

from likeness.errors import InputError
from likeness.notions import InDiReCT, Oracle
from likeness.search import IVFIndex, NotionSearch, build_index, calibrate_nprobe, nearest


@pytest.fixture(scope="module", params=[2, 8, 24, "oracle", "raw"])
def notion(request: pytest.FixtureRequest, vectors: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """U, and all vectors in the notion's space."""
    if request.param == "raw":
        return None, vectors
    if request.param == "oracle":
        fitted = Oracle(dim=6).fit(vectors, np.arange(N) % 7)
    else:
        fitted = InDiReCT(dim=request.param).fit(np.random.default_rng(1).standard_normal((40, D)))
    return fitted.U, fitted.transform(vectors)


def test_all_cells_are_the_exact_search(index: IVFIndex, notion: tuple[np.ndarray | None, np.ndarray]) -> None:
    U, codes = notion
    found, expected = NotionSearch(index, U).nearest(codes[:60], 12, probes=25), nearest(codes[:60], codes, 12)
    np.testing.assert_allclose(found.similarities, expected.similarities, atol=2e-5)
    # which rows: rounding may swap those that are equally near, so what counts is how near the found ones are
    exact = np.einsum("qm,qkm->qk", codes[:60].astype(float), codes[found.rows].astype(float))
    np.testing.assert_allclose(exact, expected.similarities, atol=2e-6)
    assert all(len(set(row)) == 12 for row in found.rows.tolist())
    assert found.rows.dtype == np.int64


def test_few_cells_find_those_of_these_cells(index: IVFIndex, notion: tuple[np.ndarray | None, np.ndarray]) -> None:
    U, codes = notion
    search = NotionSearch(index, U)
    for query in range(10):
        cells = search.view.order(codes[[query]])[0][:4]
        inside = np.sort(np.concatenate([index.rows[index.cell(int(cell))] for cell in cells]))
        expected = inside[nearest(codes[[query]], codes[inside], 5).rows[0]]
        np.testing.assert_array_equal(search.nearest(codes[[query]], 5, probes=4).rows[0], expected)


def test_first_cells_are_those_whose_centers_are_nearest_in_the_notion(index: IVFIndex) -> None:
    fitted = InDiReCT(dim=3).fit(np.random.default_rng(1).standard_normal((40, D)))
    codes = fitted.transform(index.vectors[:5])
    expected = np.argsort(-(codes @ fitted.transform(index.centers).T), axis=1)
    np.testing.assert_array_equal(NotionSearch(index, fitted.U).view.order(codes.astype(np.float32))[:, :10], expected[:, :10])


def test_calibration_counts_what_each_number_of_cells_finds(index: IVFIndex, notion: tuple[np.ndarray | None, np.ndarray]) -> None:
    U, codes = notion
    search = NotionSearch(index, U)
    told = calibrate_nprobe(search, queries=20, k=6, seed=3)
    places = np.sort(np.random.default_rng(3).choice(N, 20, replace=False))
    queries = index.rows[places]
    exact = nearest(codes[queries], codes, 6, exclude=queries).rows
    sizes, cell_of = np.diff(index.starts), np.empty(N, int)
    cell_of[index.rows] = np.repeat(np.arange(25), sizes)
    for probes in (1, 2, 5, 13, 25):
        found = search.nearest(codes[queries], 6, exclude=queries, probes=probes).rows
        # where the first cells hold fewer than six, a search goes on and the calibration does not
        shared = [len(set(a) & set(b)) for a, b in zip(found.tolist(), exact.tolist(), strict=True)]
        assert told.recall[probes - 1] <= np.mean(shared) / 6 + 0.01
        first = search.view.order(codes[queries].astype(np.float32))[:, :probes]
        inside = [np.isin(cell_of[row], cells).mean() for row, cells in zip(exact, first, strict=True)]
        assert told.recall[probes - 1] == pytest.approx(np.mean(inside), abs=0.01)
        assert told.share[probes - 1] == pytest.approx(np.mean(sizes[first].sum(axis=1)) / N)
    assert told.recall[-1] == pytest.approx(1)
    assert told.recall[told.probes(0.9) - 1] >= 0.9
    assert told.probes(0.9) == 1 or told.recall[told.probes(0.9) - 2] < 0.9


def test_calibration_in_parts(index: IVFIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = calibrate_nprobe(NotionSearch(index), queries=30)
    monkeypatch.setattr("likeness.search.search_plan._PART", 64)
    np.testing.assert_allclose(calibrate_nprobe(NotionSearch(index), queries=30).recall, whole.recall)


def test_what_is_excluded_or_not_allowed_is_not_found_and_does_not_count_as_found(index: IVFIndex, vectors: np.ndarray) -> None:
    search, allowed = NotionSearch(index), np.arange(N) % 50 == 0
    assert len(search.around(vectors[:1], vectors[:1], 18, allowed=allowed, probes=1)[0]) == 18  # goes on until there are enough
    assert len(search.around(vectors[:1], vectors[:1], 10**6, probes=1)[0]) == N
    found = search.nearest(vectors[:20], 10, allowed=allowed, exclude=np.arange(20), probes=3).rows
    assert (found % 50 == 0).all()
    assert not (found == np.arange(20)[:, None]).any()
    assert all(len(set(row)) == 10 for row in found.tolist())
    assert search.nearest(vectors[[5]], 1, exclude=[-1]).rows[0, 0] == 5
    assert search.nearest(vectors[[5]], 40, allowed=allowed).rows.shape == (1, 18)
    # a first cell of just as many images as are wanted is not enough where the query is one of them
    query, size = int(index.rows[0]), index.cell(0).stop
    left = search.nearest(vectors[[query]], size, exclude=[query], probes=1).rows[0]
    assert (len(set(left.tolist())), query in left) == (size, False)


@pytest.mark.parametrize("filtered", [False, True])
def test_around_places_all_images_of_the_nearest_cells_are_compared(
    index: IVFIndex, notion: tuple[np.ndarray | None, np.ndarray], filtered: bool
) -> None:
    U, codes = notion
    search, allowed = NotionSearch(index, U), (np.arange(N) % 3 == 0) if filtered else None
    near, places = codes[[3, 500]], codes[[3, 7, 500]]
    rows, similarities = search.around(near, places, allowed=allowed, probes=4)
    first = np.argsort(-(search.view.codes(index.centers)[0] @ near.T).max(axis=1), kind="stable")[:4]
    inside = np.concatenate([index.rows[index.cell(int(cell))] for cell in first])
    np.testing.assert_array_equal(rows, inside if allowed is None else inside[allowed[inside]])
    np.testing.assert_allclose(similarities, places @ codes[rows].T, atol=2e-5)


def test_equal_similarities_come_in_row_order_and_an_image_outside_the_notion_is_like_nothing(tmp_path: Path) -> None:
    same = np.repeat(np.eye(4, dtype=np.float32)[:2], 30, axis=0)
    found = NotionSearch(build_index(same, tmp_path / "same", cells=2)).nearest(same[[40]], 33)
    assert found.rows[0].tolist() == [*range(30, 60), 0, 1, 2]
    rows = np.eye(4, dtype=np.float32)[[0, 1, 2, 3, 0]]
    found = NotionSearch(build_index(rows, tmp_path / "index", cells=1), np.eye(4)[:, :2]).nearest([[0.6, 0.8]], 5)
    np.testing.assert_array_equal(found.rows, [[1, 0, 4, 2, 3]])
    np.testing.assert_allclose(found.similarities, [[0.8, 0.6, 0.6, 0, 0]], atol=1e-6)


@pytest.mark.parametrize(
    ("U", "queries", "options", "message"),
    [
        (np.ones((23, 2)), np.ones((1, 2)), {}, "fitted in 23 dimensions, the index has 24"),
        (np.eye(D)[:, :3], np.ones((2, D)), {}, "The queries have 24 dimensions, the space 3"),
        (np.eye(D)[:, :3], np.ones((1, 3)), {"k": 0}, "k is 0"),
    ],
)
def test_bad_input(index: IVFIndex, U: np.ndarray, queries: np.ndarray, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        NotionSearch(index, U).nearest(queries, **{"k": 3} | options)
