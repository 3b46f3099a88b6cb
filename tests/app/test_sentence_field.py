"""The field on the page Notions that turns a sentence into a notion."""

from typing import Any

import pytest

from app_page import Page

FIELD = "Describe it in one sentence"


def _labeled(app: Page, kind: str, label: str) -> Any:
    return next(element for element in getattr(app, kind) if element.label == label)


def _say(app: Page, sentence: str) -> Page:
    _labeled(app, "text_input", FIELD).set_value(sentence).run()
    return app


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
    before = _aspects(_say(page, "the color of the car"))
    pills = next(each for each in page.pills if each.label.startswith("Left out"))
    word = pills.options[0]
    assert word not in before
    pills.set_value(word).run()
    assert _aspects(page) == [*before, word]
    assert _aspects(page.press("Undo")) == before
    assert "names nothing that can vary" in _say(page, "qwrtz frobnicate").texts  # which cannot be read and changes nothing
    assert _aspects(page) == before
    assert "names nothing that can vary" not in _say(page, "background color").texts
    assert _labeled(page, "text_area", "Template").value == "a car in front of a {} background"
