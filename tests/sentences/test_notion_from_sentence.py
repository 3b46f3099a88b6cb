"""What a sentence becomes, with and without images."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.sentences import notion_from_sentence, word_lists

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


@pytest.fixture(scope="module")
def cars() -> lk.Space:
    return lk.embed(lk.read("cars"), "cars")


def test_without_images_the_whole_list_stays() -> None:
    found = notion_from_sentence("what people are doing")
    assert (found.held, found.varies, found.notion.template, found.pruned, found.images) == ("person", "action", "a person {}", (), ())
    assert {"running", "swimming"} < set(found.notion.aspects)
    assert found.notion.question == "Two images are similar if the people in them have the same action."
    assert "the sentence 'what people are doing'" in found.notion.source


def test_the_thing_stands_in_template_and_aspects() -> None:
    found = notion_from_sentence("number of dogs").notion
    assert found.name == "number of dogs"
    assert found.aspects[:3] == ("no dogs", "one dog", "two dogs")
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


def test_words_that_the_encoder_does_not_know_are_left_out(cars: lk.Space) -> None:
    found = notion_from_sentence("same color", cars)
    assert found.held == "car"
    assert found.notion.template == "a {} car"
    assert {each.aspect for each in found.pruned if "does not know" in each.reason} == {"gold", "beige", "brown"}


def test_an_encoder_that_knows_none_of_the_words_is_named(cars: lk.Space) -> None:
    with pytest.raises(InputError, match="knows none of the 8 words for the weather; choose an encoder that reads any text"):
        notion_from_sentence("same weather", cars)


def test_the_meaning_that_the_images_show_counts() -> None:
    words = ["a", "photo", "of", *"organism living thing whole object building complex structure artifact".split()]  # noqa: SIM905
    texts = _Words(words)
    shown = texts.encode_texts(["a photo of a organism", "a photo of a living thing", "a photo of a living thing organism"] * 10)
    table = pd.DataFrame({"path": [f"{row}.jpg" for row in range(30)]})
    plants = lk.Space(shown + 0.01 * np.random.default_rng(2).normal(size=shown.shape), table, embed_texts=texts.encode_texts)
    assert "meaning 1" in notion_from_sentence("kind of plant").source  # a factory
    assert "meaning 2" in notion_from_sentence("kind of plant", plants).source


def test_a_noun_without_kinds_says_what_to_write() -> None:
    with pytest.raises(InputError, match="WordNet knows no kinds of 'pug' for 'kind of pug'; write another property"):
        notion_from_sentence("kind of pug")


def test_a_space_without_text_is_refused() -> None:
    with pytest.raises(InputError, match="has no text side"):
        notion_from_sentence("same color", lk.Space(np.eye(3)))


@pytest.mark.parametrize("title", [each.title for each in word_lists()])
def test_every_list_is_found_by_its_names_and_makes_a_notion(title: str) -> None:
    words = next(each for each in word_lists() if each.title == title)
    assert len(set(words.words)) == len(words.words) > 1
    assert all(template.count("{}") == 1 for template in (*words.templates, *words.alone))
    assert words.templates
    assert words.alone
    thing = f" of {words.of[0]}" if words.of else ""
    for name in words.names:
        assert notion_from_sentence(f"same {name}{thing}").source == f"the list '{title}'"
