"""What a sentence becomes, with and without images."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import likeness as lk
import worlds
from likeness.errors import InputError
from likeness.sentences import notion_from_sentence, occurring
from likeness.words import WordList, word_lists
from made_rows import unit

WORDS = ("black", "white", "red", "blue", "green")


class _Words:
    """An encoder whose texts are sums of directions of their words, and which knows no others than those it is given."""

    name = "words"

    def __init__(self, known: Sequence[str]) -> None:
        random = np.random.default_rng(0)
        self.rows = {word: random.normal(size=64) for word in known}

    def encode_texts(self, texts: Sequence[str], **_: Any) -> np.ndarray:
        rows = np.array([sum((self.rows.get(word, np.zeros(64)) for word in text.lower().split()), np.full(64, 0.01)) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _space(shown: Sequence[str], known: Sequence[str]) -> lk.Space:
    words = _Words(known)
    random = np.random.default_rng(1)
    vectors = words.encode_texts([f"a {word} dog" for word in shown]) + 0.02 * random.normal(size=(len(shown), 64))
    return lk.Space(vectors, pd.DataFrame({"path": [f"{row}.jpg" for row in range(len(shown))]}), embed_texts=words.encode_texts)


def test_without_images_the_whole_list_stays_and_the_thing_stands_in_template_and_aspects() -> None:
    found = notion_from_sentence("what people are doing")
    assert (found.held, found.varies, found.notion.template, found.pruned, found.images) == ("person", "action", "a person {}", (), ())
    assert {"running", "swimming"} < set(found.notion.aspects)
    assert found.notion.question == "Two images are similar if the people in them have the same action."
    assert "the sentence 'what people are doing'" in found.notion.source
    number = notion_from_sentence("number of dogs").notion
    assert (number.name, number.aspects[:3]) == ("number of dogs", ("no dogs", "one dog", "two dogs"))
    assert notion_from_sentence("the color of the red car").notion.template == "a {} red car"


def test_levels_of_kinds() -> None:
    breeds, families = (set(notion_from_sentence(text).notion.aspects) for text in ("dog breed", "bird family"))
    assert {"pug", "Cardigan"} < breeds
    assert "corgi" not in breeds  # it has kinds of its own
    assert {"finch", "gull"} < families
    assert "robin" not in families


def test_what_occurs_stays_and_the_rest_is_named_with_the_reason() -> None:
    space = _space(["black", "white", "red"] * 40, [*WORDS, "gray", "brown", "dog"])
    found = notion_from_sentence("same color of dog", space)
    assert set(found.notion.aspects) >= {"black", "white", "red"}
    assert found.images[found.notion.aspects.index("black")] > 20
    assert len(found.images) == len(found.notion.aspects)
    left = {each.aspect: each.reason for each in found.pruned}
    assert left["brown"] == left["gray"] == "it is the best match of no image"
    assert {*left, *found.notion.aspects} == set(notion_from_sentence("same color of dog").notion.aspects)
    every = notion_from_sentence("same color of dog", space, prune=False)
    assert every.pruned == ()
    assert "brown" in every.notion.aspects


def test_words_that_the_encoder_does_not_know_are_left_out() -> None:
    found = notion_from_sentence("same color", worlds.cars())
    assert (found.held, found.notion.template) == ("car", "a {} car")
    assert {each.aspect for each in found.pruned if "does not know" in each.reason} == {"gold", "beige", "brown"}


def test_the_meaning_that_the_images_show_counts() -> None:
    words = ["a", "photo", "of", *"organism living thing whole object building complex structure artifact".split()]  # noqa: SIM905
    texts = _Words(words)
    shown = texts.encode_texts(["a photo of a organism", "a photo of a living thing", "a photo of a living thing organism"] * 10)
    table = pd.DataFrame({"path": [f"{row}.jpg" for row in range(30)]})
    plants = lk.Space(shown + 0.01 * np.random.default_rng(2).normal(size=shown.shape), table, embed_texts=texts.encode_texts)
    assert "meaning 1" in notion_from_sentence("kind of plant").source  # a factory
    assert "meaning 2" in notion_from_sentence("kind of plant", plants).source


@pytest.mark.parametrize(
    ("sentence", "space", "message"),
    [
        ("kind of pug", lambda: None, "WordNet knows no kinds of 'pug' for 'kind of pug'; write another property"),
        ("same color", lambda: lk.Space(np.eye(3)), "has no text side"),
        ("same weather", worlds.cars, "knows none of the 8 words for the weather; choose an encoder that reads any text"),
    ],
)
def test_what_makes_no_notion_is_said(sentence: str, space: Callable[[], lk.Space | None], message: str) -> None:
    with pytest.raises(InputError, match=message):
        notion_from_sentence(sentence, space())


@pytest.mark.parametrize("words", word_lists(), ids=lambda words: words.title)
def test_every_list_is_found_by_its_names_and_makes_a_notion(words: WordList) -> None:
    assert len(set(words.words)) == len(words.words) > 1
    assert {template.count("{}") for each in (words.templates, words.alone) for template in each or [""]} == {1}
    thing = f" of {words.of[0]}" if words.of else ""
    for name in words.names:
        assert notion_from_sentence(f"same {name}{thing}").source == f"the list '{words.title}'"


def _unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(unit(rows), np.float32)


def test_what_is_there_occurs_and_what_is_not_does_not_in_whatever_order() -> None:
    """300 images of five things, and words for ten: the first five are there."""
    random = np.random.default_rng(0)
    words = _unit(random.normal(size=(10, 256)))
    images = _unit(words[np.arange(300) % 5] + 0.05 * random.normal(size=(300, 256)))
    for rows in (images, images[::-1]):
        found = occurring(rows, words)
        assert found.occurs.tolist() == [True] * 5 + [False] * 5
        assert found.images.tolist() == [60] * 5 + [0] * 5


def test_what_is_due_to_chance_agrees_with_drawings() -> None:
    random = np.random.default_rng(1)
    words, images = _unit(random.normal(size=(6, 64)) + 1), _unit(random.normal(size=(2000, 64)) + 0.5)
    mean = words.mean(axis=0)
    length = np.linalg.norm(words[2] - mean)
    others = (images @ np.delete(words, 2, axis=0).T).max(axis=1)
    drawn = [mean + length * _unit(random.normal(size=(1, 64)))[0] for _ in range(2000)]
    by_hand = np.mean([(images @ word > others).sum() for word in drawn])
    assert occurring(images, words).chance[2] == pytest.approx(by_hand, rel=0.05)


def test_two_stay_where_none_occurs() -> None:
    words = np.ones((4, 8), np.float32) / np.sqrt(8).astype(np.float32)
    found = occurring(_unit(np.random.default_rng(0).normal(size=(5, 8))), words)
    assert found.occurs.sum() >= 2
