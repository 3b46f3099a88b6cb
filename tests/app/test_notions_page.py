"""The page Notions: its dimensions, a new notion, pasting and undo, saving in the place of another notion, deleting."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from likeness.errors import InputError
from likeness.notions import Notion, read_notion, save_notion
from shared import drafts


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _field(app: AppTest, kind: str, name: str) -> Any:
    return next(element for element in getattr(app, kind) if str(element.key).startswith(name))


def _button(app: AppTest, label: str) -> Any:
    return next(button for button in app.button if button.label == label)


def _click(app: AppTest, label: str) -> None:
    _button(app, label).click().run()
    assert not app.exception


def _type(app: AppTest, kind: str, name: str, value: Any) -> None:
    _field(app, kind, name).set_value(value).run()
    assert not app.exception


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The page as it opens."""
    app.run()
    app.switch_page("pages/notions/page.py").run()
    assert not app.exception
    return app


def _library(cache: Path) -> list[str]:
    return sorted(path.stem for path in (cache / "notions").glob("*.yaml"))


class TestDimensions:
    def test_a_notion_opens_in_as_many_as_its_prompts_suggest(self, page: AppTest) -> None:
        assert " ms, 6 dimensions, mean angle " in _texts(page)
        assert "As the prompts suggest: 6 dimensions keep 98.5 %" in _texts(page)
        assert _field(page, "number_input", "dim_").value == 6
        assert float(page.metric[0].value) == pytest.approx(0.958, abs=0.0005)

    def test_another_number_is_saved_with_the_notion_and_opens_with_it(self, page: AppTest, cache: Path) -> None:
        assert _button(page, "Save").disabled
        _type(page, "text_input", "name", "Paint")
        _type(page, "number_input", "dim_", 9)
        assert " ms, 9 dimensions, mean angle " in _texts(page)
        _click(page, "Save")
        assert "dim: 9" in (cache / "notions" / "paint.yaml").read_text()
        assert _button(page, "Save").disabled
        _type(page, "selectbox", "picked", "viewpoint")
        _type(page, "selectbox", "picked", "Paint")
        assert _field(page, "number_input", "dim_").value == 9
        _click(page, "Use 6, as the prompts suggest")
        assert _field(page, "number_input", "dim_").value == 6
        _click(page, "Save")
        assert "dim" not in (cache / "notions" / "paint.yaml").read_text()

    def test_the_number_follows_the_aspects_until_another_one_is_chosen(self, page: AppTest) -> None:
        _type(page, "text_area", "aspects_", "red\nblue")
        assert _field(page, "number_input", "dim_").value == 2
        _type(page, "number_input", "dim_", 4)
        _type(page, "text_area", "aspects_", "red\nblue\ngreen\nyellow\nblack\nwhite\npurple\nteal\nmaroon\ngray\nlime")
        assert _field(page, "number_input", "dim_").value == 4


class TestNew:
    def test_it_is_valid_and_stands_alone(self, page: AppTest) -> None:
        _click(page, "New")
        assert _field(page, "text_input", "name").value == "new notion"
        assert _field(page, "selectbox", "picked").options[0] == "New notion (not saved)"
        assert not page.warning
        assert "does not know" not in _texts(page)
        assert "prompts, " in _texts(page)
        assert not page.metric  # no labels judge it: no number of the last notion stays
        assert page.session_state["layouts_notions_cars"][1].name == "new notion"

    def test_saved_it_is_in_the_library(self, page: AppTest, cache: Path) -> None:
        _click(page, "New")
        _type(page, "text_input", "name", "Kinds of cars")
        _click(page, "Save")
        assert _library(cache) == ["kinds-of-cars"]
        assert _field(page, "selectbox", "picked").value == "Kinds of cars"

    def test_labels_of_the_images_become_its_aspects(self, app: AppTest, tmp_path: Path) -> None:
        _open_photos(app, tmp_path, ["van", "sedan"] * 4)
        assert _field(app, "text_input", "name").value == "class"
        assert _field(app, "text_area", "aspects_").value == "sedan\nvan"
        assert _field(app, "selectbox", "attribute").value == "class"
        assert next(metric.label for metric in app.metric) == "MAP@R"

    def test_images_without_labels_begin_with_a_notion_that_their_encoder_reads(self, app: AppTest, tmp_path: Path) -> None:
        _open_photos(app, tmp_path, None)
        assert _field(app, "selectbox", "picked").options[0] == "New notion (not saved)"
        assert "does not know" not in _texts(app)
        assert not app.warning
        assert "prompts, " in _texts(app)

    def test_photos_begin_with_everyday_things(self, app: AppTest, tmp_path: Path) -> None:
        _open_photos(app, tmp_path, None, "photos")
        assert _field(app, "text_area", "templates").value == "a photo of {}"
        assert "a person" in _field(app, "text_area", "aspects_").value
        assert "does not know" not in _texts(app)
        assert "8 prompts, " in _texts(app)


def _open_photos(app: AppTest, tmp_path: Path, classes: list[str] | None, encoder: str = "cars") -> None:
    """The page on eight plain images, in folders of their classes where there are some."""
    from likeness.data import DatasetEntry, add_dataset

    rng = np.random.default_rng(0)
    for number in range(8):
        folder = tmp_path / "mine" / (classes[number] if classes else "")
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (32, 32, 3), dtype=np.uint8)).save(folder / f"{number}.png")
    add_dataset(DatasetEntry("mine", "Mine", str(tmp_path / "mine"), encoder))
    app.query_params["open"] = "mine"
    app.run()
    app.switch_page("pages/notions/page.py").run()
    assert not app.exception
    assert len(app.session_state["view"].frame) == 8


def test_a_notion_that_labels_of_other_images_judge_is_left_behind_with_them(app: AppTest, tmp_path: Path) -> None:
    app.run()
    app.selectbox(key="a").select("viewpoint").run()
    app.selectbox(key="b").select("car color").run()
    _open_photos(app, tmp_path, None)
    assert [app.selectbox(key=key).value for key in ("a", "b")] == ["Raw encoder", "None"]


def test_edits_of_such_a_notion_are_left_behind_too_and_stay_in_the_menu(app: AppTest, tmp_path: Path) -> None:
    app.run()
    app.selectbox(key="b").select("car color").run()
    _type(app, "text_input", "template_", "a photo of a {} car")
    assert app.selectbox(key="b").value == "My edits"
    _open_photos(app, tmp_path, None)
    assert app.selectbox(key="b").value == "None"
    assert app.selectbox(key="b").options[-1] == "My edits"  # after all that fits these images


def test_a_notion_that_was_only_looked_at_is_nobodys_edit(page: AppTest, tmp_path: Path) -> None:
    assert "My edits" not in page.selectbox(key="a").options
    _open_photos(page, tmp_path, None)
    assert "My edits" not in page.selectbox(key="a").options
    _type(page, "text_area", "aspects_", "red\nblue")
    assert page.selectbox(key="a").options[1] == "My edits"


def test_a_notion_that_is_chosen_colors_the_map_where_another_ones_aspects_did(app: AppTest, tmp_path: Path) -> None:
    _open_photos(app, tmp_path, ["van", "sedan"] * 4, "photos")
    app.selectbox(key="color").select("aspects of setting").run()
    app.selectbox(key="b").select("kind of animal").run()
    assert app.selectbox(key="color").value == "aspects of kind of animal"
    app.selectbox(key="color").select("class").run()
    app.selectbox(key="b").select("setting").run()
    assert app.selectbox(key="color").value == "class"
    app.selectbox(key="color").select("aspects of setting").run()
    _field(app, "selectbox", "picked").select("kind of animal").run()
    assert app.selectbox(key="color").value == "aspects of kind of animal"


def test_starters_stay_when_a_label_is_given(app: AppTest, tmp_path: Path) -> None:
    import hand_labels
    from likeness.data import find_dataset
    from shared import cached

    _open_photos(app, tmp_path, None, "photos")
    app.switch_page("pages/explore/page.py").run()
    app.selectbox(key="color").select("aspects of setting").run()
    starters = [button.key for button in app.button if str(button.key).startswith("color_by_")]
    assert starters
    hand_labels.store_of(find_dataset("mine"), cached.table("mine")).add_tag(["0.png", "1.png"], "good", who="me")
    app.run()
    app.selectbox(key="color").select("good").run()
    assert [button.key for button in app.button if str(button.key).startswith("color_by_")] == starters


def test_a_notion_of_the_last_images_gives_way_to_one_for_these(page: AppTest, tmp_path: Path) -> None:
    assert _field(page, "selectbox", "picked").value == "car color"
    _open_photos(page, tmp_path, None)
    assert _field(page, "selectbox", "picked").options[0] == "New notion (not saved)"
    _type(page, "selectbox", "picked", "viewpoint")  # whoever wants one that these images have no labels for
    assert _field(page, "selectbox", "picked").value == "viewpoint"


def test_an_edited_notion_stays_open_on_other_images(page: AppTest, tmp_path: Path) -> None:
    _type(page, "text_area", "aspects_", "red\nblue")
    _open_photos(page, tmp_path, None)
    assert _field(page, "text_area", "aspects_").value == "red\nblue"


class TestUndo:
    def test_it_survives_a_pasted_list_that_ends_in_a_line_break(self, page: AppTest) -> None:
        before = _field(page, "text_area", "aspects_").value
        _type(page, "text_area", "aspects_", "red\nblue\ngreen\n")
        _type(page, "text_area", "aspects_", "red\nblue\n\n")
        assert "2 prompts, " in _texts(page)
        _click(page, "Undo")
        assert _field(page, "text_area", "aspects_").value == "red\nblue\ngreen"
        _click(page, "Undo")
        assert _field(page, "text_area", "aspects_").value == before
        assert _button(page, "Undo").disabled

    def test_a_draft_kept_with_blank_lines_is_no_edit(self, page: AppTest) -> None:
        """As one from before: what the rows of the table show is not taken for an edit of it."""
        from dataclasses import replace

        history = page.session_state["draft_history"]
        page.session_state["draft_history"] = [*history, replace(history[-1], aspects=" red\nblue \n")]
        page.session_state["form"] += 1
        page.run()
        assert len(page.session_state["draft_history"]) == 2
        _click(page, "Undo")
        assert _button(page, "Undo").disabled


class TestSaving:
    def test_in_the_place_of_a_notion_that_ships_it_asks(self, page: AppTest, cache: Path) -> None:
        _type(page, "text_area", "aspects_", "red\nblue")
        _click(page, "Save")
        assert "“car color” ships with Likeness" in _texts(page)
        assert _library(cache) == []
        _click(page, "Cancel")
        assert "ships with Likeness" not in _texts(page)
        assert _library(cache) == []
        _click(page, "Save")
        _click(page, "Replace it")
        assert _library(cache) == ["car-color"]
        assert "ships with Likeness" not in _texts(page)
        _type(page, "text_area", "aspects_", "red\nblue\ngreen")
        _click(page, "Save")  # it is the visitor's own by now
        assert "green" in (cache / "notions" / "car-color.yaml").read_text()

    def test_under_the_name_of_another_own_notion_it_asks(self, page: AppTest, cache: Path) -> None:
        for name in ("Paint", "Lacquer"):
            _type(page, "text_input", "name", name)
            _click(page, "Save")
        assert _library(cache) == ["lacquer", "paint"]
        _type(page, "text_input", "name", "paint")
        _click(page, "Save")
        assert "You have a notion “paint” already." in _texts(page)
        _type(page, "text_input", "name", "Third")
        assert "already" not in _texts(page)


class TestDeleting:
    def test_it_can_be_undone(self, page: AppTest, cache: Path) -> None:
        assert _button(page, "Delete").disabled
        _type(page, "text_input", "name", "Paint")
        _type(page, "number_input", "dim_", 9)
        _click(page, "Save")
        kept = (cache / "notions" / "paint.yaml").read_text()
        _click(page, "Delete")
        assert _library(cache) == []
        assert "Deleted “Paint”." in _texts(page)
        assert _field(page, "selectbox", "picked").value == "car color"
        _click(page, "Restore")
        assert (cache / "notions" / "paint.yaml").read_text() == kept
        assert _field(page, "selectbox", "picked").value == "Paint"
        assert "Deleted" not in _texts(page)

    def test_the_shipped_notion_of_the_name_is_back(self, page: AppTest, cache: Path) -> None:
        _type(page, "text_area", "aspects_", "red\nblue")
        _click(page, "Save")
        _click(page, "Replace it")
        _click(page, "Delete")
        assert _library(cache) == []
        assert _field(page, "selectbox", "picked").value == "car color"
        assert "17 prompts, " in _texts(page)


def test_a_notion_that_cannot_be_fitted_shows_no_other_ones_map(app: AppTest, cache: Path) -> None:
    save_notion(Notion("Nonsense", "{}", ["xqzv", "wjkq"]), folder=cache / "notions")
    app.run()
    app.switch_page("pages/notions/page.py").run()
    _type(app, "selectbox", "picked", "Nonsense")
    assert "Change it, and its map appears here." in _texts(app)
    assert "prompts, " not in _texts(app)
    assert not app.metric
    _type(app, "text_area", "aspects_", "red\nblue")
    assert "2 prompts, " in _texts(app)
    _type(app, "text_area", "templates", "no place for an aspect")
    assert "The map shows the last version that could be fitted." in _texts(app)
    assert "2 prompts, " in _texts(app)


def test_the_edited_notion_in_the_sidebar_does_not_take_the_page_away(page: AppTest) -> None:
    """While it cannot be fitted, as where its encoder knows none of its words."""
    _type(page, "text_area", "aspects_", "red\ngreen")
    page.selectbox(key="a").select("My edits").run()
    _type(page, "text_area", "aspects_", "xqzv\nwjkq")
    assert _field(page, "text_area", "aspects_").value == "xqzv\nwjkq"
    assert "My edits is not shown." in "\n".join(warning.value for warning in page.sidebar.warning)
    _type(page, "text_area", "aspects_", "red\nblue")
    assert not page.sidebar.warning


class TestJoined:
    def test_a_notion_is_joined_weighed_taken_away_and_removed(self, page: AppTest, cache: Path) -> None:
        alone = float(page.metric[0].value)
        _type(page, "selectbox", "joined_0", "background color")
        weight = _field(page, "number_input", "weight_0_1")
        assert (weight.value, weight.label) == (1.0, "Weight of background color")
        both = float(page.metric[0].value)
        assert both < alone  # judged by the color of the car alone
        weight.set_value(-1.0).run()
        assert "without **background color**" in _texts(page)
        assert float(page.metric[0].value) > both
        _type(page, "text_input", "name", "Paint only")
        _click(page, "Save")
        saved = read_notion(cache / "notions" / "paint-only.yaml")
        assert [(part, each.name) for part, each in saved.joined] == [(-1.0, "background color")]
        _field(page, "number_input", "weight_0_1").set_value(0.0).run()
        assert not page.exception
        assert float(page.metric[0].value) == alone
        _click(page, "Undo")
        assert "without **background color**" in _texts(page)

    def test_a_kept_draft_holds_what_is_joined(self, page: AppTest) -> None:
        _type(page, "selectbox", "joined_0", "background color")
        history = page.session_state["draft_history"]
        text = json.dumps([asdict(draft) for draft in history])
        assert drafts.history_of(text) == history
        broken = json.loads(text)
        broken[-1]["joined"][0][0] = "much"
        with pytest.raises(InputError, match="damaged"):
            drafts.history_of(json.dumps(broken))
        with pytest.raises(InputError, match="damaged"):
            drafts.history_of(text.replace('"solver": "exact"', '"solver": "magic"'))
        broken[-1]["joined"] = [[1.0]]
        with pytest.raises(InputError, match="another form"):
            drafts.history_of(json.dumps(broken))


class TestMethod:
    def test_another_method_fits_and_says_what_it_cannot(self, page: AppTest) -> None:
        exact = float(page.metric[0].value)
        _type(page, "selectbox", "solver", "probabilities")
        assert float(page.metric[0].value) > exact
        assert "mean angle" not in _texts(page)
        assert not [field for field in page.number_input if str(field.key).startswith("dim_")]  # it has none to choose
        _type(page, "selectbox", "joined_0", "background color")
        assert "is not a linear map, so it can't be joined with others" in _texts(page)


class TestTrust:
    def test_the_page_says_whether_the_encoder_reads_the_notion(self, page: AppTest) -> None:
        assert "The encoder reads this notion in these images" in _texts(page)
        _type(page, "text_area", "aspects", "blorb\nquux\nfnord")
        assert "do not rely on" in _texts(page)


class TestFound:
    def test_the_notions_of_the_images_are_listed_and_opened(self, page: AppTest) -> None:
        _click(page, "Which notions do these images have?")
        text = _texts(page)
        assert "**Sun height**" in text
        assert "Read by the encoder (" in text
        assert "what no word names" in text
        opened = [button for button in page.button if button.label == "Open"]
        opened[-1].click().run()  # the one that can be trusted least
        assert not page.exception
        assert _field(page, "text_input", "name").value == "background color"
        assert "what no word names" not in _texts(page)
