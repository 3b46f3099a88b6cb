from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.evaluation import SemanticRetrieval, retrieval_metrics, semantic_retrieval
from made_rows import cosines

MadeUp = Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]
NAMES = ["red van", "red suv", "blue van", "blue suv", "bicycle"]


def by_hand(embeddings: np.ndarray, labels: np.ndarray, neighbors: int) -> np.ndarray:
    similarities, counts = cosines(embeddings), np.zeros((5, 5), int)
    for image in range(len(labels)):
        others = [other for other in range(len(labels)) if other != image]
        for other in sorted(others, key=lambda other: -similarities[image, other])[:neighbors]:
            counts[labels[image], labels[other]] += 1
    return counts


@pytest.mark.parametrize("neighbors", [1, 7, 20, 59])
def test_counts_by_hand(made_up: MadeUp, neighbors: int) -> None:
    embeddings, labels, language = made_up()
    found = semantic_retrieval(embeddings, labels, language, neighbors, NAMES)
    np.testing.assert_array_equal(found.counts, by_hand(embeddings, labels, neighbors))
    np.testing.assert_array_equal(found.counts.sum(axis=1), neighbors * np.bincount(labels))
    assert (found.names, found.neighbors) == (NAMES, neighbors)


def test_one_neighbor_gives_precision_at_1(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up(1)
    expected = retrieval_metrics(embeddings, labels)["precision_at_1"]
    assert semantic_retrieval(embeddings, labels, language, 1).own_share == pytest.approx(expected)


@pytest.fixture
def small() -> SemanticRetrieval:
    """Three classes of 2, 3 and 5 images; the last never errs."""
    counts = np.array([[1, 3, 0], [2, 3, 1], [0, 0, 10]])
    language = np.array([[1, 0.8, 0.1], [0.8, 1, 0.3], [0.1, 0.3, 1]])
    return SemanticRetrieval(counts, language, np.array([2, 3, 5]), ["a", "b", "c"], 2)


def test_relatedness_of_errors_by_hand(small: SemanticRetrieval) -> None:
    assert small.own_share == pytest.approx(14 / 20)
    assert small.relatedness == pytest.approx((3 * 0.8 + 2 * 0.8 + 1 * 0.3) / 6)
    assert small.random_relatedness == pytest.approx((2 * 6 * 0.8 + 2 * 10 * 0.1 + 2 * 15 * 0.3) / (2 * (6 + 10 + 15)))
    table = small.per_class
    assert table["class"].tolist() == ["a", "b", "c"]
    assert table["images"].tolist() == [2, 3, 5]
    assert table["own"].tolist() == [0.25, 0.5, 1.0]
    assert table["errors"].tolist() == [3, 3, 0]
    np.testing.assert_allclose(table["relatedness"], [0.8, (2 * 0.8 + 0.3) / 3, np.nan])
    np.testing.assert_allclose(table["random"], [(3 * 0.8 + 5 * 0.1) / 8, (2 * 0.8 + 5 * 0.3) / 7, (2 * 0.1 + 3 * 0.3) / 5])


def test_all_others_as_neighbors_are_as_related_as_random_ones(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up(2)
    found = semantic_retrieval(embeddings, labels, language, 59)
    assert found.relatedness == pytest.approx(found.random_relatedness, rel=1e-12)
    np.testing.assert_allclose(found.per_class["relatedness"], found.per_class["random"], rtol=1e-12)


def test_a_space_without_errors_has_no_relatedness(made_up: MadeUp) -> None:
    labels = np.repeat(np.arange(5), 4)
    found = semantic_retrieval(np.eye(5)[labels], labels, made_up()[2], 3)
    assert (found.own_share, np.isnan(found.relatedness)) == (1.0, True)
    assert found.per_class["relatedness"].isna().all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"neighbors": 0}, "neighbors is 0, but each of the 60 images has 59 others"),
        ({"neighbors": 60}, "neighbors is 60, but each"),
        ({"labels": np.array([4] + [0, 1, 2, 3] * 14 + [0, 1, 2])}, "The class 'bicycle' has one image, which can't find its own class"),
        ({"language": np.ones((1, 1)), "labels": np.zeros(60, int)}, "one class only"),
        ({"embeddings": np.full((60, 3), np.nan)}, "row 0 holds NaN"),
    ],
)
def test_unusable_input_is_refused(made_up: MadeUp, change: dict[str, Any], message: str) -> None:
    embeddings, labels, language = made_up()
    with pytest.raises(InputError, match=message):
        semantic_retrieval(**{"embeddings": embeddings, "labels": labels, "language": language, "names": NAMES} | change)
