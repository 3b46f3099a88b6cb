"""How many images match, in Explore without a browser: answers, what is said and selected, and states in which nothing can be."""

from pathlib import Path

import pandas as pd

import likeness as lk
from app_page import Page
from likeness.cutoffs import SpaceMatches, other_prompts
from likeness.notions import get_notion
from pages.explore.matching import _answer, by_row
from parts import cached
from worlds import copy_cars, dataset


def _asked(app: Page) -> int:
    body = next(each.proto.body for each in app.get("html") if 'class="asked"' in each.proto.body)
    return int(body.split("/")[3].split('"')[0])


def _open(app: Page, **asked: str) -> Page:
    return app.visit(**asked).press("How many match?")


RED = {"text": "a red car", "a": "Car color", "b": "None"}


def test_yes_and_no_follow_the_finder_and_end_in_a_promise(app: Page) -> None:
    view = _open(app, **RED).session_state["view"]
    color = view.frame["car_color"]
    found = SpaceMatches(view.a, "a red car", other_prompts(get_notion("car color"), "a red car"))
    app.says("guess from the scores only", f"{len(found.cut_off().rows):,} match")
    answers: dict[int, bool] = {}
    for _ in range(30):
        row = _asked(app)
        assert row == int(found.next_to_ask(answers)[0])
        answers[row] = bool(color.iloc[row] == "red")
        app.press("Yes" if answers[row] else "No")
    cut = found.cut_off(answers)
    assert cut.promise
    app.says(cut.promise.sentence, f"30 answers: {sum(answers.values())} yes")
    rows = app.press("Select the matches").session_state["rows"]
    assert rows.tolist() == sorted(cut.corrected(answers).tolist())
    assert (color.iloc[rows] == "red").mean() > 0.9
    app.press(f"Select the {len(cut.promise.rows):,} guaranteed")
    assert app.session_state["rows"].tolist() == sorted(cut.promise.rows.tolist())


def test_answers_survive_a_change_of_page_and_are_of_one_query_space_and_session(app: Page) -> None:
    first = _asked(_open(app, **RED))
    asked = _asked(app.press("Yes").press("No"))
    app.open("notions").open("explore").says("2 answers: 1 yes, 1 no.")
    assert _asked(app) == asked
    app.set("text", "a blue car").says("most informative images come first")
    app.set("text", "a red car").says("2 answers")
    app.set("a", "Raw encoder").says("most informative images come first")
    _open(app.fresh("layout"), **RED).says("most informative images come first")
    app.set("a", "car color").press("Undo").press("Undo")
    assert _asked(app) == first
    assert app.button_of("Undo").disabled
    app.press("Yes").set("b", "Raw encoder").says("1 answer: 1 yes, 0 no.")  # of two spaces the first
    app.session_state["filter_body_type"] = ["suv"]
    assert app.run().session_state["view"].hidden is not None
    assert app.session_state["view"].frame["body_type"].iloc[_asked(app)] == "suv"


def test_an_image_as_the_query_is_not_asked_about_and_a_space_that_reads_no_text_says_so(app: Page) -> None:
    _open(app, query="7", a="Car color", b="None")
    for _ in range(3):
        assert _asked(app) != 7
        app.press("Yes")
    assert 7 not in app.press("Select the matches").session_state["rows"]
    assert "How many match?" in app.press("Back to the neighbors").labels
    app = app.fresh("layout").visit()
    view = app.session_state["view"]
    cached.keep(view.entry.id, lk.Space(view.base.vectors, view.base.table, name="Vectors"))
    app.session_state["text"] = "a red car"
    app.run().press("How many match?").says("Neither map can be searched")


def test_one_or_two_images_are_too_few_and_three_can_all_be_answered(app: Page, tmp_path: Path) -> None:
    for count in (1, 2, 3):
        entry = dataset(copy_cars(tmp_path / f"few-{count}", range(count)))
        page = _open(app.fresh(), dataset=entry.id, text="a red car")
        assert ("too few images" in page.texts) == (count < 3)
    for _ in range(3):
        page.press("No")
    page.says("You have answered for every image.", "No image matches").hides("About")


def test_an_image_is_found_by_its_path_where_rows_have_moved_and_its_last_answer_counts() -> None:
    answers, paths = {"a.png": True, "c.png": False, "b.png": False}, pd.Series(["a.png", "b.png", "c.png"])
    assert list(by_row(answers, paths).items()) == [(0, True), (2, False), (1, False)]
    assert by_row(answers, pd.Series(["x.png", "c.png", "a.png"])) == {2: True, 1: False}
    assert by_row({}, paths) == {}
    _answer(answers, "a.png", False)
    assert list(by_row(answers, paths).items()) == [(2, False), (1, False), (0, False)]
