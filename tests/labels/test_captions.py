"""Word mover's distance against linear programming and POT, Eq. 13 against loops without pruning."""

from pathlib import Path

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from likeness.errors import InputError
from likeness.labels import caption_distances, captions, word_movers_distance
from likeness.labels.captions import STOP_WORDS, Bag, CaptionLabels, words_of

VOCABULARY = 25


def costs(seed: int, dim: int = 4) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(VOCABULARY, dim))
    return cdist(vectors, vectors)


def bag(rng: np.random.Generator, most: int = 6) -> Bag:
    words, counts = np.unique(rng.integers(0, VOCABULARY, rng.integers(1, most + 1)), return_counts=True)
    return Bag(words.astype(np.int64), counts / counts.sum())


def images(seed: int, count: int = 8, most: int = 5) -> list[list[Bag]]:
    rng = np.random.default_rng(seed)
    return [[bag(rng) for _ in range(rng.integers(1, most + 1))] for _ in range(count)]


def programmed(a: Bag, b: Bag, between: np.ndarray) -> float:
    """Kusner et al., Eq. 1, as a linear program over flows."""
    rows, columns = len(a.words), len(b.words)
    leaving, arriving = np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))
    cost = between[np.ix_(a.words, b.words)].ravel()
    return float(linprog(cost, A_eq=np.vstack([leaving, arriving]), b_eq=np.concatenate([a.shares, b.shares])).fun)


def eq13(ours: list[Bag], theirs: list[Bag], between: np.ndarray) -> float:
    there = sum(min(word_movers_distance(a, b, between) for b in theirs) for a in ours)
    return there + sum(min(word_movers_distance(a, b, between) for a in ours) for b in theirs)


class TestWordMoversDistance:
    def test_by_hand(self) -> None:
        """Words on a line at 0, 1, 5 and 7: half of the first sentence's weight goes 0 to 1, a quarter 5 to 1, a quarter 5 to 7."""
        points = np.array([[0.0], [1], [5], [7]])
        a, b = Bag(np.array([0, 2]), np.array([0.5, 0.5])), Bag(np.array([1, 3]), np.array([0.75, 0.25]))
        assert word_movers_distance(a, b, cdist(points, points)) == pytest.approx(0.5 * 1 + 0.25 * 4 + 0.25 * 2)

    @pytest.mark.parametrize("seed", range(25))
    def test_against_linear_programming_and_pot(self, seed: int) -> None:
        rng, between = np.random.default_rng(seed), costs(seed)
        a, b = bag(rng, 9), bag(rng, 9)
        found = word_movers_distance(a, b, between)
        assert found == pytest.approx(programmed(a, b, between), abs=1e-9)
        shares = np.zeros((2, VOCABULARY))
        shares[0, a.words], shares[1, b.words] = a.shares, b.shares
        assert found == pytest.approx(float(ot.emd2(shares[0], shares[1], between)), abs=1e-9)

    def test_one_word_goes_everywhere(self) -> None:
        between = costs(0)
        a, b = Bag(np.array([3]), np.array([1.0])), Bag(np.array([1, 4, 9]), np.array([0.5, 0.25, 0.25]))
        assert word_movers_distance(a, b, between) == pytest.approx(between[3, [1, 4, 9]] @ b.shares)
        assert word_movers_distance(b, a, between) == pytest.approx(between[3, [1, 4, 9]] @ b.shares)

    @given(st.integers(0, 10_000))
    @settings(max_examples=60)
    def test_it_is_a_metric(self, seed: int) -> None:
        rng, between = np.random.default_rng(seed), costs(seed)
        a, b, c = (bag(rng) for _ in range(3))
        assert word_movers_distance(a, a, between) == pytest.approx(0, abs=1e-12)
        assert word_movers_distance(a, b, between) == pytest.approx(word_movers_distance(b, a, between), abs=1e-12)
        assert word_movers_distance(a, c, between) <= word_movers_distance(a, b, between) + word_movers_distance(b, c, between) + 1e-9
        centers = [each.shares @ np.random.default_rng(seed).normal(size=(VOCABULARY, 4))[each.words] for each in (a, b)]
        assert word_movers_distance(a, b, between) >= np.linalg.norm(centers[0] - centers[1]) - 1e-9  # word centroid distance, a bound
        assert word_movers_distance(a, b, between) <= between[np.ix_(a.words, b.words)].max() + 1e-12
        assert word_movers_distance(a, b, 3 * between) == pytest.approx(3 * word_movers_distance(a, b, between), abs=1e-9)


class TestSetsOfCaptions:
    @pytest.mark.parametrize("seed", range(6))
    def test_eq_13_against_a_loop_without_pruning(self, seed: int) -> None:
        given, between = images(seed), costs(seed)
        found = CaptionLabels(given, between).between(np.arange(8), np.arange(8))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, [[eq13(a, b, between) for b in given] for a in given], rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(found, found.T)
        np.testing.assert_array_equal(np.diagonal(found), 0)

    @given(st.integers(0, 100_000))
    @settings(max_examples=40)
    def test_pruning_never_changes_a_value(self, seed: int) -> None:
        """Also with words of one meaning, whose costs are 0, and with bounds that tie."""
        between = costs(seed, dim=1 + seed % 3).round(seed % 4)
        ours, theirs = images(seed, 2)
        found = CaptionLabels([ours, theirs], between).between(np.array([0]), np.array([1]))[0, 0]
        assert found == pytest.approx(eq13(ours, theirs, between), rel=1e-6, abs=1e-6)

    def test_pruning_solves_less(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each image has a caption of its own and one that both have."""
        given, between, solved = images(3, 2, 5), costs(3), []
        shared = bag(np.random.default_rng(0))
        given = [[*each, shared] for each in given]
        counted = word_movers_distance
        monkeypatch.setattr(captions, "word_movers_distance", lambda *each: solved.append(each) or counted(*each))
        CaptionLabels(given, between).between(np.arange(2), np.arange(2))
        assert 0 < len(solved) < len(given[0]) * len(given[1])

    def test_by_hand(self) -> None:
        """Single words at 0, 1 and 5 on a line; the sum of each caption's way to the nearest of the other image, both ways."""
        points = np.array([[0.0], [1], [5]])
        zero, one, five = (Bag(np.array([number]), np.array([1.0])) for number in range(3))
        labels = CaptionLabels([[zero, five], [one], [zero, one, five]], cdist(points, points))
        found = labels.between(np.arange(3), np.arange(3))
        np.testing.assert_allclose(found, [[0, 1 + 4 + 1, 0 + 0 + 0 + 1 + 0], [6, 0, 0 + 1 + 0 + 4], [1, 5, 0]])

    def test_rows_and_columns(self) -> None:
        labels = CaptionLabels(images(1), costs(1))
        rows, columns = np.array([7, 0, 7]), np.array([3, 7])
        whole = labels.between(np.arange(8), np.arange(8))
        np.testing.assert_array_equal(labels.between(rows, columns), whole[np.ix_(rows, columns)])
        assert (len(labels), labels.unit) == (8, "word mover's distance")


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

    def test_the_order_of_images_and_of_captions_does_not_matter(self, vectors: str) -> None:
        given = [["red bus", "blue car"], ["bus", "a car the blue"], ["blue", "red", "car car bus"]]
        everything = np.arange(3)
        found = caption_distances(given, vectors).between(everything, everything)
        turned = caption_distances([each[::-1] for each in given[::-1]], vectors).between(everything, everything)
        np.testing.assert_allclose(turned[::-1, ::-1], found, rtol=1e-6)

    def test_from_a_language_model(self) -> None:
        found = caption_distances([["a dog runs"], ["a puppy runs"], ["an airplane lands"]]).between(np.arange(3), np.arange(3))
        assert 0 < found[0, 1] < found[0, 2]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ([["red bus"], []], "Image 1 has no caption, or one without words, and 0 more; write one or leave these out"),
            ([["red bus", " ?! "], [], ["car"]], "Image 0 has no caption, or one without words, and 1 more"),
            (
                [["red"], ["bus", "a green zebra"]],
                "None of the words of the caption 'green zebra' of image 1 is known to 'vectors:.*'; write it",
            ),
            ([["green"]], "None of the words of the caption 'green' of image 0 is known"),
            ([], "There are no images to compare by their captions; name one at least"),
        ],
    )
    def test_errors(self, vectors: str, given: list[list[str]], message: str) -> None:
        with pytest.raises(InputError, match=message):
            caption_distances(given, vectors)

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"There is no file of word vectors '.*none\.txt'; give the \.txt file of GloVe"):
            caption_distances([["red"]], f"vectors:{tmp_path}/none.txt")
