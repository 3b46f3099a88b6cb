"""Names from words: on vectors whose words are known, against plain loops, and where nothing supports a name."""

import numpy as np
import pandas as pd
import pytest

from likeness import Notion, Space
from likeness.clusters import Clusters, WordChoice, cluster, name_clusters, notion_choice, noun_choice, own_choice
from likeness.clusters.word_shares import TextShares
from likeness.data import UNLABELED
from likeness.errors import InputError
from likeness.words import noun_tree

DIM = 256
WORDS = ["poodle", "collie", "sparrow", "owl", "car", "bus"]


def direction(text: str) -> np.ndarray:
    """A fixed random direction for each word; a prompt's is that of its last word, near to one that all texts share."""
    word = text.split()[-1]
    rng = np.random.default_rng(int.from_bytes(word.encode(), "little") % 2**32)
    return rng.normal(size=DIM) + 3 * np.random.default_rng(1).normal(size=DIM)


def embed_texts(texts: list[str]) -> np.ndarray:
    rows = np.array([direction(text) for text in texts], np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def pictures(words: list[str], each: int = 40, noise: float = 0.05) -> Space:
    truth = np.repeat(words, each)
    rows = embed_texts(list(truth)) + np.random.default_rng(0).normal(size=(len(truth), DIM)) * noise
    return Space(rows, labels=truth, embed_texts=embed_texts)


def grouped(*levels: np.ndarray) -> Clusters:
    labels = np.column_stack(levels)
    parents = [np.full(labels[:, 0].max() + 1, -1)]
    for depth in range(1, labels.shape[1]):
        parents.append(np.array([labels[labels[:, depth] == number, depth - 1][0] for number in range(labels[:, depth].max() + 1)]))
    return Clusters(labels, np.ones(labels.shape, bool), tuple(parents))


def nouns(words: list[str]) -> WordChoice:
    return WordChoice(tuple(words), tuple(f"a photo of a {word}" for word in words), tuple(noun_tree().senses(word)[0] for word in words))


def test_clusters_of_one_kind_have_its_word_and_of_several_kinds_what_these_are_kinds_of() -> None:
    fine = np.repeat(np.arange(6), 40)
    vocabulary = nouns([*WORDS, "tulip", "chair", "banana", "hammer"])
    found = name_clusters(pictures(WORDS), grouped(fine // 2, fine), vocabulary)
    assert [each.name for each in found.depths[1]] == WORDS
    assert min(each.confidence for each in found.depths[1]) > 0.95
    coarse = [each.name for each in found.depths[0]]
    for name, kinds in zip(coarse, (WORDS[:2], WORDS[2:4], WORDS[4:]), strict=True):
        above = [{noun_tree().words[synset] for synset in noun_tree().above(noun_tree().senses(kind)[0])} for kind in kinds]
        assert name in set.intersection(*above)
    assert coarse[0] in ("dog", "domestic animal")
    assert coarse[1] == "bird"


def test_names_are_the_same_by_plain_loops() -> None:
    space, clusters = pictures(WORDS[:4], noise=0.2), np.repeat(np.arange(4), 40)
    words = own_choice([*WORDS, "tulip", "chair"])
    shares = np.zeros((160, 8))
    texts = embed_texts(list(words.prompts))
    similar = np.array([[float(image @ text) for text in texts] for image in space.vectors])
    middle = np.median(similar.std(axis=0))
    for row in range(160):
        logits = [8 * (similar[row, w] - similar[:, w].mean()) / (similar[:, w].std() + middle) for w in range(8)]
        shares[row] = np.exp(logits) / np.exp(logits).sum()
    rows = np.arange(160)
    np.testing.assert_allclose(TextShares(space, words).of(rows), shares, rtol=2e-3, atol=1e-6)
    found = name_clusters(space, grouped(clusters), words, least=0)
    for number, each in enumerate(found.depths[0]):
        p, q = shares[clusters == number].mean(axis=0), shares.mean(axis=0)
        assert each.name == words.words[int(np.argmax(p * np.log(p / q)))]
        inside, outside = (shares[mask, words.words.index(each.name)] for mask in (clusters == number, clusters != number))
        pairs = [(a > b) + (a == b) / 2 for a in inside for b in outside]
        assert each.confidence == pytest.approx(np.mean(pairs), abs=1e-3)


def test_a_word_that_is_near_to_everything_names_nothing() -> None:
    hub = np.random.default_rng(1).normal(size=DIM)

    def with_hub(texts: list[str]) -> np.ndarray:
        rows = np.array([hub if text.endswith("everything") else direction(text) for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    plain = pictures(WORDS)
    space = Space(plain.vectors + 2 * hub / np.linalg.norm(hub), embed_texts=with_hub)
    vocabulary = own_choice([*WORDS, "everything"])
    raw = space.vectors @ with_hub(list(vocabulary.prompts)).T
    assert (raw.argmax(axis=1) == 6).mean() > 0.5  # the control: the nearest word is the hub
    found = name_clusters(space, grouped(np.repeat(np.arange(6), 40)), vocabulary)
    assert [each.name for each in found.depths[0]] == WORDS


def test_groups_that_mean_nothing_have_no_name() -> None:
    shuffled = np.random.default_rng(0).permutation(np.repeat(np.arange(6), 40))
    found = name_clusters(pictures(WORDS), grouped(shuffled), WORDS)
    assert [each.name for each in found.depths[0]] == [""] * 6
    whole = name_clusters(pictures(WORDS), grouped(np.zeros(240, int)), WORDS)
    assert [each.name for each in whole.depths[0]] == [""]
    alike = name_clusters(pictures(["car"], each=30, noise=0), grouped(np.repeat([0, 1], 15)), WORDS)
    assert [each.name for each in alike.depths[0]] == ["", ""]


def test_names_differ_at_a_depth_and_coarse_shares_are_those_of_all_images() -> None:
    fine = np.repeat(np.arange(12), 20)  # two clusters of each word
    found = name_clusters(pictures(WORDS), grouped(fine), WORDS, least=0)
    named = [each.name for each in found.depths[0] if each.name]
    assert len(set(named)) == len(named) >= 6
    space = pictures(["owl", "car"], each=60)
    fine = np.array([0] * 60 + [1] * 10 + [2] * 50)
    together = name_clusters(space, grouped(np.minimum(fine, 1), fine), ["owl", "car", "bus"], least=0)
    alone = name_clusters(space, grouped(np.minimum(fine, 1)), ["owl", "car", "bus"], least=0)
    assert [each.name for each in together.depths[0]] == [each.name for each in alone.depths[0]] == ["owl", "car"]


def test_names_come_from_a_notions_aspects_or_from_attributes() -> None:
    choice = notion_choice(Notion("vehicle", ("a fast {}", "the {}"), ("car", "bus")))
    assert choice.words == ("car", "bus")
    assert choice.prompts == ("a fast car", "a fast bus")
    found = name_clusters(pictures(["car", "bus"]), grouped(np.repeat([0, 1], 40)), Notion("vehicle", "the {}", ("car", "bus")))
    assert [each.name for each in found.depths[0]] == ["car", "bus"]
    space = pictures(WORDS).replace(embed_texts=None)
    found = name_clusters(space, grouped(np.repeat(np.arange(6), 40)))
    assert found.source == "attributes"
    assert [each.name for each in found.depths[0]] == WORDS
    by_label = name_clusters(pictures(WORDS), grouped(np.repeat(np.arange(6), 40)), column="label")
    assert [each.name for each in by_label.depths[0]] == WORDS


@pytest.mark.parametrize("kind", ["object", "string", "Int64", "category"])
def test_images_without_a_value_name_nothing(kind: str) -> None:
    values = pd.Series([None, UNLABELED, 3, 3, 5, 5] if kind != "Int64" else [None, None, 3, 3, 5, 5], dtype=object)
    values = values.map(str, na_action="ignore") if kind == "string" else values
    space = Space(np.random.default_rng(0).normal(size=(6, 4)), pd.DataFrame({"path": list("abcdef"), "it": values.astype(kind)}))
    found = name_clusters(space, grouped(np.array([0, 0, 1, 1, 2, 2])), column="it")
    assert [each.name for each in found.depths[0]] == ["", "3", "5"]


def test_the_encoder_of_rendered_cars_names_by_words_that_it_knows() -> None:
    import likeness as lk

    space = lk.embed(lk.read("cars"), "cars")
    choice = noun_choice(space)
    assert "red" in choice.words
    assert "poodle" not in choice.words
    found = name_clusters(space, cluster(space, 1))
    assert {each.name for each in found.depths[0]} - {""} <= set(choice.words)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocabulary": ["car"]}, "at least two"),
        ({"vocabulary": []}, "No words"),
        ({"column": "mood"}, "mood"),
        ({"column": "label", "vocabulary": ["car", "bus"]}, "pass either of them"),
    ],
)
def test_wrong_options_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        name_clusters(pictures(WORDS), grouped(np.repeat(np.arange(6), 40)), **options)


@pytest.mark.parametrize(
    ("space", "options", "message"),
    [
        (pictures(WORDS), {}, "find them in this space"),
        (Space(np.ones((6, 4)), labels=["car"] * 6), {"column": "label"}, "'label' has 1 different values"),
        (Space(np.ones((6, 4))), {}, "no names for clusters"),
        (pictures(WORDS, each=1).replace(embed_texts=None), {"vocabulary": WORDS}, "reads no text; name its clusters by attributes"),
    ],
)
def test_what_has_no_names_is_refused(space: Space, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        name_clusters(space, grouped(np.array([0, 0, 1, 1, 2, 2])), **options)
