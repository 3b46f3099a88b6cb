import pytest

from likeness.errors import InputError
from likeness.notions import Notion, parse_aspects


def test_every_aspect_stands_in_every_template_however_they_are_given() -> None:
    notion = Notion("car color", ["a {} car", "a car painted {}"], ["red", " dark blue "])
    assert notion.prompts == ["a red car", "a dark blue car", "a car painted red", "a car painted dark blue"]
    assert notion.templates == ("a {} car", "a car painted {}")
    assert Notion("color", ["a {} car"], ["red", "blue"]) == Notion("color", "a {} car", ("red", "blue"))
    assert hash(Notion("color", "a {} car", ["red", "blue"])) == hash(Notion("color", "a {} car", ("red", "blue")))
    assert Notion("odd", "a {} car", ["{x}", "100%"]).prompts == ["a {x} car", "a 100% car"]


def test_duplicates_are_kept_and_reported() -> None:
    notion = Notion("color", "a {} car", ["red", "blue", "red"])
    assert notion.prompts == ["a red car", "a blue car", "a red car"]
    assert notion.duplicates == ["a red car"]


@pytest.mark.parametrize(("name", "slug"), [("car color", "car-color"), ("Size_2", "size-2"), ("  A--b ", "a-b")])
def test_slug(name: str, slug: str) -> None:
    assert Notion(name, "a {}", ["x", "y"]).slug == slug


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"aspects": []}, "'color' has no aspects; list what varies"),
        ({"aspects": ["red"]}, "only one aspect, 'red'"),
        ({"aspects": ["red", "red "]}, "only one aspect, 'red'"),
        ({"aspects": ["red", " ", "blue"]}, "Aspect 2 of the notion 'color' is blank"),
        ({"aspects": "red"}, "aspects of the notion 'color' are 'red'; give a list"),
        ({"aspects": ["red", 3]}, "hold 3, which is not a text"),
        ({"template": "a car"}, r"'a car' has no \{\}; write \{\} exactly once"),
        ({"template": "a {} {} car"}, r"has 2 times \{\}"),
        ({"template": ["a {} car", "red"]}, r"'red' has no \{\}"),
        ({"template": []}, "has no template"),
        ({"name": " "}, "The notion has no name"),
    ],
)
def test_invalid_notions_are_refused(fields: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Notion(**{"name": "color", "template": "a {} car", "aspects": ["red", "blue"], **fields})


@pytest.mark.parametrize(
    ("text", "aspects"),
    [
        ("red, dark blue,, green ", ("red", "dark blue", "green")),
        ("red\n\n dark blue \r\ngreen, light", ("red", "dark blue", "green, light")),
        ("\"red\"; 'blue'", ("red", "blue")),
        ("red\tblue", ("red", "blue")),
        ("  \n ", ()),
    ],
)
def test_aspects_from_pasted_text(text: str, aspects: tuple[str, ...]) -> None:
    assert parse_aspects(text) == aspects
