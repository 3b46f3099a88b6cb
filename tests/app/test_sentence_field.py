"""The field on the page Notions that turns a sentence into a notion."""

from typing import Any

import pytest

from app_page import Page

FIELD = "Describe it in one sentence"


def _labeled(app: Page, kind: str, label: str) -> Any:
    return next(element for element in getattr(app, kind) if element.label == label)


def _say(app: Page, sentence: str) -> None:
    _labeled(app, "text_input", FIELD).set_value(sentence).run()


def _aspects(app: Page) -> list[str]:
    return _labeled(app, "text_area", "One aspect per line").value.splitlines()


@pytest.fixture
def page(app: Page) -> Page:
    """The page as it opens, with the shipped cars."""
    return app.open("notions")


def test_a_sentence_fills_the_form_is_fitted_and_left_behind_by_another_notion(page: Page) -> None:
    _say(page, "Two cars are similar if they have the same color")
    assert _labeled(page, "text_area", "Template").value == "a {} car"
    assert {"red", "blue", "dark green"} <= set(_aspects(page))
    assert _labeled(page, "text_input", "Name").value == "car color 2"  # "car color" ships
    assert _labeled(page, "text_input", FIELD).value == "Two cars are similar if they have the same color"
    assert "What varies: **color**" in page.texts
    assert float(page.metric[0].value) > 0.9  # judged by the labels of that name
    _labeled(page, "selectbox", "Notion").set_value("viewpoint").run()
    assert _labeled(page, "text_input", FIELD).value == ""
    assert "What varies" not in page.texts


def test_what_was_left_out_can_be_added_back_and_undone(page: Page) -> None:
    _say(page, "the color of the car")
    before = _aspects(page)
    pills = next(each for each in page.pills if each.label.startswith("Left out"))
    word = pills.options[0]
    assert word not in before
    pills.set_value(word).run()
    assert _aspects(page) == [*before, word]
    page.press("Undo")
    assert _aspects(page) == before


def test_one_that_cannot_be_read_changes_nothing_and_says_what_to_write(page: Page) -> None:
    before = _aspects(page)
    _say(page, "qwrtz frobnicate")
    assert "names nothing that can vary" in page.texts
    assert "same color of dog" in page.texts
    assert _aspects(page) == before
    _say(page, "background color")
    assert "names nothing that can vary" not in page.texts
    assert _labeled(page, "text_area", "Template").value == "a car in front of a {} background"
