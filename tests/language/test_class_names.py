from collections.abc import Callable
from typing import Any

import pytest

from likeness.errors import InputError
from likeness.language import clean_class_name, first_synonym, imagenet_names, readable_names


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("027.Shiny_Cowbird", "Shiny Cowbird"),
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
    assert clean_class_name(name) == clean_class_name(cleaned) == cleaned
    assert readable_names([name, "002.Tern", name]) == [cleaned, "Tern", cleaned]


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        *[(clean_class_name, name, "has no word") for name in ("", "  ", "___")],
        (clean_class_name, 3, "class name 3 is not a string"),
        *[(readable_names, names, "list of at least one class name") for names in ([], "Tern")],
        (first_synonym, ", tench", "begins with an empty synonym"),
    ],
)
def test_what_is_no_name(function: Callable[[Any], Any], given: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        function(given)


@pytest.mark.parametrize(
    ("name", "first"), [("tench, Tinca tinca", "tench"), ("bee", "bee"), ("n02077923 sea lion, sea wolf", "sea lion"), ("a,b, c", "a,b")]
)
def test_first_synonym(name: str, first: str) -> None:
    assert first_synonym(name) == first


def test_imagenet_in_the_order_of_the_outputs() -> None:
    names = imagenet_names()
    assert len(names) == 1000
    assert (names[0], names[2], names[817], names[999]) == ("tench", "great white shark", "sports car", "toilet tissue")
    twice = {name for name in names if names.count(name) > 1}
    assert twice == {"crane", "maillot"}
