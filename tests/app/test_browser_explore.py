"""Explore in a real browser: clicks that mend a sentence, queries of several parts, the table, saved views, and Back."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import likeness as lk
from browsing import Person
from likeness.notions import Notion
from likeness.sentences import notion_from_sentence
from parts import drafts
from worlds import cars, dataset, draw

pytestmark = pytest.mark.long

_MEANT, _SHOWN = "background_color", 24  # what "the same color" is meant to say; neighbors on the page
_LIKED, _NOT = 2, 3


def _asked(space: lk.Space, notion: Notion) -> tuple[int, list[tuple[int, bool]]]:
    """The first image among whose neighbors two are of the same background, with their ranks and those of three that are not."""
    labels, seen = space.table.frame[_MEANT].to_numpy(), space.refit(notion)
    for query in range(len(labels)):
        same = labels[seen.nearest(query, _SHOWN).rows] == labels[query]
        liked, others = same.nonzero()[0] + 1, (~same).nonzero()[0] + 1
        if len(liked) >= _LIKED:
            return query, [(int(rank), True) for rank in liked[:_LIKED]] + [(int(rank), False) for rank in others[:_NOT]]
    raise AssertionError("no image has two such neighbors")


def test_a_sentence_becomes_what_was_meant_by_five_clicks_and_back(person: Person, server: Any) -> None:
    space = lk.embed(lk.read("cars"), "cars")
    typed = notion_from_sentence("same color", space).notion
    query, answers = _asked(space, typed)
    (server.cache / "drafts").mkdir(parents=True, exist_ok=True)
    (server.cache / "drafts" / "0123456789abcdef.json").write_text(json.dumps([drafts.asdict(drafts.of(typed))]))
    person.open(f"?layout=PCA&a=My%20edits&query={query}&draft=0123456789abcdef").map()
    assert f"By {typed.name}" in person.text
    for count, (rank, alike) in enumerate(answers, start=1):
        person.page.get_by_role("button", name=re.compile(f"^{'More' if alike else 'Not'} like this: rank {rank},")).click()
        person.says(f"{count} click{'s' if count > 1 else ''}: ").settle()
    assert "By car background color" in person.text
    became = notion_from_sentence("same background color", space).notion
    before, after = (space.refit(notion).metrics(by=_MEANT, include=["map_at_r"])["map_at_r"] for notion in (typed, became))
    assert after > before + 0.5
    same = person.page.locator(".ga-section .ga-caption").all_inner_texts()
    assert len(set(same[:_SHOWN])) == 1  # all neighbors have one background
    for left in (4, 3):
        person.press("Undo").says(f"{left} clicks: ").settle()
    assert f"By {typed.name}" in person.text


def _terms(person: Person) -> list[str]:
    return person.settle().asked.get("term", [])


def test_a_picture_is_dragged_into_the_query_and_a_word_typed_turned_weighed_and_removed(person: Person) -> None:
    page = person.open("?layout=PCA&query=5").map().heading("Neighbors of").page
    bar = page.get_by_role("group", name="The query")
    assert bar.locator(".qb-chip").count() == 1
    page.locator(".ga-cell").nth(3).drag_to(bar)
    person.heading("Images for the whole query")
    dragged = _terms(person)
    assert dragged[0] == "1 row:5"
    assert len(dragged) == 2
    person.fill("Search by text", "a red car")
    bar.get_by_text("a red car").wait_for()
    assert _terms(person) == [*dragged, "1 text:a red car"]
    assert page.get_by_label("Search by text").input_value() == ""
    for pressed, then in (
        ("With a red car; click to exclude it", "Without a red car; click to include it"),
        ("Weight 1 of a red car; click to change it", "Weight 2 of a red car; click to change it"),
    ):
        bar.get_by_role("button", name=pressed).click()
        bar.get_by_role("button", name=then).wait_for()
    assert _terms(person) == [*dragged, "-2 text:a red car"]
    assert bar.locator(".qb-chip").count() == 3
    bar.get_by_role("button", name="Remove a red car from the query").press("Enter")
    bar.get_by_text("a red car").wait_for(state="detached")
    assert _terms(person) == dragged
    person.click(".ga-tile").press("Search with it").heading("Neighbors of")  # which makes the image the only query
    assert _terms(person) == []
    person.open("?layout=PCA&text=a+red+car").map()  # and by the keyboard
    bar.get_by_role("button", name="Add words").press("Enter")
    page.wait_for_function("document.querySelector('[aria-label=\"Search by text\"]').value === ''")
    assert _terms(person) == ["1 text:a red car"]
    page.locator(".ga-add").first.focus()
    person.keys("Enter").heading("Images for the whole query")
    page.wait_for_function("new URLSearchParams(location.search).getAll('term').length === 2")
    assert _terms(person)[1].startswith("1 row:")


_HEAD, _ROW = 36, 46  # pixels of the table


def _grid(person: Person) -> Any:
    person.page.locator("[data-testid='stDataFrame'] canvas").first.wait_for()
    return person.settle().page.locator("[data-testid='stDataFrame']").bounding_box()


def _tick(person: Person, place: int) -> list[int]:
    """What is selected after a click on the box of a row."""
    box = _grid(person)
    person.page.mouse.click(box["x"] + 18, box["y"] + _HEAD + _ROW * (place + 0.5))
    return person.settle().rows


def test_table_and_map_share_one_selection(person: Person) -> None:
    page = person.open("?layout=PCA").map().page
    person.press("View").click(page.get_by_text("Table", exact=True)).keys("Escape")
    assert [_tick(person, place) for place in (1, 3)] == [[1], [1, 3]]
    person.heading("2 selected")
    assert _tick(person, 1) == [3]
    assert person.press("Clear").rows == []
    stage = page.locator(".lm-overlay").first.bounding_box()
    page.locator(".lm-tool[aria-label*='ox']").first.click()
    page.mouse.move(stage["x"] + 0.4 * stage["width"], stage["y"] + 0.4 * stage["height"])
    page.mouse.down()
    page.mouse.move(stage["x"] + 0.5 * stage["width"], stage["y"] + 0.5 * stage["height"], steps=4)
    page.mouse.up()
    chosen = person.settle().rows
    assert len(chosen) > 2
    person.heading(f"{len(chosen)} selected")
    assert _tick(person, 0) == chosen[1:]  # it was ticked, so that this takes it out


def _focused(person: Person) -> str:
    """The label of what has the focus, however deep."""
    look = "let at = document.activeElement; while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at.title"
    return str(person.page.evaluate(f"() => {{ {look} }}"))


def test_a_picture_is_opened_walked_labeled_and_searched_with_by_keys_and_closed_where_it_was(person: Person) -> None:
    page = person.open("?layout=PCA&b=Car+color").map().heading("2,000 images").page
    tiles, dialog = page.get_by_role("region").locator(".ga-tile"), page.get_by_role("dialog")
    assert tiles.first.bounding_box()["y"] < 400  # one row of controls stands above
    tiles.nth(3).focus()
    title = _focused(person)
    person.keys("Enter")
    dialog.get_by_role("heading", name="00003.webp").wait_for()
    page.wait_for_function("document.querySelector('.st-key-viewer_place')")
    dialog.locator(".vi-stage img[src*='/pictures/cars/3']").wait_for()
    assert dialog.locator("dd").first.inner_text() == cars().table.frame["body_type"].iloc[3]
    dialog.locator(".vi-near section").nth(1).wait_for()
    assert dialog.locator(".vi-near h3").all_inner_texts() == ["Nearest in Raw encoder", "Nearest in Car color"]
    person.keys("ArrowRight", "ArrowRight", "ArrowLeft")
    dialog.get_by_role("heading", name="00004.webp").wait_for()
    assert dialog.locator(".vi-place").inner_text() == "5 of 600"
    dialog.get_by_label("New label").fill("breed: pug")
    person.keys("Enter")
    pug = dialog.get_by_role("button", name="breed: pug", pressed=True)
    pug.wait_for()
    dialog.locator(".vi-stage").focus()
    person.keys("1")
    pug.wait_for(state="detached")
    first = int(cars().nearest(4).rows[0])
    dialog.locator(".vi-tile").first.click()
    dialog.get_by_role("heading", name=f"{first:05}.webp").wait_for()
    person.keys("Escape")
    dialog.wait_for(state="detached")
    assert _focused(person) == title
    tiles.nth(6).click()
    dialog.locator(".vi-stage").click()  # a second click goes back
    dialog.wait_for(state="detached")
    tiles.nth(6).click()
    person.press("Select").keys("Escape")
    assert person.settle().rows == [6]
    tiles.nth(6).click()
    person.press("What does this space look at?").heading("Saliency")
    assert person.rows == [6]


def test_a_view_is_saved_opened_from_another_page_and_removed(person: Person) -> None:
    page = person.open("?layout=PCA&a=Car+color&filter_body_type=van&query=12").map().page
    person.click(page.get_by_text("Saved views")).fill("Name of the view", "Vans <b>by</b> color")
    view = page.locator("a.saved-view")
    view.wait_for()
    assert view.inner_text() == "Vans <b>by</b> color"
    person.open("continuous").click(page.get_by_text("Saved views")).click(view).map()
    assert {"layout": ["PCA"], "a": ["Car color"], "filter_body_type": ["van"], "query": ["12"]}.items() <= person.asked.items()
    assert "saved" not in person.asked
    assert page.evaluate("location.pathname") == "/"
    page.locator(".lm-count", has_text="305 of 2,000 images").wait_for()
    person.click(page.get_by_text("Saved views")).click("[class*='st-key-view_menu_'] button")
    person.click(page.get_by_text("Remove this view for good")).press("Remove")
    view.wait_for(state="detached")


def test_back_brings_a_cleared_selection_a_query_and_the_images_of_before_back(person: Person, server: Any, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKENESS_CACHE", str(server.cache))
        photos = dataset(draw(tmp_path / "photos", 12, ("a", "b")), "cars-small", "Twelve photos").id
    page = person.open("?layout=PCA").map().heading("2,000 images").page
    begun = page.evaluate("history.length")
    person.open("?layout=PCA&query=5&filter_body_type=van&rows=eNrjYGBg4ABiAABoABE").map().heading("2 selected")
    selected = page.get_by_role("heading", name="2 selected")
    person.press("Clear").press("Clear the query").heading("305 images match the filters")
    assert not {"rows", "query"} & set(person.asked)
    assert page.evaluate("history.length") == begun + 3  # a step for each action
    page.go_back()
    person.heading("Neighbors of")
    assert selected.count() == 0
    page.go_back()
    selected.wait_for()
    assert {"rows", "query"} <= set(person.settle().asked)
    page.go_forward()
    selected.wait_for(state="detached")
    person.settle().choose("Images", "Twelve photos").heading("12 images")
    assert person.asked["dataset"] == [photos]
    assert not {"query", "filter_body_type"} & set(person.asked)
    page.go_back()
    person.heading("Neighbors of")
    assert "dataset" not in person.asked
    assert (person.asked["query"], person.asked["filter_body_type"]) == (["5"], ["van"])
    page.go_forward()
    person.heading("12 images").go("Notions")
    assert person.asked["dataset"] == [photos]
    page.go_back()
    person.heading("12 images")
