"""Texts with other words: which words are replaced, and by what."""

from likeness.encoders import unknown_words
from likeness.presence import competing_texts


def _fills(text: str, before: str, after: str, encoder: str | None = None) -> set[str]:
    texts = [each for each in competing_texts(text, encoder) if each.startswith(before) and each.endswith(after)]
    return {each.removeprefix(before).removesuffix(after) for each in texts}


def test_kindred_words_of_lists_and_of_wordnet() -> None:
    colors = _fills("a red dog", "a ", " dog")
    assert len({"blue", "green", "black", "white", "gray", "brown"} & colors) > 2
    assert not any("red" in color.split() for color in colors)  # "dark red" is red, too
    assert {"sheep", "horse"} & _fills("a red dog", "a red ", "")
    rodents = _fills("a photo of a beaver", "a photo of a ", "")
    assert {"porcupine", "mouse"} <= rodents
    assert not {"beaver", "rodent", "animal"} & rodents


def test_phrases_stand_together_and_form_words_stay() -> None:
    for text in competing_texts("a pickup truck in front of the water", None):
        assert text.startswith("a ")
        assert " in front of the " in text
    assert all("fire engine" not in each.split("truck")[0] or "truck" not in each for each in competing_texts("a pickup truck", None))
    assert competing_texts("a photo of the", None) == {}


def test_the_encoder_knows_all_of_them_and_they_are_the_same_each_time() -> None:
    texts = competing_texts("a purple car", "cars")
    assert len(texts) > 30
    assert unknown_words("cars", "\n".join(texts)) == []
    assert texts == competing_texts("a purple car", "cars")
    assert "a purple car" not in texts
    assert {number for each, number in texts.items() if each.endswith(" car")} == {0}  # which of the words is replaced
    assert {number for each, number in texts.items() if each.startswith("a purple ")} == {1}
    assert 0 < len(competing_texts("one two three four five six sheep", None)) <= 48 + 64
