"""Links that ask for what is not here: it is said in a sentence with what to do, and nothing else takes its place in silence."""

from pathlib import Path

import numpy as np
import pytest

from app_page import Page
from likeness.data import DatasetEntry, remove_dataset
from shared.selection import encode
from worlds import dataset, draw


@pytest.fixture
def photos(tmp_path: Path) -> DatasetEntry:
    """Twelve images of four classes in the list of datasets."""
    return dataset(draw(tmp_path / "photos", 12, ("warm", "mild", "cool", "cold")), "cars-small")


def test_a_filter_stands_in_the_link_without_its_count(app: Page) -> None:
    asked = ["van", "pickup (17)"]  # the second as earlier versions wrote it
    assert not app.visit(filter_body_type=asked, filter_yaw=["-1000", "90"]).warning
    assert app.at("filter_body_type").value == app.query_params["filter_body_type"] == ["van", "pickup"]
    assert app.at("filter_yaw").value[1] == 90
    frame = app.session_state["view"].frame
    shown = frame[~app.session_state["view"].hidden]
    assert set(shown["body_type"]) == {"van", "pickup"}
    assert shown["yaw"].max() <= 90
    assert app.set("filter_body_type", ["pickup"]).query_params["filter_body_type"] == "pickup"
    app.at("filter_yaw").set_range(float(frame["yaw"].min()), float(frame["yaw"].max())).run()
    assert "filter_yaw" not in app.query_params
    for wrong in (["7000", "8000"], ["90", "10"], ["nan", "1"], ["10"], ["warm", "cold"]):  # without images
        visitor = app.fresh("layout").visit(filter_yaw=wrong)
        assert f"No image has a yaw of “{' to '.join(wrong)}”" in visitor.alerts
        assert visitor.session_state["view"].hidden is None


def test_what_else_of_a_link_is_not_kept_any_more_is_said(app: Page) -> None:
    for name, value, said in (
        ("draft", "0123456789abcdef", "The edits of a notion that this link opens are not kept here any more."),
        ("draft", "../../x", "The edits of a notion that this link opens are not kept here any more."),
        ("rows", "damaged", "The selection in this link is damaged"),
        ("query", "seven", "the neighbors of image “seven”, which is no number"),
        ("show", "run gone", "There is no space “Run gone” here. Choose another one under Space A."),
    ):
        visitor = app.fresh().visit(**{name: value})
        assert said in visitor.alerts
        assert name not in visitor.query_params


def test_a_link_opens_a_dataset_by_id_and_as_earlier_versions_by_name_until_it_is_removed(app: Page, photos: DatasetEntry) -> None:
    for asked in (photos.name, photos.id):
        visitor = app.fresh()
        assert not visitor.visit(dataset=asked).error
        assert visitor.session_state["view"].entry.id == photos.id
        assert visitor.query_params["dataset"] == photos.id
    remove_dataset(photos.id)
    assert f"There are no images “{photos.id}” here" in visitor.run().errors[0]


def test_what_was_pointed_at_does_not_survive_its_dataset(app: Page, photos: DatasetEntry) -> None:
    app.visit(rows=encode(np.array([3, 5])), text="a red car", filter_body_type="van", color="Viewpoint")
    assert app.session_state["view"].hidden is not None
    app.set("dataset", photos.id)
    assert not app.warning
    view = app.session_state["view"]
    assert (len(view.selected), view.query, view.hidden, view.color) == (0, None, None, "class")
    assert app.text_input(key="text").value == ""
    assert app.query_params["dataset"] == photos.id
    assert not {"rows", "query", "text", "filter_body_type"} & set(app.query_params)
    app.multiselect(key="filter_class").select("warm").run()
    app.set("dataset", "cars")
    assert app.session_state["view"].hidden is None
    assert app.multiselect(key="filter_body_type").value == []
    assert not [name for name in app.query_params if name.startswith("filter_")]
