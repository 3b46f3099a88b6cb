"""How names fit classes: cases from WordNet, with nltk's reader left out since its corpus is not at hand."""

import pytest

from experiments.analyses.name_match import name_match, too_general

_LAYSAN = "Laysan Albatross"
MATCHES = {
    "exact": [("tulip", "tulip"), ("tulips", "tulip"), ("golden hamster", "hamster"), ("Laysan albatross", "Laysan_Albatross")],
    "synonym": [("sofa", "couch"), ("lounge", "couch"), ("maple", "maple_tree")],
    # a bird is four steps above this albatross, an animal more
    "hypernym": [("tree", "maple_tree"), ("albatross", _LAYSAN), ("bird", _LAYSAN), ("dog", "poodle")],
    "kind": [("armchair", "chair")],
    "": [("animal", _LAYSAN), ("entity", "poodle"), ("car", "poodle"), ("carp", "car"), ("", "car"), ("car", "")],
}


@pytest.mark.parametrize("match", MATCHES)
def test_matches(match: str) -> None:
    for name, label in MATCHES[match]:
        assert name_match(name, label) == match, (name, label)


def test_too_general_is_what_stands_above_more_than_half() -> None:
    labels = ["dog", "cat", "horse", "car", "bus"]
    assert too_general("animal", labels)
    assert not too_general("vehicle", labels)
    assert too_general("bird", ["owl", "eagle"])
    assert not too_general("owl", ["owl", "eagle"])
