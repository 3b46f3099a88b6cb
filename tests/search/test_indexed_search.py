import threading
from pathlib import Path

import numpy as np
import pytest
from tests.search.conftest import D, N

from likeness.errors import InputError
from likeness.notions import InDiReCT
from likeness.search import IVFIndex, NotionSearch, build_index, calibrate_nprobe, nearest, search_plan
from likeness.search.indexed_search import IndexedSearch
from likeness.search.search_plan import RECALL, Calibration, plan


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if comparing all of them were felt."""
    monkeypatch.setattr(search_plan, "_CHEAP_BYTES", 0)


@pytest.mark.parametrize("exclude", [None, np.arange(7)])
@pytest.mark.parametrize("filtered", [False, True])
def test_small_spaces_are_searched_exactly(
    vectors: np.ndarray, index: IVFIndex, exclude: np.ndarray | None, filtered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("likeness.search.neighbors.GALLERY_BYTES", 300 * 4 * 16)
    search, allowed = IndexedSearch(vectors, index), (np.arange(N) % 3 == 0) if filtered else None
    found = search.nearest(vectors[:7], 9, exclude=exclude, allowed=allowed)
    rows = np.arange(N) if allowed is None else np.flatnonzero(allowed)
    for query in range(7):
        others = rows if exclude is None else rows[rows != query]
        expected = nearest(vectors[[query]], vectors[others], 9)
        np.testing.assert_array_equal(found.rows[query], others[expected.rows[0]])
        np.testing.assert_allclose(found.similarities[query], expected.similarities[0], atol=1e-6)
    assert search.exact
    assert search.message == "Exact: every image is compared."


@pytest.mark.usefixtures("large")
def test_large_ones_through_the_index_with_the_recall_that_is_told(vectors: np.ndarray, index: IVFIndex) -> None:
    search = IndexedSearch(vectors, index).wait()
    assert not search.exact
    told = float(search.message.split("%")[0].rsplit(" ", 1)[1]) / 100
    assert told >= 0.95
    found, exact = search.nearest(vectors, 10, exclude=np.arange(N)).rows, nearest(vectors, vectors, 10, exclude=np.arange(N)).rows
    assert np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found.tolist(), exact.tolist(), strict=True)]) == pytest.approx(told, abs=0.04)


@pytest.mark.usefixtures("large")
def test_a_narrow_notion_is_searched_exactly(vectors: np.ndarray, index: IVFIndex) -> None:
    fitted = InDiReCT(dim=2).fit(np.random.default_rng(1).standard_normal((40, D)))
    assert IndexedSearch(fitted.transform(vectors), index, fitted.U).wait().exact


@pytest.mark.usefixtures("large")
def test_searches_do_not_wait_for_the_calibration(vectors: np.ndarray, index: IVFIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()

    def slow(search: NotionSearch) -> Calibration:
        held.wait(600)
        return calibrate_nprobe(search)

    monkeypatch.setattr("likeness.search.indexed_search.calibrate_nprobe", slow)
    search = IndexedSearch(vectors, index)
    assert search.nearest(vectors[:1], 3).rows[0, 0] == 0
    assert "is being measured" in search.message
    held.set()
    assert search.wait().message.startswith(("Approximate: 9", "Approximate: 100"))


def test_bad_input(vectors: np.ndarray, index: IVFIndex) -> None:
    with pytest.raises(InputError, match="The space has 899 images, its index 900; build the index again"):
        IndexedSearch(vectors[1:], index)
    with pytest.raises(InputError, match="The queries have 3 dimensions"):
        IndexedSearch(vectors, index).nearest(np.ones((1, 3)), 3)


def test_an_index_file_moved_away_while_it_is_open(vectors: np.ndarray, tmp_path: Path) -> None:
    old = IndexedSearch(vectors, build_index(vectors, tmp_path / "index", cells=20))
    build_index(vectors[::-1], tmp_path / "index", cells=20)
    assert old.nearest(vectors[:1], 1).rows[0, 0] == 0


MILLION = 1_000_000


def calibrated(share_needed: float, cells: int = 4000) -> Calibration:
    """One that needs this share of the cells, all alike, for the recall that is asked for."""
    done = np.arange(1, cells + 1) / cells
    return Calibration(np.minimum(1, 1.001 * RECALL * done / share_needed), done)


@pytest.mark.parametrize(
    ("n", "m", "share", "exact"),
    [
        (2_000, 512, 0.01, True),  # cheap_exact
        (100_000, 128, 0.01, True),
        (MILLION, 512, 0.003, False),
        (MILLION, 128, 0.015, False),
        (MILLION, 16, 0.015, True),  # 64 MB of codes
        (100 * MILLION, 16, 0.015, False),
        (100 * MILLION, 2, 0.67, True),  # the nearest of a narrow notion lie everywhere, but its codes are short
        (100 * MILLION, 8, 0.084, True),
    ],
)
def test_what_reads_less(n: int, m: int, share: float, exact: bool) -> None:
    chosen = plan(n, m, 512, calibrated(share))
    approximate = f"Approximate: {chosen.recall:.0%} of the nearest are found, measured on images of this dataset."
    assert (chosen.exact, chosen.message()) == (exact, "Exact: every image is compared." if exact else approximate)
    if not exact:
        assert chosen.probes == pytest.approx(4000 * share, rel=0.01)
        assert chosen.recall >= RECALL


def test_without_an_index_it_is_exact_and_a_higher_recall_needs_more_cells() -> None:
    assert plan(100 * MILLION, 512, 512).exact
    assert plan(MILLION, 512, 512, calibrated(0.01), recall=0.99).probes > plan(MILLION, 512, 512, calibrated(0.01)).probes
