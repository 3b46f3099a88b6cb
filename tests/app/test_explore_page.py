"""Explore and a first visit without a browser: what a search says, marks and keeps, also one of several pictures and words."""

import io
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from app_page import Page
from likeness.errors import InputError
from likeness.search import Hits
from parts import neighbors, selection
from parts.selection import Term
from parts.sidebar import DRAFT
from parts.view import View
from server import query_pictures, visitor_data
from server.settings import UPLOADS
from server.visitors import QUERY_PREFIX, own_dir
from worlds import ADA, BEN, cars, dataset, draw, serve, visit


def _picture(color: tuple[int, int, int] = (0, 0, 160)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 64), color).save(file, "PNG")
    return file.getvalue()


def test_words_that_the_encoder_does_not_know_and_what_is_cut_off_are_named(app: Page) -> None:
    assert not app.visit(text="a red car seen from behind").alerts
    assert "does not know" in app.set("text", "qwxz red frobnicate car").texts
    assert len(app.sent("nearest")["sections"][0]["rows"]) == neighbors.COUNT
    assert "has 52" in app.set("text", "red " * 50).texts
    for text in ("qwxz frobnicate", "🚗", "!!!"):
        assert "The encoder knows no word of this text" in app.set("text", text).alerts
        assert app.sent("nearest") is app.sent("map")["neighbors"] is None


def test_hits_of_a_text_are_marked_on_the_map_and_more_are_shown_on_demand(app: Page) -> None:
    first = app.visit(text="a red car").sent("nearest")["sections"][0]["rows"]
    assert (app.sent("map")["query"], app.sent("map")["neighbors"]) == (None, [first])
    more = app.press("Show 24 more").sent("nearest")
    assert len(more["sections"][0]["rows"]) == 48 == more["page"]
    assert more["sections"][0]["rows"][:24] == first
    assert len(app.set("text", "a blue car").sent("nearest")["sections"][0]["rows"]) == 24  # another text begins with few


def test_marks_follow_the_notion_and_never_what_an_encoder_guesses(app: Page) -> None:
    app.visit(query="5", a="Car color", b="Raw encoder", color="Body type")
    frame = app.session_state["view"].frame
    for section, attribute in zip(app.sent("nearest")["sections"], ("car_color", "body_type"), strict=True):
        assert section["same_by"] == attribute.replace("_", " ")
        assert section["same"] == (frame[attribute].iloc[section["rows"]] == frame[attribute].iloc[5]).tolist()
        assert section["captions"] == frame[attribute].iloc[section["rows"]].tolist()
    app = app.fresh("layout").visit(query="5", color="Aspects of car color")
    [section] = app.sent("nearest")["sections"]
    view = app.session_state["view"]
    assert section["same"] is None
    assert section["captions"] == view.frame[view.color].iloc[section["rows"]].tolist()
    frame = pd.DataFrame({"path": list("abc"), "kind": ["x", None, "x"]})  # what has no label has no mark
    view = object.__new__(type("OneFrame", (View,), {"frame": frame}))
    assert neighbors.same(view, neighbors.Query(row=0), np.array([1, 2]), "kind") == [None, True]
    assert neighbors.same(view, neighbors.Query(row=1), np.array([0, 2]), "kind") is None


def test_what_is_ticked_is_saved_beside_its_number_and_all_stay_in_sight_until_it_is_shown_alone(app: Page) -> None:
    app.session_state["rows"], app.session_state["ticking"] = np.array([3, 5]), True
    assert app.run().subheader[0].value == "2 selected"
    assert [each.proto.label for each in app.get("download_button")] == ["Download CSV"]
    assert app.sent("all")["selected"] == [3, 5]
    assert app.click("show_selected").sent("selected")["sections"][0]["rows"] == [3, 5]
    assert app.click("clear_selection").subheader[0].value == "2,000 images"


def test_a_picture_stands_in_the_link_and_is_shown_and_found_again(app: Page) -> None:
    token = query_pictures.keep("blue.png", _picture())
    assert app.visit(picture=token).subheader[0].value == "Neighbors of blue.png"
    assert any(f'src="./queries/{token}"' in each.proto.body for each in app.get("html"))
    found, view = app.sent("nearest")["sections"][0], app.session_state["view"]
    expected: Hits = view.a.nearest(view.a.image_query(_picture(), "blue.png")[0], 24)
    assert found["rows"] == expected.rows.tolist()
    assert app.sent("map")["neighbors"] == [found["rows"]]
    assert app.query_params["picture"] == token
    app.press("Clear the query")
    assert "picture" not in app.query_params
    assert app.subheader[0].value == "2,000 images"
    gone = app.fresh("layout").visit(picture="0" * 24 + "-" + "0" * 16)
    assert "The picture of this link has been removed" in gone.alerts
    assert gone.sent("map") is not None


def _is_kept(token: str) -> bool:
    try:
        return query_pictures.find(token).is_file()
    except InputError:
        return False


def test_what_is_no_picture_is_not_kept_and_the_oldest_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"no picture", b"PK\x03\x04"):
        with pytest.raises(InputError, match=r"'broken\.png'"):
            query_pictures.keep("broken.png", content)
    assert not list((own_dir() / UPLOADS).glob("*"))
    monkeypatch.setattr(query_pictures, "_KEPT", 2)
    tokens = [query_pictures.keep("a.png", _picture((shade, 0, 0))) for shade in (1, 2, 3)]
    assert [_is_kept(token) for token in tokens] == [False, True, True]
    for token in ("", "*", "../x", "0" * 24, "a" * 9999, "?" * 24 + "-" + "?" * 16):
        assert not _is_kept(token)


def test_on_a_shared_server_it_is_an_upload_of_whom_the_link_may_be_given_by_who_may_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, shared=True, visitor_uploads_gb=1.5e-9 * len(_picture()))
    visit(monkeypatch)
    token = query_pictures.keep("mine.png", _picture())
    with pytest.raises(InputError, match="used up"):
        query_pictures.keep("b.png", _picture((9, 9, 9)))
    visit(monkeypatch, BEN)
    assert query_pictures.find(token).read_bytes() == _picture()
    visit(monkeypatch)
    for folder in (own_dir() / UPLOADS).glob(f"{QUERY_PREFIX}*"):
        os.utime(folder, (0, 0))
    visitor_data.remove_leftovers()  # which leaves it, and its owner's removal takes it
    assert _is_kept(token)
    visitor_data.remove_visitor(ADA, "a test")
    assert not _is_kept(token)
    monkeypatch.setattr("server.access.account", lambda: "ada")
    monkeypatch.setattr("server.access.has_role", lambda name, role: False)
    with pytest.raises(InputError, match="can only view"):
        query_pictures.keep("a.png", _picture())


def test_a_first_visit_shows_the_shipped_images_in_the_raw_encoders_space(app: Page) -> None:
    app.run()
    assert [app.at(key).value for key in ("dataset", "a")] == ["cars", "Raw encoder"]
    assert app.subheader[0].value == "2,000 images"
    app.set("b", "background color").says("Agreement")
    assert app.session_state["color"] == "background_color"  # the map is colored by the notion's labels
    app.multiselect(key="filter_body_type").select("van").run()
    view = app.session_state["view"]
    left = int((view.frame["body_type"] == "van").sum())
    assert int((~view.hidden).sum()) == left
    assert app.subheader[0].value == f"{left:,} images match the filters"
    open_fields = len(app.sidebar.slider) + len(app.sidebar.multiselect)
    app.session_state["more_filters"] = True
    app.run()
    assert open_fields == 4  # of many the first stand open; the others are drawn with the box that they are in
    filters = [str(each.key) for each in (*app.sidebar.multiselect, *app.sidebar.slider) if str(each.key).startswith("filter_")]
    (more,) = [each for each in app.sidebar.get("popover") if each.proto.popover.label.endswith(" more")]
    inside = [str(each.key) for each in (*more.get("multiselect"), *more.get("slider"))]
    assert len(filters) - len(inside) == 4
    name = str(more.get("multiselect")[0].key)
    value = app.multiselect(key=name).options[0].rsplit(" (", 1)[0]
    app.multiselect(key="filter_body_type").set_value([])
    app.multiselect(key=name).select(value).run()
    app.session_state["more_filters"] = False
    app.run()
    view = app.session_state["view"]  # filtered still
    assert (view.hidden == (view.frame[name.removeprefix("filter_")].astype(str) != value).to_numpy()).all()


def test_an_address_that_says_nothing_opens_a_notion_whose_template_is_edited_beside_the_maps(app: Page) -> None:
    app.query_params.pop("layout")
    app.run().says("right by **car color**.")
    assert [app.selectbox(key=key).value for key in ("a", "b", "color")] == ["Raw encoder", "car color", "car_color"]
    assert app.control("text_input", "template_").value == "a {} car"
    before = app.session_state["view"].b
    app.fill("text_input", "template_", "a {} dragon in the sun").says("does not know dragon")
    assert app.selectbox(key="b").value == DRAFT
    assert app.session_state["view"].b.key != before.key
    app.fill("text_input", "template_", "no place for a color").says("write {} exactly once")
    assert app.selectbox(key="b").value == DRAFT
    assert app.open("notions", layout="PCA").control("text_area", "templates").value == "a {} dragon in the sun"


def test_the_page_notions_fits_judges_and_names_a_bad_notion_in_place(app: Page) -> None:
    assert "There is no notion “gone” here" in app.open("notions", notion="gone").alerts
    app.visit(notion="car color").says("17 prompts")
    assert app.control("selectbox", "picked").value == "car color"
    assert "notion" not in app.query_params
    assert [metric.label for metric in app.metric] == ["MAP@R", "Prec@1", "R-Prec"]
    for field, value, said in (
        ("templates", "a car", "write {} exactly once"),
        ("templates", "", "has no template"),
        ("aspects_", "red", "only one aspect"),
        ("aspects_", "red\nred\nblue", "red"),
    ):
        app.fill("text_area", field, value).says(said, "prompts, ")  # the map stays
        app.press("Undo").says("17 prompts")


def test_a_link_finds_what_python_finds_and_what_it_has_wrong_is_named(app: Page) -> None:
    app.visit(term=["1 row:5", "2 text:a red car", "-0.5 text:a car seen from behind"])
    chips = app.sent("query_bar")["chips"]
    assert [chip["weight"] for chip in chips] == [1, 2, -0.5]
    assert chips[0]["picture"].endswith("/5")
    assert [chip["label"] for chip in chips[1:]] == ["a red car", "a car seen from behind"]
    wanted = cars().nearest(lk.Query([(1, 5), (2, "a red car"), (-0.5, "a car seen from behind")]), neighbors.COUNT)
    assert app.sent("nearest")["sections"][0]["rows"] == wanted.rows.tolist()
    assert app.subheader[0].value == "Images for the whole query"
    odd = app.fresh("layout").visit(b="Car color", term=["1 row:5", "7 text:red", "1 row:999999", "1 text:qwxz frobnicate"])
    assert odd.session_state["terms"] == (Term("row", 5), Term("text", "qwxz frobnicate"))
    for said in ("“7 text:red”", "This link searches with images that are not here", "The encoder knows no word of “qwxz frobnicate”"):
        assert said in odd.alerts
    assert len(app.fresh("layout").visit(b="Car color", term=["1 row:5", "1 text:a red car"]).sent("nearest")["sections"]) == 2
    app = app.fresh("layout").visit(query="5").set("text", "red")  # words are added to an image, and the field is free again
    assert (app.at("text").value, app.session_state["terms"]) == ("", (Term("row", 5), Term("text", "red")))
    assert app.query_params["term"] == ["1 row:5", "1 text:red"]
    assert not {"text", "query"} & set(app.query_params)


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    state: dict[str, Any] = {"text": "", "query": 5, "picture": "", "terms": ()}
    monkeypatch.setattr("streamlit.session_state", state)
    monkeypatch.setattr(selection.link, "write", lambda wanted: None)
    return state


def _do(state: dict[str, Any], **event: object) -> tuple[Any, Any]:
    view: Any = SimpleNamespace(frame=pd.DataFrame({"path": [f"{row}.png" for row in range(20)]}))
    single = neighbors.Query(row=state["query"], text=state["text"])
    neighbors.take_in(view, neighbors.Query(terms=state["terms"]) if state["terms"] else single, event)
    return state["terms"], state["query"]


def test_a_picture_is_added_once_turned_weighed_and_removed_and_a_single_one_turned(state: dict[str, Any]) -> None:
    for _ in range(2):
        assert _do(state, action="add", row=7) == ((Term("row", 5), Term("row", 7)), None)
    _do(state, action="turn", index=1)
    assert _do(state, action="weigh", index=1) == ((Term("row", 5), Term("row", 7, -2.0)), None)
    assert _do(state, action="remove", index=1) == ((), 5)  # a single one is the query as ever
    assert _do(state, action="turn", index=0) == ((Term("row", 5, -1.0),), None)


def test_words_of_the_field_become_a_chip_and_rows_follow_their_images(state: dict[str, Any]) -> None:
    state.update(query=None, text="red")
    assert _do(state, action="keep") == ((Term("text", "red"),), None)
    assert state["text"] == ""
    state["terms"] = (Term("row", 1), Term("text", "red"), Term("row", 2, -0.5))
    selection.move(np.array([0, 4, -1]))
    assert state["terms"] == (Term("row", 4), Term("text", "red"))


def test_what_the_bar_can_not_have_sent_changes_nothing(state: dict[str, Any]) -> None:
    before = dict(state)
    for event in (
        *({}, {"action": "add", "row": 20}, {"action": "add", "row": True}, {"action": "turn", "index": 1}, {"action": "remove", "index": -1}),
        *({"action": "keep"}, {"action": [], "index": "0"}, {"action": "weigh", "index": 0}, {"action": "add", "row": 1e9}),
    ):
        _do(state, **event)
        assert state == before


def test_the_table_that_is_downloaded_has_no_formula(app: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.download_button", lambda label, data, *_, **__: given.update({label: data}))
    hostile = dataset(draw(tmp_path / "photos", 4, ("=1+1", "@SUM(1)")), "cars-small")
    app.visit()
    app.set("dataset", hostile.id).run()
    lines = given["Download CSV"]().decode().splitlines()
    assert lines[0].split(",")[:2] == ["row", "path"]
    assert [line.split(",")[:2] for line in lines[1:]] == [
        [str(row), f"'{path}"] for row, path in enumerate(lk.read(tmp_path / "photos").frame["path"])
    ]
