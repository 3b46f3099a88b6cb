import json
import tracemalloc
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.labels import (
    LabelsConfig,
    MatrixLabels,
    caption_distances,
    captions,
    label_distances,
    nearest,
    nearest_labels,
    shuffled_labels,
    word_movers_distance,
)
from likeness.labels.captions import STOP_WORDS, Bag, CaptionLabels, words_of
from likeness.labels.protocol import BoundedDistances

VOCABULARY = 25
NO_VECTORS = np.empty((VOCABULARY, 0))  # costs are given


def costs(seed: int, dim: int = 4) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(VOCABULARY, dim))
    return cdist(vectors, vectors)


def bag(rng: np.random.Generator, most: int = 6) -> Bag:
    words, counts = np.unique(rng.integers(0, VOCABULARY, rng.integers(1, most + 1)), return_counts=True)
    return Bag(words.astype(np.int64), counts / counts.sum())


def even(words: np.ndarray) -> Bag:
    kinds = np.unique(words).astype(np.int64)
    return Bag(kinds, np.full(len(kinds), 1 / len(kinds)))


def images(seed: int, count: int = 8, most: int = 5) -> list[list[Bag]]:
    rng = np.random.default_rng(seed)
    return [[bag(rng) for _ in range(rng.integers(1, most + 1))] for _ in range(count)]


def programmed(a: Bag, b: Bag, between: np.ndarray) -> float:
    """Kusner et al., Eq. 1, as a linear program over flows."""
    rows, columns = len(a.words), len(b.words)
    leaving, arriving = np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))
    cost = between[np.ix_(a.words, b.words)].ravel()
    return float(linprog(cost, A_eq=np.vstack([leaving, arriving]), b_eq=np.concatenate([a.shares, b.shares])).fun)


def chamfer(apart: np.ndarray) -> float:
    """Of each row the nearest column, and of each column the nearest row."""
    return float(apart.min(axis=1).sum() + apart.min(axis=0).sum())


def eq13(ours: list[Bag], theirs: list[Bag], between: np.ndarray) -> float:
    return chamfer(np.array([[word_movers_distance(a, b, between) for b in theirs] for a in ours]))


@pytest.mark.parametrize("seed", range(25))
def test_the_word_movers_distance_is_that_of_linear_programming(seed: int) -> None:
    rng, between = np.random.default_rng(seed), costs(seed)
    a, b = bag(rng, 9), bag(rng, 9)
    assert word_movers_distance(a, b, between) == pytest.approx(programmed(a, b, between), abs=1e-9)


@given(st.integers(0, 100_000))
@settings(max_examples=40)
def test_pruning_never_changes_a_value(seed: int) -> None:
    """Also with words of one meaning, whose costs are 0, and with bounds that tie."""
    between = costs(seed, dim=1 + seed % 3).round(seed % 4)
    ours, theirs = images(seed, 2)
    found = CaptionLabels([ours, theirs], between, NO_VECTORS).between(np.array([0]), np.array([1]))[0, 0]
    assert found == pytest.approx(eq13(ours, theirs, between), rel=1e-6, abs=1e-6)


def test_pruning_solves_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each image has a caption of its own and one that both have."""
    shared, counted = bag(np.random.default_rng(0)), MagicMock(wraps=word_movers_distance)
    given = [[*each, shared] for each in images(3, 2, 5)]
    monkeypatch.setattr(captions, "word_movers_distance", counted)
    CaptionLabels(given, costs(3), NO_VECTORS).between(np.arange(2), np.arange(2))
    assert 0 < counted.call_count < len(given[0]) * len(given[1])


class TestWords:
    def test_words_that_mean_nothing_are_left_out(self) -> None:
        assert words_of("A Red bus, and the red BUS!") == ["red", "bus", "red", "bus"]
        assert words_of("It is in there") == ["it", "is", "in", "there"]
        assert words_of("Ein Café's 2nd t-shirt") == ["ein", "café", "2nd", "shirt"]
        assert words_of(" ... ") == []
        assert {"a", "of", "with"} < STOP_WORDS

    @pytest.fixture
    def vectors(self, tmp_path: Path) -> str:
        file = tmp_path / "words.txt"
        file.write_text("red 0 0\nbus 0 3\ncar 4 3\nblue 0 1\nthe 9 9\n", encoding="utf-8")
        return f"vectors:{file}"

    def test_from_a_file_of_word_vectors(self, vectors: str) -> None:
        """The red bus and a red car: half of the words are the same, half go 4; unknown words are left out."""
        labels = caption_distances([["The red bus"], ["a red zebra car"], ["red red bus car"]], vectors)
        found = labels.between(np.arange(3), np.arange(3))
        # third: red 1/2, bus 1/4, car 1/4; to the first a quarter goes from car to bus, to the second one from bus to car
        np.testing.assert_allclose(found, [[0, 2 * 2, 2 * 1], [4, 0, 2 * 1], [2, 2, 0]], rtol=1e-6)

    def test_from_a_language_model(self) -> None:
        found = caption_distances([["a dog runs"], ["a puppy runs"], ["an airplane lands"]]).between(np.arange(3), np.arange(3))
        assert 0 < found[0, 1] < found[0, 2]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ([["red bus"], []], "Image 1 has no caption, or one without words, and 0 more; write one or remove these images"),
            ([["red bus", " ?! "], [], ["car"]], "Image 0 has no caption, or one without words, and 1 more"),
            ([["red"], ["bus", "a green zebra"]], "None of the words of the caption 'green zebra' of image 1 is known to 'vectors:.*'; rewrite"),
            ([], "There are no images to compare by their captions; pass at least one"),
        ],
    )
    def test_errors(self, vectors: str, given: list[list[str]], message: str) -> None:
        with pytest.raises(InputError, match=message):
            caption_distances(given, vectors)
        with pytest.raises(InputError, match=r"There is no file of word vectors '.*none\.txt'; give the \.txt file of GloVe"):
            caption_distances([["red"]], f"{vectors}/none.txt")


class TestOnDemand:
    """Distances that are computed when asked for, of vocabularies and sets too large for matrices of all pairs."""

    @staticmethod
    def labels(seed: int, count: int = 30, held: bool = False) -> CaptionLabels:
        vectors = np.random.default_rng(seed).normal(size=(VOCABULARY, 4)) + 3
        return CaptionLabels(images(seed, count), cdist(vectors, vectors) if held else None, vectors)

    @pytest.mark.parametrize("seed", range(4))
    def test_costs_of_the_words_at_hand_are_those_of_all(self, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(captions, "_BLOCK", 7)
        rows, columns = np.array([3, 29, 0, 3]), np.arange(30)
        given, vectors = images(seed, 30), np.random.default_rng(seed).normal(size=(VOCABULARY, 4)) + 3
        expected = [[eq13(given[row], given[column], cdist(vectors, vectors)) for column in columns] for row in rows]
        for held in (True, False):
            labels = self.labels(seed, held=held)
            found = labels.between(rows, columns)
            assert (len(labels), labels.unit, found.dtype) == (30, "word mover's distance", np.float32)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
            assert found[0, 3] == found[1, 29] == found[2, 0] == 0

    @given(st.integers(0, 100_000))
    @settings(max_examples=40)
    def test_bounds_are_below_the_distances_and_not_idle(self, seed: int) -> None:
        labels = self.labels(seed, 9)
        rows, columns = np.array([8, 1, 1]), np.array([0, 5, 8, 1])
        bounds, apart = labels.lower_bounds(rows, columns), labels.between(rows, columns)
        assert (bounds <= apart + 1e-5).all()
        assert (bounds > 0.2 * apart).mean() > 0.5
        centers = [np.array([bag.shares @ labels.vectors[bag.words] for bag in image]) for image in labels.bags]
        by_hand = [[chamfer(cdist(centers[row], centers[column])) for column in columns] for row in rows]
        np.testing.assert_allclose(bounds, by_hand, rtol=2e-2, atol=0.1)

    @pytest.mark.parametrize("k", [1, 5, 29])
    @pytest.mark.parametrize("seed", range(3))
    def test_the_nearest_are_those_of_all_pairs(self, seed: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(nearest, "_AT_ONCE", 3)
        labels = self.labels(seed)
        rows = np.random.default_rng(seed).permutation(30)
        found = nearest_labels(labels, rows, k, seed=0)
        plain = nearest_labels(MatrixLabels(labels.between(np.arange(30), np.arange(30))), rows, k, seed=0)
        np.testing.assert_array_equal(found, plain)

    @pytest.mark.parametrize("bounded", [True, False])
    def test_the_nearest_by_labels_of_others_are_those_of_all_pairs(self, bounded: bool) -> None:
        every, own = np.arange(30), self.labels(0)
        matrix = MatrixLabels(own.between(every, every))
        labels = shuffled_labels(own if bounded else matrix, every[:20], np.random.default_rng(0))
        assert isinstance(labels, BoundedDistances)
        assert (labels.lower_bounds(every, every) is None) != bounded
        expected = nearest_labels(MatrixLabels(labels.between(every, every)), every[:20], 4, seed=0)
        np.testing.assert_array_equal(nearest_labels(labels, every[:20], 4, seed=0), expected)
        assert (labels.between(every, every) != matrix.matrix).mean() > 0.5
        assert (len(labels), labels.unit) == (30, own.unit if bounded else "")

    def test_few_of_all_pairs_are_solved(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Groups of images that speak of one thing."""
        rng, solved, exact = np.random.default_rng(0), list[int](), CaptionLabels.between
        vectors = np.repeat(10 * rng.normal(size=(20, 8)), 10, axis=0) + rng.normal(size=(200, 8))
        labels = CaptionLabels([[even(10 * (image // 10) + rng.integers(0, 10, 4)) for _ in range(3)] for image in range(200)], None, vectors)

        counted = lambda self, rows, columns: solved.append(len(rows) * len(columns)) or exact(self, rows, columns)  # noqa: E731
        monkeypatch.setattr(CaptionLabels, "between", counted)
        nearest_labels(labels, np.arange(200), 5)
        assert sum(solved) < 0.2 * 200 * 199

    def test_large_sets_are_not_stored(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        frame = pd.DataFrame([{"path": f"{number}.png", "captions": json.dumps([f"word{number} red"])} for number in range(12)])
        file = tmp_path / "words.txt"
        file.write_text("\n".join(f"{word} {x} {x * x % 7}" for x, word in enumerate(["red", *(f"word{number}" for number in range(12))])))
        table = ImageTable("made up", tmp_path, frame)
        options = LabelsConfig(kind="captions", language=f"vectors:{file}")
        stored, every = label_distances(table, options), np.arange(12)
        assert isinstance(stored, MatrixLabels)
        for limit in ("_MOST_STORED", "_MOST_WORDS"):
            monkeypatch.setattr(captions, limit, 5)
            asked = label_distances(table, options)
            assert isinstance(asked, CaptionLabels)
            np.testing.assert_allclose(asked.between(every, every), stored.between(every, every), atol=1e-5)

    def test_memory_stays_far_below_all_pairs(self) -> None:
        rng = np.random.default_rng(0)
        bags = [[even(rng.integers(0, 5_000, 5)) for _ in range(2)] for _ in range(3_000)]
        labels = CaptionLabels(bags, None, rng.normal(size=(5_000, 16)))
        tracemalloc.start()
        bounds = labels.lower_bounds(np.arange(100), np.arange(3_000))
        labels.between(np.arange(40), np.arange(40))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert bounds.shape == (100, 3_000)
        assert peak < 3_000**2 * 4 / 2, f"{peak:,} bytes"
