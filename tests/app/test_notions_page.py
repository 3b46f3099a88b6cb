"""The page Notions: its dimensions, a new notion, pasting and undo, saving in the place of another notion, deleting, and sentences."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from app_page import Page
from likeness.errors import InputError
from likeness.notions import Notion, read_notion, save_notion
from parts import drafts
from parts.sidebar import DRAFT
from worlds import dataset, draw

SOME, NEW = "red\nblue", "New notion (edited)"


@pytest.fixture
def page(app: Page) -> Page:
    """The page as it opens."""
    return app.open("notions")


def _library(cache: Path) -> list[str]:
    return sorted(path.stem for path in (cache / "notions").glob("*.yaml"))


def _yaml(cache: Path, name: str = "paint") -> str:
    return (cache / "notions" / f"{name}.yaml").read_text()


def _score(page: Page) -> float:
    return float(page.metric[0].value)


def _aspects(app: Page) -> str:
    return str(app.control("text_area", "aspects_").value)


def _picked(app: Page) -> str:
    return str(app.control("selectbox", "picked").value)


def _first_picked(app: Page) -> str:
    return str(app.control("selectbox", "picked").options[0])


def test_a_notion_opens_in_as_many_dimensions_as_its_prompts_suggest_until_another_number_is_chosen(page: Page, cache: Path) -> None:
    def dim() -> int:
        return int(page.control("number_input", "dim_").value)

    page.says(" ms, 6 dimensions", "6 dimensions keep 98.5 %")
    assert dim() == 6
    assert _score(page) == pytest.approx(0.958, abs=0.0005)
    assert page.button_of("Save").disabled
    page.fill("text_input", "name", "Paint").fill("number_input", "dim_", 9).says(" ms, 9 dimensions").press("Save")
    assert "dim: 9" in _yaml(cache)
    assert page.button_of("Save").disabled
    page.fill("selectbox", "picked", "viewpoint").fill("selectbox", "picked", "Paint")
    assert dim() == 9
    page.press("Use the suggested 6").press("Save")
    assert dim() == 6
    assert "dim" not in _yaml(cache)
    page.fill("text_area", "aspects_", SOME)
    assert dim() == 2  # the number follows the aspects
    page.fill("number_input", "dim_", 4)
    page.fill("text_area", "aspects_", "red\nblue\ngreen\nyellow\nblack\nwhite\npurple\nteal\nmaroon\ngray\nlime")
    assert dim() == 4


def test_an_unsaved_notion_has_its_own_name_with_a_mark_wherever_it_stands(page: Page) -> None:
    def names() -> list[str]:
        shown = [section["title"] for section in page.sent("before_after")["sections"]]
        panels = [space.name for space in page.session_state["layouts_last"]["notions_cars"]]
        picker = page.control("selectbox", "picked")
        return [str(picker.options[picker.index]), panels[1], *shown]

    assert names() == ["Car color", "car color", "Raw encoder", "Car color"]
    page.fill("text_area", "aspects_", SOME)
    assert names() == ["Car color (edited)", "car color (edited)", "Raw encoder", "Car color (saved)", "Car color (edited)"]
    page.press("Undo")
    assert names() == ["Car color", "car color", "Raw encoder", "Car color"]


def test_the_line_counts_the_prompts_that_an_edit_made_the_encoder_read(page: Page) -> None:
    """Also where something else on the page needs their embeddings before they are fitted."""
    page.says("17 prompts, 0 encoded")
    new = "\n".join(f"shade {number} of red" for number in range(30))
    page.fill("text_area", "aspects_", f"red\n{new}").says("31 prompts, 30 encoded")
    page.press("Undo").says("17 prompts, 0 encoded").fill("text_area", "aspects_", f"red\n{new}").says("31 prompts, 0 encoded")


def test_a_new_notion_is_valid_stands_alone_and_is_saved(page: Page, cache: Path) -> None:
    page.press("New").says("prompts, ").hides("does not know")
    assert page.control("text_input", "name").value == "new notion"
    assert _first_picked(page) == NEW
    assert not page.warning
    assert not page.metric  # no labels judge it: no number of the last notion stays
    assert page.session_state["layouts_last"]["notions_cars"][1].name == "new notion (edited)"
    page.fill("text_input", "name", "Kinds of cars").press("Save")
    assert (_library(cache), _picked(page)) == (["kinds-of-cars"], "Kinds of cars")


def _open_photos(app: Page, tmp_path: Path, classes: tuple[str, ...] = (), encoder: str = "cars") -> Page:
    """The page on eight plain images, in folders of their classes where there are some."""
    app.query_params["open"] = dataset(draw(tmp_path / "mine", 8, classes, size=32), encoder).id
    app.open("notions")
    assert len(app.session_state["view"].frame) == 8
    return app


def test_images_begin_with_a_notion_of_their_labels_or_one_that_their_encoder_reads(app: Page, tmp_path: Path) -> None:
    labeled = _open_photos(app.fresh(), tmp_path / "labeled", ("van", "sedan"))
    assert labeled.control("text_input", "name").value == labeled.control("selectbox", "attribute").value == "class"
    assert (_aspects(labeled), labeled.metric[0].label) == ("sedan\nvan", "MAP@R")
    plain = _open_photos(app.fresh(), tmp_path / "plain")
    assert _first_picked(plain) == NEW
    photos = _open_photos(app.fresh(), tmp_path / "photos", encoder="photos")
    assert photos.control("text_area", "templates").value == "a photo of {}"
    assert "a person" in _aspects(photos)
    for each in (plain, photos):
        assert not each.says("prompts, ").hides("does not know").warning


def test_notions_of_other_images_are_left_behind_with_them_and_edits_stay_in_the_menu(app: Page, tmp_path: Path) -> None:
    app.visit(a="Viewpoint", b="Car color").fill("text_input", "template_", "a photo of a {} car")
    assert app.at("b").value == DRAFT
    app.open("notions").fill("text_area", "aspects_", SOME)
    assert _aspects(_open_photos(app, tmp_path)) == SOME  # an edited notion stays open
    assert [app.at(key).value for key in ("a", "b")] == ["Raw encoder", "None"]
    assert app.at("b").options[-1] == "Car color (edited)"  # after all that fits these images


def test_a_notion_that_was_only_looked_at_is_nobodys_edit_and_gives_way_to_one_for_these(page: Page, tmp_path: Path) -> None:
    assert not any("(edited)" in each for each in page.at("a").options)
    assert _picked(page) == "car color"
    _open_photos(page, tmp_path)
    assert not any("(edited)" in each for each in page.at("a").options)
    assert _first_picked(page) == NEW
    assert page.fill("text_area", "aspects_", SOME).at("a").options[1] == "New notion (edited)"
    assert _picked(page.fill("selectbox", "picked", "viewpoint")) == "viewpoint"  # whoever wants one that these images have no labels for


def test_a_notion_that_is_chosen_colors_the_map_where_another_ones_aspects_did_and_starters_stay(app: Page, tmp_path: Path) -> None:
    from parts import cached
    from server import hand_labels

    def starters() -> list[str]:
        return [str(button.key) for button in app.button if str(button.key).startswith("color_by_")]

    _open_photos(app, tmp_path / "labeled", ("van", "sedan"), "photos").set("color", "aspects of setting").set("b", "kind of animal")
    assert app.at("color").value == "aspects of kind of animal"
    assert app.set("color", "class").set("b", "setting").at("color").value == "class"
    app.set("color", "aspects of setting").fill("selectbox", "picked", "kind of animal")
    assert app.at("color").value == "aspects of kind of animal"
    app = _open_photos(app.fresh("layout"), tmp_path / "plain", encoder="photos")
    entry = app.session_state["view"].entry
    before = app.open("explore").set("color", "aspects of setting") and starters()
    assert before
    hand_labels.store_of(entry, cached.table(entry.id)).add_tag(["0.png", "1.png"], "good", who="me")
    app.run().set("color", "good")
    assert starters() == before


def test_undo_survives_a_pasted_list_that_ends_in_a_line_break(page: Page) -> None:
    before = _aspects(page)
    page.fill("text_area", "aspects_", "red\nblue\ngreen\n").fill("text_area", "aspects_", "red\nblue\n\n").says("2 prompts, ")
    assert _aspects(page.press("Undo")) == "red\nblue\ngreen"
    assert _aspects(page.press("Undo")) == before
    assert page.button_of("Undo").disabled


def test_a_notion_that_ships_is_replaced_after_a_question_and_back_once_that_is_deleted(page: Page, cache: Path) -> None:
    page.hides("ships with Likeness").fill("text_area", "aspects_", SOME).says("“car color” ships with Likeness")
    assert ("Save" not in page.labels, _library(cache)) == (True, [])  # not before the answer
    page.press("Replace it").hides("ships with Likeness")
    assert _library(cache) == ["car-color"]
    page.fill("text_area", "aspects_", "red\nblue\ngreen").press("Save")  # it is the visitor's own by now
    assert "green" in _yaml(cache, "car-color")
    page.says("Delete “car color” from your notions?").press("Delete it").says("17 prompts, ")
    assert (_library(cache), _picked(page)) == ([], "car color")


def test_own_notions_keep_apart_and_what_is_deleted_can_be_restored(page: Page, cache: Path) -> None:
    assert page.button_of("Delete").disabled
    for name in ("Lacquer", "Paint"):
        page.fill("text_input", "name", name).press("Save")
    assert _library(cache) == ["lacquer", "paint"]
    page.fill("text_input", "name", "lacquer").says("You already have a notion “lacquer”.")
    page.fill("text_input", "name", "Paint").fill("number_input", "dim_", 9).hides("You already")
    kept = page.press("Save") and _yaml(cache)
    page.press("Delete it").says("Deleted “Paint”.")
    assert (_library(cache), _picked(page)) == (["lacquer"], "car color")
    assert _picked(page.press("Undo")) == "Paint"
    assert (_first_picked(page), _yaml(cache) if page.press("Save") else "") == ("Paint (edited)", kept)


def test_a_notion_that_cannot_be_fitted_shows_no_other_ones_map_and_does_not_take_the_page_away(app: Page, cache: Path) -> None:
    save_notion(Notion("Nonsense", "{}", ["xqzv", "wjkq"]), folder=cache / "notions")
    app.open("notions").fill("selectbox", "picked", "Nonsense").says("its map appears here").hides("prompts, ")
    assert not app.metric
    app.fill("text_area", "aspects_", SOME).says("2 prompts, ")
    app.fill("text_area", "templates", "no place for an aspect").says("last valid version", "2 prompts, ")
    app.fill("text_area", "templates", "{}").set("a", DRAFT).fill("text_area", "aspects_", "xqzv\nwjkq")
    assert _aspects(app) == "xqzv\nwjkq"
    assert "Nonsense (edited) is not shown." in app.sidebar.warning[0].value
    assert not app.fill("text_area", "aspects_", SOME).sidebar.warning


def test_a_notion_is_joined_weighed_taken_away_and_removed(page: Page, cache: Path) -> None:
    alone = _score(page)
    page.fill("multiselect", "joined_", ["background color"])
    weight = page.control("number_input", "weight_0_1")
    assert (weight.value, weight.label) == (1.0, "Background color: weight")
    both = _score(page)
    assert both < alone  # judged by the color of the car alone
    page.fill("number_input", "weight_0_1", -1.0)
    assert page.control("number_input", "weight_0_1").label == "Background color: weight (taken away)"
    assert _score(page) > both
    page.fill("text_input", "name", "Paint only").press("Save")
    saved = read_notion(cache / "notions" / "paint-only.yaml")
    assert [(part, each.name) for part, each in saved.joined] == [(-1.0, "background color")]
    for place, value in (("number_input", 0.0), ("multiselect", [])):
        kind = "weight_0_1" if place == "number_input" else "joined_"
        assert _score(page.fill(place, kind, value)) == alone
        assert page.press("Undo").control("number_input", "weight_0_1").value == -1.0
    history = page.session_state["draft_history"]
    text = json.dumps([asdict(draft) for draft in history])
    assert drafts.history_of(text) == history  # a kept draft holds what is joined
    much, form = json.loads(text), json.loads(text)
    much[-1]["joined"][0][0], form[-1]["joined"] = "much", [[1.0]]
    for broken in (json.dumps(much), json.dumps(form), text.replace('"solver": "exact"', '"solver": "magic"')):
        with pytest.raises(InputError, match=r"damaged|another form"):
            drafts.history_of(broken)


def test_another_method_fits_and_says_what_it_cannot(page: Page) -> None:
    exact = _score(page)
    assert _score(page.fill("selectbox", "solver", "probabilities").hides("mean angle")) > exact
    assert not [field for field in page.number_input if str(field.key).startswith("dim_")]  # it has none to choose
    page.fill("multiselect", "joined_", ["background color"]).says("and cannot be combined with others")


def test_the_notions_of_the_images_are_listed_and_opened_and_nonsense_is_not_to_be_relied_on(page: Page) -> None:
    page.press("Which notions do these images have?").says("**Sun height**", "Reliable (", "What else the images differ in")
    [button for button in page.button if button.label == "Open"][-1].click().run()  # the one that can be trusted least
    assert page.hides("What else the images differ in").control("text_input", "name").value == "background color"
    page.fill("text_area", "aspects", "blorb\nquux\nfnord").says("do not rely on")


def _say(app: Page, sentence: str) -> Page:
    return app.fill("text_area", "question", sentence).press("Suggest template and aspects")


def test_a_question_fills_the_form_is_fitted_and_left_behind_by_another_notion(page: Page) -> None:
    _say(page, "Two cars are similar if they have the same color").says("Varies: **color**")
    assert page.control("text_area", "templates").value == "a {} car"
    assert {"red", "blue", "dark green"} <= set(_aspects(page).splitlines())
    assert page.control("text_input", "name").value == "car color 2"  # "car color" ships
    assert page.control("text_area", "question").value == "Two cars are similar if they have the same color"
    assert _score(page) > 0.9  # judged by the labels of that name
    page.fill("selectbox", "picked", "viewpoint").hides("Varies: ")


def test_what_a_question_left_out_can_be_added_back_and_undone(page: Page) -> None:
    before = _aspects(_say(page, "the color of the car"))
    pills = next(each for each in page.pills if each.label.startswith("Left out"))
    word = pills.options[0]
    assert word not in before.splitlines()
    pills.set_value(word).run()
    assert _aspects(page) == f"{before}\n{word}"
    assert _aspects(page.press("Undo")) == before
    _say(page, "qwrtz frobnicate").says("contains no property that can vary")  # which cannot be read and changes nothing else
    assert _aspects(page) == before
    _say(page, " ").says("Write a question first")
    _say(page, "background color").hides("contains no property that can vary")
    assert page.control("text_area", "templates").value == "a car in front of a {} background"
