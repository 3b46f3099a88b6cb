"""Kinds of nouns, and the extract of WordNet that they are read from."""

import gzip
import sys
from pathlib import Path

import pytest

from likeness.io import assets_dir
from likeness.sentences import hypernyms, hyponyms, is_kind_of, noun_senses, plural, singular

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


def test_senses_in_the_order_of_frequency() -> None:
    assert noun_senses("dog") == [f"dog#{number}" for number in range(1, 8)]
    assert noun_senses("sports car") == ["sports_car#1"]
    assert noun_senses("crane") == ["crane#4", "crane#5"]  # three are persons
    assert noun_senses("qwrtz") == noun_senses("") == noun_senses("do.") == []


def test_kinds_and_their_depths() -> None:
    kinds = {kind.word: kind for kind in hyponyms("dog#1")}
    assert kinds["corgi"].depth == 1
    assert kinds["corgi"].has_kinds
    assert (kinds["Cardigan"].depth, kinds["Cardigan"].has_kinds) == (2, False)
    assert "frank" not in kinds
    assert [kind.depth for kind in hyponyms("dog#1")] == sorted(kind.depth for kind in hyponyms("dog#1"))
    assert hyponyms("qwrtz#1") == []


def test_a_kind_of_two_things_stands_below_both() -> None:
    assert "dog" in {kind.word for kind in hyponyms("canine#2")}
    assert "dog" in {kind.word for kind in hyponyms("domestic_animal#1")}
    assert is_kind_of("corgi", "domestic animal")
    assert is_kind_of("corgi", "canine") is False  # the most frequent canine is a tooth


def test_what_stands_above() -> None:
    assert hypernyms("crane#5")[:3] == ["wading bird", "aquatic bird", "bird"]
    assert hypernyms("entity#1") == hypernyms("qwrtz#1") == []


@pytest.mark.parametrize(
    ("many", "one"), [("mice", "mouse"), ("people", "person"), ("wolves", "wolf"), ("buses", "bus"), ("dishes", "dish"), ("women", "woman")]
)
def test_singular_and_plural(many: str, one: str) -> None:
    assert singular(many) == one
    assert singular(one) == one


@pytest.mark.parametrize(("one", "many"), [("person", "people"), ("dog", "dogs"), ("bus", "buses"), ("city", "cities"), ("boy", "boys")])
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many


@pytest.mark.parametrize("word", ["species", "grass", "clothes", "weather", "xyzs"])
def test_what_is_no_plural_stays(word: str) -> None:
    assert singular(word) == word
