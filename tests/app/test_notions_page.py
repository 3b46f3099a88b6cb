"""The page Notions: its dimensions, a new notion, pasting and undo, saving in the place of another notion, deleting."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from app_page import Page
from likeness.errors import InputError
from likeness.notions import Notion, read_notion, save_notion
from shared import drafts
from worlds import dataset, draw

SOME, NEW = "red\nblue", "New notion (not saved)"


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

    assert " ms, 6 dimensions, mean angle " in page.texts
    assert "As the prompts suggest: 6 dimensions keep 98.5 %" in page.texts
    assert dim() == 6
    assert _score(page) == pytest.approx(0.958, abs=0.0005)
    assert page.button_of("Save").disabled
    page.fill("text_input", "name", "Paint").fill("number_input", "dim_", 9)
    assert " ms, 9 dimensions, mean angle " in page.texts
    page.press("Save")
    assert "dim: 9" in _yaml(cache)
    assert page.button_of("Save").disabled
    page.fill("selectbox", "picked", "viewpoint").fill("selectbox", "picked", "Paint")
    assert dim() == 9
    page.press("Use 6, as the prompts suggest")
    assert dim() == 6
    page.press("Save")
    assert "dim" not in _yaml(cache)
    page.fill("text_area", "aspects_", SOME)
    assert dim() == 2  # the number follows the aspects
    page.fill("number_input", "dim_", 4)
    page.fill("text_area", "aspects_", "red\nblue\ngreen\nyellow\nblack\nwhite\npurple\nteal\nmaroon\ngray\nlime")
    assert dim() == 4


def test_a_new_notion_is_valid_stands_alone_and_is_saved(page: Page, cache: Path) -> None:
    page.press("New")
    assert page.control("text_input", "name").value == "new notion"
    assert _first_picked(page) == NEW
    assert not page.warning
    assert "does not know" not in page.texts
    assert "prompts, " in page.texts
    assert not page.metric  # no labels judge it: no number of the last notion stays
    assert page.session_state["layouts_notions_cars"][1].name == "new notion"
    page.fill("text_input", "name", "Kinds of cars").press("Save")
    assert _library(cache) == ["kinds-of-cars"]
    assert _picked(page) == "Kinds of cars"


def _open_photos(app: Page, tmp_path: Path, classes: tuple[str, ...] = (), encoder: str = "cars") -> Page:
    """The page on eight plain images, in folders of their classes where there are some."""
    app.query_params["open"] = dataset(draw(tmp_path / "mine", 8, classes, size=32), encoder).id
    app.open("notions")
    assert len(app.session_state["view"].frame) == 8
    return app


def test_images_begin_with_a_notion_of_their_labels_or_one_that_their_encoder_reads(app: Page, tmp_path: Path) -> None:
    labeled = _open_photos(app.fresh(), tmp_path / "labeled", ("van", "sedan"))
    assert labeled.control("text_input", "name").value == labeled.control("selectbox", "attribute").value == "class"
    assert _aspects(labeled) == "sedan\nvan"
    assert labeled.metric[0].label == "MAP@R"
    plain = _open_photos(app.fresh(), tmp_path / "plain")
    assert _first_picked(plain) == NEW
    photos = _open_photos(app.fresh(), tmp_path / "photos", encoder="photos")
    assert photos.control("text_area", "templates").value == "a photo of {}"
    assert "a person" in _aspects(photos)
    for each in (plain, photos):
        assert "does not know" not in each.texts
        assert not each.warning
        assert "prompts, " in each.texts


def test_notions_of_other_images_are_left_behind_with_them_and_edits_stay_in_the_menu(app: Page, tmp_path: Path) -> None:
    app.run().set("a", "viewpoint").set("b", "car color").fill("text_input", "template_", "a photo of a {} car")
    assert app.at("b").value == "My edits"
    app.open("notions").fill("text_area", "aspects_", SOME)
    assert _aspects(_open_photos(app, tmp_path)) == SOME  # an edited notion stays open
    assert [app.at(key).value for key in ("a", "b")] == ["Raw encoder", "None"]
    assert app.at("b").options[-1] == "My edits"  # after all that fits these images


def test_a_notion_that_was_only_looked_at_is_nobodys_edit_and_gives_way_to_one_for_these(page: Page, tmp_path: Path) -> None:
    assert "My edits" not in page.at("a").options
    assert _picked(page) == "car color"
    _open_photos(page, tmp_path)
    assert "My edits" not in page.at("a").options
    assert _first_picked(page) == NEW
    assert page.fill("text_area", "aspects_", SOME).at("a").options[1] == "My edits"
    assert _picked(page.fill("selectbox", "picked", "viewpoint")) == "viewpoint"  # whoever wants one that these images have no labels for


def test_a_notion_that_is_chosen_colors_the_map_where_another_ones_aspects_did_and_starters_stay(app: Page, tmp_path: Path) -> None:
    import hand_labels
    from shared import cached

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
    page.fill("text_area", "aspects_", "red\nblue\ngreen\n").fill("text_area", "aspects_", "red\nblue\n\n")
    assert "2 prompts, " in page.texts
    assert _aspects(page.press("Undo")) == "red\nblue\ngreen"
    assert _aspects(page.press("Undo")) == before
    assert page.button_of("Undo").disabled
    # a draft kept with blank lines, as one from before: what the rows of the table show is not taken for an edit of it
    history = page.session_state["draft_history"]
    page.session_state["draft_history"] = [*history, replace(history[-1], aspects=" red\nblue \n")]
    page.session_state["form"] += 1
    page.run()
    assert len(page.session_state["draft_history"]) == 2
    assert page.press("Undo").button_of("Undo").disabled


def test_a_notion_that_ships_is_replaced_after_a_question_and_back_once_that_is_deleted(page: Page, cache: Path) -> None:
    page.fill("text_area", "aspects_", SOME)
    for answer in ("Cancel", "Replace it"):
        page.press("Save")
        assert "“car color” ships with Likeness" in page.texts
        assert _library(cache) == []
        page.press(answer)
        assert "ships with Likeness" not in page.texts
        assert _library(cache) == ([] if answer == "Cancel" else ["car-color"])
    page.fill("text_area", "aspects_", "red\nblue\ngreen").press("Save")  # it is the visitor's own by now
    assert "green" in _yaml(cache, "car-color")
    page.press("Delete")
    assert _library(cache) == []
    assert _picked(page) == "car color"
    assert "17 prompts, " in page.texts


def test_own_notions_keep_apart_and_what_is_deleted_can_be_restored(page: Page, cache: Path) -> None:
    assert page.button_of("Delete").disabled
    for name in ("Lacquer", "Paint"):
        page.fill("text_input", "name", name).press("Save")
    assert _library(cache) == ["lacquer", "paint"]
    page.fill("text_input", "name", "lacquer").press("Save")
    assert "You have a notion “lacquer” already." in page.texts
    page.fill("text_input", "name", "Paint").fill("number_input", "dim_", 9)
    assert "already" not in page.texts
    kept = page.press("Save") and _yaml(cache)
    page.press("Delete")
    assert _library(cache) == ["lacquer"]
    assert "Deleted “Paint”." in page.texts
    assert _picked(page) == "car color"
    page.press("Restore")
    assert (_yaml(cache), _picked(page)) == (kept, "Paint")
    assert "Deleted" not in page.texts


def test_a_notion_that_cannot_be_fitted_shows_no_other_ones_map(app: Page, cache: Path) -> None:
    save_notion(Notion("Nonsense", "{}", ["xqzv", "wjkq"]), folder=cache / "notions")
    app.open("notions").fill("selectbox", "picked", "Nonsense")
    assert "Change it, and its map appears here." in app.texts
    assert "prompts, " not in app.texts
    assert not app.metric
    assert "2 prompts, " in app.fill("text_area", "aspects_", SOME).texts
    app.fill("text_area", "templates", "no place for an aspect")
    assert "The map shows the last version that could be fitted." in app.texts
    assert "2 prompts, " in app.texts


def test_the_edited_notion_in_the_sidebar_does_not_take_the_page_away(page: Page) -> None:
    """While it cannot be fitted, as where its encoder knows none of its words."""
    page.fill("text_area", "aspects_", "red\ngreen").set("a", "My edits")
    page.fill("text_area", "aspects_", "xqzv\nwjkq")
    assert _aspects(page) == "xqzv\nwjkq"
    assert "My edits is not shown." in page.sidebar.warning[0].value
    page.fill("text_area", "aspects_", SOME)
    assert not page.sidebar.warning


def test_a_notion_is_joined_weighed_taken_away_and_removed(page: Page, cache: Path) -> None:
    alone = _score(page)
    page.fill("selectbox", "joined_0", "background color")
    weight = page.control("number_input", "weight_0_1")
    assert (weight.value, weight.label) == (1.0, "Weight of background color")
    both = _score(page)
    assert both < alone  # judged by the color of the car alone
    page.fill("number_input", "weight_0_1", -1.0)
    assert "without **background color**" in page.texts
    assert _score(page) > both
    page.fill("text_input", "name", "Paint only").press("Save")
    saved = read_notion(cache / "notions" / "paint-only.yaml")
    assert [(part, each.name) for part, each in saved.joined] == [(-1.0, "background color")]
    assert _score(page.fill("number_input", "weight_0_1", 0.0)) == alone
    assert "without **background color**" in page.press("Undo").texts
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
    assert _score(page.fill("selectbox", "solver", "probabilities")) > exact
    assert "mean angle" not in page.texts
    assert not [field for field in page.number_input if str(field.key).startswith("dim_")]  # it has none to choose
    assert "so it can't be joined with others" in page.fill("selectbox", "joined_0", "background color").texts


def test_the_notions_of_the_images_are_listed_and_opened_and_nonsense_is_not_to_be_relied_on(page: Page) -> None:
    page.press("Which notions do these images have?")
    assert "**Sun height**" in page.texts
    assert "Read by the encoder (" in page.texts
    assert "what no word names" in page.texts
    [button for button in page.button if button.label == "Open"][-1].click().run()  # the one that can be trusted least
    assert page.control("text_input", "name").value == "background color"
    assert "what no word names" not in page.texts
    page.fill("text_area", "aspects", "blorb\nquux\nfnord")
    assert "do not rely on" in page.texts
