"""Memory-mapped stores: the same results from small parts, and never a copy of the whole."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likeness import arrays
from likeness.evaluation import _inputs, _ranks, clustering_metrics, continuous, retrieval_metrics, structure_metrics
from likeness.evaluation.class_means import class_means
from likeness.search import agreement, nearest, neighbors, overlap
from likeness.shifts import class_mean_features, frechet, frechet_distance

ROWS, DIM, CLASSES = 50_000, 128, 40  # 26 MB
LABELS = np.random.default_rng(1).integers(0, CLASSES, ROWS)
ASKING = np.arange(0, ROWS, 500)

Work = Callable[[np.ndarray], Any]
WORK: dict[str, Work] = {
    "retrieval": lambda x: retrieval_metrics(x, LABELS, rows=ASKING),
    "euclidean": lambda x: retrieval_metrics(x, LABELS, rows=ASKING, metric="euclidean"),
    "frechet": lambda x: frechet_distance(x[:8_000], x[8_000:]),
    "class means": lambda x: class_means(x, LABELS),
    "class features": lambda x: class_mean_features(x, LABELS, CLASSES),
    "structure": lambda x: list(structure_metrics(x, LABELS).values()),
    "nearest": lambda x: nearest(x[ASKING], x, 7, exclude=ASKING).rows,
    "overlap": lambda x: overlap(x, x[:, ::-1], 7, rows=ASKING),
    "continuous": lambda x: continuous.retrieve(x[ASKING], x, 7, ASKING),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    rng, file = np.random.default_rng(0), tmp_path_factory.mktemp("store") / "x.npy"
    x = rng.standard_normal((CLASSES, DIM))[LABELS] + 2 * rng.standard_normal((ROWS, DIM))
    np.save(file, x.astype(np.float32))
    return np.load(file, mmap_mode="r")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much smaller than the store as they are where there are a million rows."""
    monkeypatch.setattr(arrays, "PART_BYTES", 300_000)
    monkeypatch.setattr(_inputs, "MOST_IN_MEMORY", 0)
    monkeypatch.setattr(_ranks, "BLOCK_BYTES", 2_000_000)
    monkeypatch.setattr(_ranks, "SORTED_UP_TO", 0)
    monkeypatch.setattr(_ranks, "TILE", 500)
    monkeypatch.setattr(frechet, "_AT_ONCE", 0)
    monkeypatch.setattr(neighbors, "GALLERY_BYTES", 300_000)
    monkeypatch.setattr(neighbors, "CHUNK_BYTES", 300_000)
    monkeypatch.setattr(agreement, "MOST_ITEMS", 9)


@pytest.mark.parametrize("name", WORK)
def test_the_same_from_parts_of_a_mapped_file(name: str, store: np.ndarray, request: pytest.FixtureRequest) -> None:
    expected = WORK[name](np.array(store))
    request.getfixturevalue("small_parts")
    found = WORK[name](store)
    if isinstance(expected, dict):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in WORK if name != "overlap"])
def test_no_more_memory_than_a_share_of_the_store(name: str, store: np.ndarray, small_parts: None) -> None:
    """Overlap is left out, since its second space is no store of its own here."""
    WORK[name](store)  # what is compiled or imported once
    tracemalloc.start()
    WORK[name](store)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.55 * store.nbytes


def test_clusters_of_a_mapped_file(store: np.ndarray, small_parts: None) -> None:
    part, labels = store[:2_000], LABELS[:2_000]
    assert clustering_metrics(part, labels) == clustering_metrics(arrays.unit_rows(np.array(part), "rows"), labels, metric="euclidean")


@pytest.mark.parametrize(
    ("value", "work", "message"),
    [
        (0, lambda x: retrieval_metrics(x, LABELS), "The embeddings row 15000 is all zeros"),
        (0, lambda x: clustering_metrics(x, LABELS), "The embeddings row 15000 is all zeros"),
        (0, lambda x: nearest(x[:1], x, 3), "The gallery row 15000 is all zeros"),
        (0, lambda x: structure_metrics(x, LABELS), "Row 15000 has length 0"),
        (np.nan, lambda x: frechet_distance(x, x), "The first features are nan in row 15000, column 3"),
        (np.nan, lambda x: class_mean_features(x, LABELS, CLASSES), "features of image 15000 are not finite"),
        (np.nan, lambda x: structure_metrics(x, LABELS), "Row 15000 is not finite"),
    ],
)
def test_a_row_that_cannot_be_is_named_by_its_number(value: float, work: Work, message: str, store: np.ndarray, small_parts: None) -> None:
    x = np.array(store)
    x[15_000, 0 if value == 0 else 3 :] = value
    with pytest.raises(ValueError, match=message):
        work(x)


@pytest.mark.parametrize("rank", [DIM, DIM - 1, 3])
def test_frechet_distance_of_directions_with_little_or_no_variance(
    rank: int, store: np.ndarray, small_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the covariance has lost the small eigenvalues, the rows are asked again."""
    scale = np.where(np.arange(DIM) < rank, 10.0 ** -np.linspace(0, 7, DIM), 0)
    x = np.array(store[:1_000], np.float64) * scale
    found = frechet_distance(x[:600], x[600:])
    monkeypatch.setattr(frechet, "_AT_ONCE", 10**12)
    assert found == pytest.approx(frechet_distance(x[:600], x[600:]), rel=1e-9)
