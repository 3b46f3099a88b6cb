"""The rule by which captions label photos, branch by branch, on invented captions."""

import pytest

from likeness.data import CAPTION_RULES, UNLABELED
from likeness.data.readers.caption_labels import caption_label
from likeness.notions import get_notion


@pytest.mark.parametrize(
    ("attribute", "captions", "label"),
    [
        ("setting", ["A dog on the beach", "dogs at the BEACH .", "a dog"], "beach"),
        ("setting", ["A dog on the beach", "a dog", "a dog"], UNLABELED),  # one caption is too few
        ("setting", ["snow on the street"] * 3, UNLABELED),  # two labels with equally many votes
        ("setting", ["snow on the street", "snow", "a street", "deep snow"], "snow"),  # more votes win
        ("setting", ["streetlights", "a grassless poolside"], UNLABELED),  # whole words only
        ("setting", ["a man drinks water", "a water bottle", "water color"], UNLABELED),
        ("setting", ["a dog in the water", "running through shallow water"], "water"),
        ("activity", ["a boy jumps", "a boy leaps over a log", "a boy"], "jumping"),
        ("activity", ["a man sits and a man stands"] * 5, UNLABELED),
        ("dog_color", ["a black dog", "the black furry dog runs"], "black"),
        ("dog_color", ["a black and white dog", "the white and black puppy"], "black and white"),
        ("dog_color", ["a tan dog", "a golden retriever"], "brown"),
        ("dog_color", ["a black and brown dog"] * 3, UNLABELED),  # a mixture that is none of the labels
        ("dog_color", ["a black cat", "a man in a black shirt and a dog"], UNLABELED),
        ("dog_color", ["a black dog and a white dog", "a black dog", "two dogs"], UNLABELED),  # several dogs draw
        ("dog_color", ["a black dog", "a black dog", "a black dog", "two dogs"], "black"),
        ("number_of_people", ["A dog", "Two dogs run", "grass"], "no people"),
        ("number_of_people", ["A man", "The old man sits", "somebody", "two men"], "one person"),
        ("number_of_people", ["A man and a woman", "two young men", "A couple"], "two people"),
        ("number_of_people", ["a couple of boys", "two boys", "two kids"], "two people"),
        ("number_of_people", ["a crowd", "men", "a man with two boys"], "a group of people"),
        ("number_of_people", ["a man", "two men", "a crowd"], UNLABELED),
        ("number_of_people", ["a man", "a man", "people", "people"], UNLABELED),
        ("number_of_people", ["a group of motorcycles"] * 3, "no people"),
    ],
)
def test_each_branch(attribute: str, captions: list[str], label: str) -> None:
    assert caption_label(captions, CAPTION_RULES[attribute]) == label


@pytest.mark.parametrize("attribute", CAPTION_RULES)
def test_the_notion_that_it_judges_has_the_same_words_and_no_captions_give_no_label(attribute: str) -> None:
    assert caption_label([], CAPTION_RULES[attribute]) == UNLABELED
    notion = get_notion(f"flickr-{attribute.replace('_', '-')}")
    assert notion.attribute == attribute
    assert set(notion.aspects) == set(CAPTION_RULES[attribute].labels)
