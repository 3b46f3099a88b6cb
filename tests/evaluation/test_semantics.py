from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy, spearmanr

from likeness.errors import InputError
from likeness.evaluation import most_changed, retrieval_metrics, retrieved_classes, semantics, semantics_table
from likeness.evaluation._language_inputs import class_number
from likeness.evaluation.language_divergence import language_divergence
from likeness.evaluation.semantic_retrieval import SemanticRetrieval, semantic_retrieval
from likeness.evaluation.semantics import class_image_similarities, language_rank_correlation
from likeness.losses import language_match
from made_rows import cosines, unit

MadeUp = Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]
NAMES = ["red van", "red suv", "blue van", "blue suv", "bicycle"]


def test_holds_what_its_parts_give_in_a_row_per_space(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up()
    told: list[tuple[int, int]] = []
    found = semantics(embeddings, labels, language, NAMES, neighbors=7, shift=0.0, progress=lambda done, total: told.append((done, total)))
    assert told == [(60, 60)]
    assert found.images.mean == language_divergence(embeddings, labels, language, shift=0.0).mean
    assert found.classes.mean == language_divergence(embeddings, labels, language, level="class", shift=0.0).mean
    np.testing.assert_array_equal(found.similarities, class_image_similarities(embeddings, labels, 5))
    assert found.rank_correlation == language_rank_correlation(found.similarities, language)
    np.testing.assert_array_equal(found.retrieval.counts, semantic_retrieval(embeddings, labels, language, 7).counts)
    assert list(found.per_class.columns[-2:]) == ["image_divergence", "class_divergence"]
    np.testing.assert_array_equal(found.per_class["class_divergence"], found.classes.rows)
    assert found.per_class["class"].tolist() == NAMES
    other = semantics(*made_up(1), NAMES)
    table = semantics_table({"a": found, "b": other}).set_index("space")
    assert table["image_divergence ±"].to_dict() == {"a": found.images.deviation, "b": other.images.deviation}
    assert table.loc["a", ["relatedness", "own_share"]].tolist() == pytest.approx([found.retrieval.relatedness, found.retrieval.own_share])


def test_the_rank_correlation_is_scipys_over_pairs_of_classes_and_a_matter_of_order_alone(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up()
    similarities = class_image_similarities(embeddings, labels, 5)
    expected = cosines(np.stack([unit(embeddings)[labels == number].mean(axis=0) for number in range(5)]))
    np.testing.assert_allclose(similarities, expected, atol=1e-12)
    assert (np.diag(similarities) == 1).all()
    tied = np.round(similarities, 1)
    for ours in (similarities, tied + tied.T):
        pairs = [(i, j) for i in range(5) for j in range(i)]
        found = spearmanr([ours[pair] for pair in pairs], [language[pair] for pair in pairs]).statistic
        assert language_rank_correlation(ours, language) == pytest.approx(found, rel=1e-12)
        assert language_rank_correlation(0.01 * ours + 0.9, np.exp(language)) == pytest.approx(found, rel=1e-12)
        assert language_rank_correlation(-ours, language) == pytest.approx(-found, rel=1e-12)
    assert np.isnan(language_rank_correlation(np.ones((4, 4)), cosines(np.eye(4) + 0.1)))  # without an order there is none
    assert np.isnan(language_rank_correlation(np.eye(2), np.eye(2)))
    with pytest.raises(InputError, match="The space has 3 classes, but there are language similarities of 4"):
        language_rank_correlation(np.eye(3), np.eye(4))


@pytest.mark.parametrize("direction", ["image||language", "language||image"])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize(("shift", "temperature"), [(1.0, 1.0), (0.0, 0.1), (0.3, 0.5)])
def test_is_the_training_loss_on_all_images(made_up: MadeUp, direction: str, masked: bool, shift: float, temperature: float) -> None:
    embeddings, labels, language = made_up()
    found = language_divergence(embeddings, labels, language, direction, masked=masked, shift=shift, temperature=temperature)
    given = (cosines(embeddings), language[labels][:, labels], labels if masked else None, shift, direction)
    loss = language_match(*given, temperature=temperature, mask_language=masked)
    assert found.mean == pytest.approx(loss / temperature**2, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("level", ["image", "class"])
@pytest.mark.parametrize("masked", [True, False])
def test_each_row_is_scipys_relative_entropy(made_up: MadeUp, level: str, masked: bool) -> None:
    embeddings, labels, language = made_up(1)
    similarities, of_row = (cosines(embeddings), labels) if level == "image" else (class_image_similarities(embeddings, labels, 5), np.arange(5))
    image = np.where(of_row[:, None] == of_row, 1.25, similarities) if masked else similarities
    p, q = softmax(image, axis=1), softmax(language[of_row][:, of_row] + 0.25, axis=1)
    found = language_divergence(embeddings, labels, language, level=level, masked=masked, shift=0.25)
    np.testing.assert_allclose(found.rows, entropy(p, q, axis=1), rtol=1e-10)
    other = language_divergence(embeddings, labels, language, "language||image", level=level, masked=masked, shift=0.25)
    np.testing.assert_allclose(other.rows, entropy(q, p, axis=1), rtol=1e-10)


@pytest.mark.parametrize("level", ["image", "class"])
@pytest.mark.parametrize("masked", [True, False])
def test_what_language_says_within_a_class_changes_nothing_under_the_mask(made_up: MadeUp, level: str, masked: bool) -> None:
    embeddings, labels, language = made_up(3)
    dense = np.where(np.eye(5, dtype=bool), np.linspace(0.3, 0.9, 5), language)  # as of several pseudolabels, matched in all pairings
    one, two = (language_divergence(embeddings, labels, each, level=level, masked=masked) for each in (language, dense))
    assert np.array_equal(one.rows, two.rows) == masked


def test_mean_deviation_and_classes_are_those_of_the_rows(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up(2)
    found = language_divergence(embeddings, labels, language, names=NAMES)
    assert (found.mean, found.deviation) == (pytest.approx(found.rows.mean()), pytest.approx(found.rows.std()))
    assert list(found.per_class.index) == NAMES
    np.testing.assert_allclose(found.per_class, [found.rows[labels == number].mean() for number in range(5)])
    by_class = language_divergence(embeddings, labels, language, level="class")
    assert list(by_class.per_class.index) == ["0", "1", "2", "3", "4"]
    np.testing.assert_array_equal(by_class.per_class, by_class.rows)


def test_blocks_and_kinds_of_arrays_change_nothing(made_up: MadeUp, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    given = made_up(3)
    exact = language_divergence(*given).rows
    single = given[0].astype(np.float32)
    for embeddings in (single, torch.tensor(single)):
        np.testing.assert_allclose(language_divergence(embeddings, *given[1:]).rows, exact, rtol=1e-5)
    np.testing.assert_allclose(language_divergence(*map(torch.tensor, given)).rows, exact, rtol=1e-12)
    monkeypatch.setattr("likeness.evaluation.language_divergence.BLOCK_BYTES", 8 * 60 * 7)
    told: list[tuple[int, int]] = []
    np.testing.assert_allclose(language_divergence(*given, progress=lambda *each: told.append(each)).rows, exact, rtol=1e-12)
    assert told == [(done, 60) for done in (*range(7, 60, 7), 60)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"direction": "both"}, "no direction 'both'; choose from image..language, language..image"),
        ({"level": "pixel"}, "no level 'pixel'; choose from image, class"),
        ({"temperature": 0.0}, r"temperature is 0\.0, but it must be above 0"),
        ({"language": np.eye(3)}, "labels run from 0 to 4, but language has 3 classes; number them 0 to 2"),
        ({"language": np.eye(6)}, "Class 5 has no image"),
        ({"language": np.ones((5, 4))}, r"language similarities have shape \(5, 4\); pass a square matrix"),
        ({"language": np.full((5, 5), np.nan)}, "language similarities hold NaN"),
        ({"language": np.ones((1, 1)), "labels": np.zeros(60, int)}, "There is only one class"),
        ({"labels": np.zeros(3, int)}, r"labels have shape \(3,\) and type int64; pass one class number for each of the 60 images"),
        ({"labels": np.zeros(60)}, "type float64; pass one class number"),
        ({"labels": np.full(60, -1)}, "labels run from -1 to -1"),
        ({"names": ["a", "b"]}, "There are 2 names for 5 classes"),
        ({"names": list("abcda")}, "The class name 'a' occurs twice"),
        ({"embeddings": np.zeros((60, 3))}, "row 0 is all zeros"),
        ({"neighbors": 0}, "neighbors is 0, but each of the 60 images has 59 others"),
        ({"neighbors": 60}, "neighbors is 60, but each"),
        ({"neighbors": 9, "labels": np.array([4] + [0, 1, 2, 3] * 14 + [0, 1, 2])}, "'bicycle' has only one image, which cannot find its own class"),
        ({"neighbors": 9, "language": np.ones((1, 1)), "labels": np.zeros(60, int)}, "only one class"),
        ({"neighbors": 9, "embeddings": np.full((60, 3), np.nan)}, "row 0 holds NaN"),
    ],
)
def test_unusable_input_is_refused(made_up: MadeUp, change: dict[str, Any], message: str) -> None:
    given = dict(zip(("embeddings", "labels", "language"), made_up(), strict=True)) | ({"names": NAMES} if "neighbors" in change else {}) | change
    with pytest.raises(InputError, match=message):
        (semantic_retrieval if "neighbors" in change else language_divergence)(**given)


def by_hand(embeddings: np.ndarray, labels: np.ndarray, neighbors: int) -> np.ndarray:
    similarities, counts = cosines(embeddings), np.zeros((5, 5), int)
    np.fill_diagonal(similarities, -np.inf)
    found = np.argsort(-similarities, axis=1)[:, :neighbors]
    np.add.at(counts, (labels[:, None], labels[found]), 1)
    return counts


@pytest.mark.parametrize("neighbors", [1, 7, 20, 59])
def test_counts_by_hand(made_up: MadeUp, neighbors: int) -> None:
    embeddings, labels, language = made_up()
    found = semantic_retrieval(embeddings, labels, language, neighbors, NAMES)
    np.testing.assert_array_equal(found.counts, by_hand(embeddings, labels, neighbors))
    np.testing.assert_array_equal(found.counts.sum(axis=1), neighbors * np.bincount(labels))
    assert (found.names, found.neighbors) == (NAMES, neighbors)
    if neighbors == 1:
        assert found.own_share == pytest.approx(retrieval_metrics(embeddings, labels)["precision_at_1"])


# three classes of 2, 3 and 5 images; the last never errs
SMALL = SemanticRetrieval(
    counts=np.array([[1, 3, 0], [2, 3, 1], [0, 0, 10]]),
    language=np.array([[1, 0.8, 0.1], [0.8, 1, 0.3], [0.1, 0.3, 1]]),
    sizes=np.array([2, 3, 5]),
    names=["a", "b", "c"],
    neighbors=2,
)


def test_relatedness_of_errors_by_hand() -> None:
    assert SMALL.own_share == pytest.approx(14 / 20)
    assert SMALL.relatedness == pytest.approx((3 * 0.8 + 2 * 0.8 + 1 * 0.3) / 6)
    assert SMALL.random_relatedness == pytest.approx((2 * 6 * 0.8 + 2 * 10 * 0.1 + 2 * 15 * 0.3) / (2 * (6 + 10 + 15)))
    table = SMALL.per_class
    known = {"class": ["a", "b", "c"], "images": [2, 3, 5], "own": [0.25, 0.5, 1.0], "errors": [3, 3, 0]}
    assert {name: table[name].tolist() for name in known} == known
    np.testing.assert_allclose(table["relatedness"], [0.8, (2 * 0.8 + 0.3) / 3, np.nan])
    np.testing.assert_allclose(table["random"], [(3 * 0.8 + 5 * 0.1) / 8, (2 * 0.8 + 5 * 0.3) / 7, (2 * 0.1 + 3 * 0.3) / 5])


def test_all_others_as_neighbors_are_as_related_as_random_ones(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up(2)
    found = semantic_retrieval(embeddings, labels, language, 59)
    assert found.relatedness == pytest.approx(found.random_relatedness, rel=1e-12)
    np.testing.assert_allclose(found.per_class["relatedness"], found.per_class["random"], rtol=1e-12)
    # a space without errors has no relatedness
    labels = np.repeat(np.arange(5), 4)
    found = semantic_retrieval(np.eye(5)[labels], labels, language, 3)
    assert (found.own_share, np.isnan([found.relatedness, *found.per_class["relatedness"]]).all()) == (1.0, True)


BIRDS = ["Brandt Cormorant", "Pelagic Cormorant", "Gadwall", "Puffin"]
LANGUAGE = np.array([[1, 0.9, 0.2, 0.5], [0.9, 1, 0.3, 0.5], [0.2, 0.3, 1, 0.5], [0.5, 0.5, 0.5, 1]])


def found(*counts: list[int]) -> SemanticRetrieval:
    return SemanticRetrieval(np.array(counts), LANGUAGE, np.full(4, 3), BIRDS, 20)


BASE = found([30, 0, 20, 10], [10, 40, 0, 10], [0, 0, 60, 0], [0, 5, 5, 50])


GUIDED = found([30, 25, 5, 0], [10, 40, 0, 10], [0, 4, 56, 0], [20, 0, 0, 40])


def test_figure_3_by_hand() -> None:
    table = retrieved_classes({"base": BASE, "ELG": GUIDED}, "brandt cormorant")
    expected = {"class": ["Pelagic Cormorant", "Puffin", "Gadwall"], "language_similarity": [0.9, 0.5, 0.2]}
    assert table.to_dict("list") == expected | {"base": [0, 10, 20], "ELG": [25, 0, 5]}
    assert retrieved_classes({"base": BASE, "ELG": GUIDED}, "Brandt Cormorant", top=1)["class"].tolist() == ["Pelagic Cormorant"]
    # classes that no space found are not listed, and equally related ones keep their order
    assert retrieved_classes({"base": BASE}, "Brandt Cormorant")["class"].tolist() == ["Puffin", "Gadwall"]
    nothing = retrieved_classes({"base": BASE}, "Gadwall")
    assert (list(nothing.columns), len(nothing)) == (["class", "language_similarity", "base"], 0)
    assert retrieved_classes({"a": GUIDED, "b": BASE}, "Puffin")["class"].tolist() == ["Brandt Cormorant", "Pelagic Cormorant", "Gadwall"]


def test_most_changed_by_hand() -> None:
    table = most_changed(BASE, GUIDED)
    before, after = (20 * 0.2 + 10 * 0.5) / 30, (25 * 0.9 + 5 * 0.2) / 30
    # Gadwall never errs in one space
    assert table["class"].tolist() == most_changed(BASE, GUIDED, least=0)["class"].tolist() == ["Brandt Cormorant", "Pelagic Cormorant", "Puffin"]
    assert table.loc[0, ["a", "b"]].tolist() == pytest.approx([before, after])
    assert table["change"].tolist() == pytest.approx([after - before, 0, 0])
    assert most_changed(GUIDED, BASE, top=1)["change"].tolist() == pytest.approx([before - after])
    # classes with few errors are left aside
    assert most_changed(BASE, GUIDED, least=11)["class"].tolist() == ["Brandt Cormorant", "Pelagic Cormorant"]
    nothing = most_changed(BASE, GUIDED, least=1000)
    assert (list(nothing.columns), len(nothing)) == (["class", "a", "b", "change"], 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: retrieved_classes({"a": BASE}, "Brant Cormorant"), r"'Brant .*'; did you mean 'Brandt Cormorant' or 'Pelagic Cormorant'\?"),
        (lambda: retrieved_classes({"a": BASE}, "xyz"), "'xyz'; the first ones are Brandt Cormorant, Pelagic Cormorant, Gadwall, Puffin"),
        (lambda: retrieved_classes({}, "Puffin"), "There is no space"),
        (lambda: retrieved_classes({"a": BASE}, "Puffin", 0), "top is 0"),
        (lambda: most_changed(BASE, BASE, -1), "top is -1"),
        (lambda: most_changed(BASE, SemanticRetrieval(BASE.counts, LANGUAGE, np.full(4, 4), BIRDS, 20)), "have different classes or images"),
        (lambda: class_number("TERN", ["Tern", "tern"]), "There is no class 'TERN'"),
    ],
)
def test_what_cannot_be_compared_is_named(call: Callable[[], object], message: str) -> None:
    assert [class_number("GADWALL", BIRDS), *(class_number(name, ["Tern", "tern"]) for name in ("Tern", "tern"))] == [2, 0, 1]
    with pytest.raises(InputError, match=message):
        call()
