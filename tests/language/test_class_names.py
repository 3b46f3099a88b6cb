"""Class names as a person would write them."""

import pytest

from likeness.errors import InputError
from likeness.language import clean_class_name, first_synonym, imagenet_names, readable_names


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("027.Shiny_Cowbird", "Shiny Cowbird"),
        ("001.Black_footed_Albatross", "Black footed Albatross"),
        ("n01440764-tench", "tench"),
        ("n01440764_tench", "tench"),
        ("n01440764 tench, Tinca tinca", "tench, Tinca tinca"),
        ("003_red-car", "red-car"),
        ("AM General Hummer SUV 2000", "AM General Hummer SUV 2000"),
        ("911_Turbo", "911 Turbo"),
        ("3-series", "3-series"),
        ("2.5_liter", "2.5 liter"),
        ("GrandCherokee", "GrandCherokee"),
        ("  a__b \t c ", "a b c"),
        ("Chuck_will_s_widow", "Chuck will s widow"),
        ("Bluebird_Émile", "Bluebird Émile"),
        ("007", "007"),
        ("n01440764", "n01440764"),
    ],
)
def test_cleaned(name: str, cleaned: str) -> None:
    assert clean_class_name(name) == cleaned


@pytest.mark.parametrize("name", ["027.Shiny_Cowbird", "n01440764-tench", "AM General Hummer SUV 2000", " x_y "])
def test_cleaning_again_changes_nothing(name: str) -> None:
    once = clean_class_name(name)
    assert clean_class_name(once) == once


@pytest.mark.parametrize("name", ["", "  ", "___"])
def test_nothing_left(name: str) -> None:
    with pytest.raises(InputError, match="holds no word"):
        clean_class_name(name)


def test_not_a_string() -> None:
    with pytest.raises(InputError, match="class name 3 is not a string"):
        clean_class_name(3)  # type: ignore[arg-type]


def test_several_keep_order_and_may_become_equal() -> None:
    assert readable_names(["002.Tern", "001.Gull", "099.Tern"]) == ["Tern", "Gull", "Tern"]


@pytest.mark.parametrize("names", [[], "Tern"])
def test_no_list(names) -> None:
    with pytest.raises(InputError, match="list of at least one class name"):
        readable_names(names)


@pytest.mark.parametrize(
    ("name", "first"), [("tench, Tinca tinca", "tench"), ("bee", "bee"), ("n02077923 sea lion, sea wolf", "sea lion"), ("a,b, c", "a,b")]
)
def test_first_synonym(name: str, first: str) -> None:
    assert first_synonym(name) == first


def test_an_empty_first_synonym() -> None:
    with pytest.raises(InputError, match="begins with an empty synonym"):
        first_synonym(", tench")


def test_imagenet_in_the_order_of_the_outputs() -> None:
    names = imagenet_names()
    assert len(names) == 1000
    assert (names[0], names[2], names[817], names[999]) == ("tench", "great white shark", "sports car", "toilet tissue")
    twice = {name for name in names if names.count(name) > 1}
    assert twice == {"crane", "maillot"}
