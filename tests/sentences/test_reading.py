"""What sentences are read as."""

import gzip
import sys
from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.io import assets_dir
from likeness.sentences import read_sentence
from likeness.words.nouns import hypernyms, hyponyms, is_kind_of, noun_senses, plural, singular

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


def test_a_sentence_names_a_list_or_a_noun_whose_kinds_vary() -> None:
    lists = {sentence: (found.varies, found.thing, found.list and found.list.title) for sentence in LISTS if (found := read_sentence(sentence))}
    assert lists == LISTS
    nouns = {sentence: (found.noun, found.level) for sentence in NOUNS if (found := read_sentence(sentence)).list is None}
    assert nouns == NOUNS


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        *[(text, r"no property that can vary; write what should be the same, such as 'same color of dog'") for text in ("", "the", "??!", "{}")],
        *[(text, "contains no property that can vary") for text in ("same asdf", "same breed")],
        ("same color of dog" * 100, "has 1700 letters; write a short one"),
    ],
)
def test_what_cannot_be_read_says_what_to_write(sentence: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_sentence(sentence)


ROOT = Path(__file__).parents[2]
# Four synsets in the form of data.noun and index.noun: a pet dog is a kind of a dog and of a pet; a hot dog is another meaning; Rex is an instance.
DATA = """\
  1 This software and database is being provided to you
00000001 03 n 01 entity 0 002 ~ 00000002 n 0000 ~ 00000003 n 0000 | all there is
00000002 05 n 02 dog 0 domestic_dog 0 003 @ 00000001 n 0000 ~ 00000004 n 0000 ~i 00000006 n 0000 | an animal
00000003 05 n 01 pet 0 003 @ 00000001 n 0000 ~ 00000004 n 0000 ~ 00000005 n 0000 | an animal that is kept
00000004 05 n 01 Pet_dog 0 002 @ 00000002 n 0000 @ 00000003 n 0000 | a dog that is kept
00000005 13 n 02 frank 0 dog 0 001 @ 00000003 n 0000 | a sausage
00000006 05 n 01 Rex 0 001 @i 00000002 n 0000 | one dog
"""
INDEX = """\
  1 This software and database is being provided to you
entity n 1 1 ~ 1 1 00000001
dog n 2 3 @ ~ ~i 2 1 00000005 00000002
domestic_dog n 1 2 @ ~ 1 0 00000002
pet n 1 2 @ ~ 1 1 00000003
pet_dog n 1 1 @ 1 0 00000004
frank n 1 1 @ 1 0 00000005
rex n 1 1 @i 1 0 00000006
"""


def test_the_extract_of_a_miniature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    from wordnet_extract import read_synsets, tree_lines

    lines = list(tree_lines(read_synsets(DATA.splitlines(), INDEX.splitlines())))
    assert lines == ["a|entity#1", "b|dog#2|domestic_dog#1", "c|Pet_dog#1", "b|pet#1", "c=Pet_dog#1", "c|frank#1|dog#1"]


def test_the_extract_ships_with_its_license_and_is_small() -> None:
    folder = assets_dir() / "wordnet"
    assert (folder / "nouns.txt.gz").stat().st_size < 1_500_000
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in (folder / "LICENSE").read_text()
    assert len(gzip.decompress((folder / "nouns.txt.gz").read_bytes()).splitlines()) > 70_000


def test_senses_kinds_and_what_stands_above() -> None:
    assert noun_senses("Dog") == [f"dog#{number}" for number in range(1, 8)]
    assert noun_senses("sports car") == ["sports_car#1"]
    assert noun_senses("crane") == ["crane#4", "crane#5"]  # three are persons
    assert noun_senses("qwrtz") == noun_senses("") == noun_senses("do.") == hyponyms("qwrtz#1") == []
    kinds = {kind.word: kind for kind in hyponyms("dog#1")}
    assert (kinds["corgi"].depth, kinds["corgi"].has_kinds) == (1, True)
    assert (kinds["Cardigan"].depth, kinds["Cardigan"].has_kinds) == (2, False)
    assert "frank" not in kinds
    assert [kind.depth for kind in hyponyms("dog#1")] == sorted(kind.depth for kind in hyponyms("dog#1"))
    for above in ("canine#2", "domestic_animal#1"):  # a kind of two things stands below both
        assert "dog" in {kind.word for kind in hyponyms(above)}
    assert is_kind_of("corgi", "domestic animal")
    assert is_kind_of("corgi", "canine") is False  # the most frequent canine is a tooth
    assert hypernyms("crane#5")[:3] == ["wading bird", "aquatic bird", "bird"]
    assert hypernyms("entity#1") == hypernyms("qwrtz#1") == []


def test_singular_and_plural() -> None:
    ones = {"mice": "mouse", "people": "person", "wolves": "wolf", "buses": "bus", "dishes": "dish", "women": "woman"}
    assert {many: singular(many) for many in ones} == ones
    for word in (*ones.values(), "species", "grass", "clothes", "weather", "xyzs"):
        assert singular(word) == word
    assert [plural(one) for one in ("person", "dog", "bus", "city", "boy")] == ["people", "dogs", "buses", "cities", "boys"]
