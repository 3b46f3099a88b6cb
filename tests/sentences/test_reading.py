"""What sentences are read as."""

import pytest

from likeness.errors import InputError
from likeness.sentences import read_sentence

LISTS = {
    "same color of dog": ("color", "dog", "coat colors"),
    "the dog's color": ("color", "dog", "coat colors"),
    "the color of the car": ("color", "car", "colors"),
    "Two cars are similar if they have the same color": ("color", "car", "colors"),
    "Two cars are similar if their backgrounds have the same color": ("background color", "car", "background colors"),
    "what people are doing": ("action", "person", "actions"),
    "similar weather": ("weather", "", "weather"),
    "cars of the same make": ("car make", "", "car makes"),
    "same season": ("season", "", "seasons"),
    "images taken in the same room": ("room", "", "rooms"),
    "same type of room": ("room", "", "rooms"),
    "number of people": ("number", "person", "numbers"),
    "how many dogs are there": ("number", "dog", "numbers"),
    "by background": ("background", "", "places"),
    "where they were taken": ("place", "", "places"),
    "same kind of car": ("kind of car", "", "car bodies"),
    "same car": ("kind of car", "", "car bodies"),
    "what the woman is wearing": ("clothes", "woman", "clothes"),
    "how far away the car is": ("distance", "car", "distances"),
    "cars seen from the same side": ("side", "car", "viewpoints"),
    "same side of the sun": ("sun side", "", "light directions"),
    "same hair color of women": ("hair color", "woman", "hair colors"),
    "same kind of animal": ("animal", "", "animals"),
    "what it is made of": ("material", "", "materials"),
}
NOUNS = {
    "same dog breed": ("dog", "last"),
    "same breed of dog": ("dog", "last"),
    "Dogs are similar if they are of the same breed": ("dog", "last"),
    "same kind of bird": ("bird", "near"),
    "bird species": ("bird", "last"),
    "bird family": ("bird", "groups"),
    "same fruit": ("fruit", "near"),
    "what kind of food it is": ("food", "near"),
}


@pytest.mark.parametrize("sentence", LISTS)
def test_a_property_with_a_list(sentence: str) -> None:
    reading = read_sentence(sentence)
    assert reading.list is not None
    assert (reading.varies, reading.thing, reading.list.title) == LISTS[sentence]


@pytest.mark.parametrize("sentence", NOUNS)
def test_kinds_of_a_noun(sentence: str) -> None:
    reading = read_sentence(sentence)
    assert (reading.list, (reading.noun, reading.level)) == (None, NOUNS[sentence])


@pytest.mark.parametrize("sentence", ["", "the", "same asdf", "same breed", "??!", "{}"])
def test_what_cannot_be_read_says_what_to_write(sentence: str) -> None:
    with pytest.raises(InputError, match=r"names nothing that can vary .*; write what is to be the same, such as 'same color of dog'"):
        read_sentence(sentence)


def test_a_whole_text_is_refused() -> None:
    with pytest.raises(InputError, match="has 1700 letters; write a short one"):
        read_sentence("same color of dog" * 100)
