"""Links that ask for what is not here: every page says so in a sentence with what to do, and nothing else takes its place in silence."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

import navigation
from likeness.data import DatasetEntry, add_dataset, new_entry, remove_dataset
from shared.app_page import AppPage
from shared.selection import encode

EACH_PAGE = pytest.mark.parametrize("page", navigation.PAGES, ids=lambda page: page.address)


@pytest.fixture
def photos(tmp_path: Path) -> DatasetEntry:
    """Twelve images of four classes in the list of datasets."""
    for number in range(12):
        file = tmp_path / "photos" / ("warm", "mild", "cool", "cold")[number % 4] / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (20, 20), (20 * number, 90, 60)).save(file)
    entry = new_entry("Photos", str(tmp_path / "photos"), "cars-small")
    add_dataset(entry)
    return entry


def _open(app: AppTest, page: AppPage, **parameters: str | list[str]) -> AppTest:
    app.query_params.update(parameters)
    app.switch_page(str(page.folder / "page.py")).run()
    assert not app.exception
    return app


def _said(app: AppTest) -> str:
    return "\n".join(warning.value for warning in app.warning)


@EACH_PAGE
@pytest.mark.parametrize("asked", ["images", "0123456789abcdef"])
def test_no_other_images_take_the_place_of_those_that_a_link_asks_for(app: AppTest, page: AppPage, asked: str) -> None:
    _open(app, page, dataset=asked)
    (error,) = (each.value for each in app.error)
    assert f"There are no images “{asked}” here" in error
    assert "Choose others in the sidebar, or bring them under Your images." in error
    assert app.selectbox(key="dataset").value == asked
    assert app.query_params["dataset"] == asked  # so that a reload says the same
    assert "view" not in app.session_state
    assert bool(app.title) == (page.needs == "nothing")
    app.selectbox(key="dataset").set_value("cars").run()
    assert not app.exception
    assert not app.error
    assert "dataset" not in app.query_params
    assert app.session_state["view"].entry.id == "cars"


@EACH_PAGE
def test_every_page_says_what_of_a_link_is_not_here(app: AppTest, page: AppPage, photos: DatasetEntry) -> None:
    odd = {"a": "Color of the moon", "b": "Run gone", "color": "Weather", "filter_wheels": "4", "filter_class": ["warm", "lukewarm"]}
    _open(app, page, dataset=photos.id, rows=encode(np.array([3, 500])), query="700", **odd)
    said = _said(app)
    for name, heading in (("Color of the moon", "Space A"), ("Run gone", "Space B"), ("Weather", "Color by")):
        assert f"“{name}” under “{heading}”, which is not here. Choose another one there." in said
    assert "These images have no “Wheels” to filter by" in said
    assert "No image has the class “lukewarm”, which this link asks for; the rest of the filter is kept." in said
    assert "selects 1 images that are not among these 12; the other 1 are selected" in said
    assert "the neighbors of image 700, but there are 12 images" in said
    assert app.session_state["view"].entry.id == photos.id
    assert app.multiselect(key="filter_class").value == ["warm"]
    assert app.session_state["rows"].tolist() == [3]
    assert app.query_params["filter_class"] == "warm"
    assert not {"a", "b", "filter_wheels", "query"} & set(app.query_params)
    app.run()  # as when a map is ready
    assert _said(app) == said
    app.selectbox(key="b").select("Raw encoder").run()
    assert "Color of the moon" not in _said(app)


def test_a_filter_stands_in_the_link_without_its_count(app: AppTest) -> None:
    app.query_params["filter_body_type"] = ["van", "pickup (17)"]  # the second as earlier versions wrote it
    app.query_params["filter_yaw"] = ["-1000", "90"]
    app.run()
    assert not app.exception
    assert not app.warning
    assert app.multiselect(key="filter_body_type").value == ["van", "pickup"]
    assert app.query_params["filter_body_type"] == ["van", "pickup"]
    assert app.slider(key="filter_yaw").value[1] == 90
    frame = app.session_state["view"].frame
    shown = frame[~app.session_state["view"].hidden]
    assert set(shown["body_type"]) == {"van", "pickup"}
    assert shown["yaw"].max() <= 90
    app.multiselect(key="filter_body_type").unselect("van").run()
    assert app.query_params["filter_body_type"] == "pickup"
    app.slider(key="filter_yaw").set_range(float(frame["yaw"].min()), float(frame["yaw"].max())).run()
    assert "filter_yaw" not in app.query_params


@pytest.mark.parametrize("asked", [["7000", "8000"], ["90", "10"], ["nan", "1"], ["10"], ["warm", "cold"]])
def test_a_range_without_images_is_left_out_and_said_so(app: AppTest, asked: list[str]) -> None:
    app.query_params["filter_yaw"] = asked
    app.run()
    assert not app.exception
    assert f"No image has a yaw of “{' to '.join(asked)}”" in _said(app)
    assert app.session_state["view"].hidden is None


@pytest.mark.parametrize("token", ["0123456789abcdef", "../../x"])
def test_edits_that_are_not_kept_any_more_are_said(app: AppTest, token: str) -> None:
    app.query_params["draft"] = token
    app.run()
    assert not app.exception
    assert "The edits of a notion that this link opens are not kept here any more." in _said(app)
    assert "draft" not in app.query_params


def test_a_damaged_selection_and_a_query_that_is_no_number_are_said(app: AppTest) -> None:
    app.query_params.update({"rows": "damaged", "query": "seven"})
    app.run()
    assert "The selection in this link is damaged" in _said(app)
    assert "the neighbors of image “seven”, which is no number" in _said(app)


@pytest.mark.parametrize("asked", [lambda entry: entry.id, lambda entry: entry.name], ids=["id", "name"])
def test_a_link_opens_a_dataset_by_id_and_as_earlier_versions_by_name(
    app: AppTest, photos: DatasetEntry, asked: Callable[[DatasetEntry], str]
) -> None:
    app.query_params["dataset"] = asked(photos)
    app.run()
    assert not app.exception
    assert not app.error
    assert app.session_state["view"].entry.id == photos.id
    assert app.query_params["dataset"] == photos.id


def test_what_was_pointed_at_does_not_survive_its_dataset(app: AppTest, photos: DatasetEntry) -> None:
    app.query_params.update({"rows": encode(np.array([3, 5])), "text": "a red car", "filter_body_type": "van", "color": "Viewpoint"})
    app.run()
    assert app.session_state["view"].hidden is not None
    app.selectbox(key="dataset").set_value(photos.id).run()
    assert not app.exception
    assert not app.warning
    view = app.session_state["view"]
    assert (len(view.selected), view.query, view.hidden, view.color) == (0, None, None, "class")
    assert app.text_input(key="text").value == ""
    assert app.query_params["dataset"] == photos.id
    assert not {"rows", "query", "text", "filter_body_type"} & set(app.query_params)
    app.multiselect(key="filter_class").select("warm").run()
    app.selectbox(key="dataset").set_value("cars").run()
    assert app.session_state["view"].hidden is None
    assert app.multiselect(key="filter_body_type").value == []
    assert not [name for name in app.query_params if name.startswith("filter_")]


def test_images_that_are_removed_while_they_are_shown_are_said_to_be_gone(app: AppTest, photos: DatasetEntry) -> None:
    app.query_params["dataset"] = photos.id
    app.run()
    remove_dataset(photos.id)
    app.run()
    assert not app.exception
    assert f"There are no images “{photos.id}” here" in app.error[0].value


def test_a_link_to_the_space_of_a_run_that_is_gone_says_so(app: AppTest) -> None:
    app.query_params["show"] = "run gone"
    app.run()
    assert not app.exception
    assert "There is no space “Run gone” here. Choose another one under Space A." in _said(app)
