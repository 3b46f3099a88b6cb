from dataclasses import replace

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.notions import Click, Composition, Notion, click_pairs, parse_aspects, parts_of, read_notion, write_notion


def test_every_aspect_stands_in_every_template_however_they_are_given() -> None:
    notion = Notion("car color", ["a {} car", "a car painted {}"], ["red", " dark blue "])
    assert notion.prompts == ["a red car", "a dark blue car", "a car painted red", "a car painted dark blue"]
    assert notion.templates == ("a {} car", "a car painted {}")
    assert Notion("color", ["a {} car"], ["red", "blue"]) == Notion("color", "a {} car", ("red", "blue"))
    assert hash(Notion("color", "a {} car", ["red", "blue"])) == hash(Notion("color", "a {} car", ("red", "blue")))
    assert Notion("odd", "a {} car", ["{x}", "100%"]).prompts == ["a {x} car", "a 100% car"]
    assert Notion("color", "a {} car", ["red", "blue", "red"]).prompts == ["a red car", "a blue car", "a red car"]
    assert [Notion(name, "a {}", ["x", "y"]).slug for name in ("car color", "Size_2", "  A--b ")] == ["car-color", "size-2", "a-b"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"aspects": []}, "'color' has no aspects; list what varies"),
        ({"aspects": ["red"]}, "only one aspect, 'red'"),
        ({"aspects": ["red", "red "]}, "only one aspect, 'red'"),
        ({"aspects": ["red", " ", "blue"]}, "Aspect 2 of the notion 'color' is blank"),
        ({"aspects": "red"}, "aspects of the notion 'color' are 'red'; expected a list"),
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


NOTION = Notion("color", "a {} car", ["red", "green", "blue", "white"])
CLICKS = (Click("0.png", "4.png", True), Click("7.png", "2.png", False, ("5.png", "6.png")))


def test_clicks_are_written_and_read(tmp_path):
    notion = replace(NOTION, clicks=CLICKS)
    write_notion(tmp_path / "color.yaml", notion)
    assert read_notion(tmp_path / "color.yaml") == notion
    assert (tmp_path / "color.yaml").read_text().count("passed") == 1
    assert "clicks" not in (write_notion(tmp_path / "plain.yaml", NOTION), (tmp_path / "plain.yaml").read_text())[1]


@pytest.mark.parametrize(
    "listed",
    ["clicks: 3", "clicks: [a]", "clicks:\n- {query: a, neighbor: b}", "clicks:\n- {query: a, neighbor: a, alike: true}",
     "clicks:\n- {query: a, neighbor: b, alike: perhaps}", "clicks:\n- {query: '', neighbor: b, alike: true}",
     "clicks:\n- {query: a, neighbor: b, alike: false, passed: c}", "clicks:\n- {query: a, neighbor: b, alike: false, passed: ['']}",
     "clicks:\n- {query: a, neighbor: b, alike: false, passed: [a]}", "clicks:\n- {query: a, neighbor: b, alike: true, passed: [c]}",
     "clicks:\n- {query: a, neighbor: b, alike: false, seen: [c]}"],
)  # fmt: skip
def test_what_is_no_click_is_refused_with_the_file_named(tmp_path, listed):
    path = tmp_path / "color.yaml"
    write_notion(path, NOTION)
    path.write_text(f"{path.read_text()}{listed}\n")
    with pytest.raises(InputError, match=r"color\.yaml' is not valid: .*click"):
        read_notion(path)


def test_a_notion_takes_clicks_alone_and_a_fit_does_not_follow_from_them():
    with pytest.raises(InputError, match=r"must each be a likeness\.notions\.Click"):
        replace(NOTION, clicks=("a",))
    clicked = replace(NOTION, clicks=CLICKS)
    assert clicked.content == NOTION.content
    whole = replace(clicked, joined=((1.0, replace(clicked, name="other")),))
    assert [part.clicks for _, part in parts_of(whole)] == [(), ()]
    assert Composition(((1.0, clicked),)).as_notion("both").clicks == ()


def test_pairs_are_rows_of_images_that_are_here_the_last_answer_counts_and_what_was_let_pass_is_alike_unless_refused():
    clicks = [Click("b", "a", True), Click("a", "c", True), Click("a", "gone", True), Click("a", "b", False)]
    pairs, alike, said = click_pairs(clicks, ["z", "a", "b", "c"])
    assert pairs.tolist() == [[1, 2], [1, 3]]
    assert alike.tolist() == [False, True]
    assert said.all()
    turned, answers, _ = click_pairs(clicks[::-1][1:], ["z", "a", "b", "c"])
    np.testing.assert_array_equal(turned, pairs)
    assert answers.tolist() == [True, True]
    assert [each.shape for each in click_pairs([], [])] == [(0, 2), (0,), (0,)]
    refused = [Click("a", "c", False), Click("a", "d", False, ("b", "c", "gone"))]
    for given in (refused, refused[::-1]):
        found = [each.tolist() for each in click_pairs(given, ["a", "b", "c", "d"])]
        assert found == [[[0, 1], [0, 2], [0, 3]], [True, False, False], [False, True, True]]
