"""How names fit classes: cases from WordNet, with nltk's reader left out since its corpus is not at hand."""

import pytest

from experiments.analyses.name_match import name_match, too_general


@pytest.mark.parametrize(
    ("name", "label", "match"),
    [
        ("tulip", "tulip", "exact"),
        ("tulips", "tulip", "exact"),
        ("golden hamster", "hamster", "exact"),
        ("Laysan albatross", "Laysan_Albatross", "exact"),
        ("sofa", "couch", "synonym"),
        ("lounge", "couch", "synonym"),
        ("maple", "maple_tree", "synonym"),
        ("tree", "maple_tree", "hypernym"),
        ("albatross", "Laysan Albatross", "hypernym"),
        ("bird", "Laysan Albatross", "hypernym"),  # four steps above the albatross
        ("animal", "Laysan Albatross", ""),  # more
        ("armchair", "chair", "kind"),
        ("dog", "poodle", "hypernym"),
        ("entity", "poodle", ""),
        ("car", "poodle", ""),
        ("carp", "car", ""),
        ("", "car", ""),
        ("car", "", ""),
    ],
)
def test_matches(name: str, label: str, match: str) -> None:
    assert name_match(name, label) == match


def test_too_general_is_what_stands_above_more_than_half() -> None:
    labels = ["dog", "cat", "horse", "car", "bus"]
    assert too_general("animal", labels)
    assert not too_general("vehicle", labels)
    assert too_general("bird", ["owl", "eagle"])
    assert not too_general("owl", ["owl", "eagle"])
