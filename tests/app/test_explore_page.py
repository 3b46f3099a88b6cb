"""Explore without a browser: what a search says, marks and keeps."""

import io

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import query_pictures
from access import query_picture
from app_page import Page
from likeness.errors import InputError
from likeness.search import Hits
from shared import neighbors
from shared.view import View
from visitors import QUERY_PREFIX, own_uploads_dir
from worlds import BEN, serve, visit


def _picture(color: tuple[int, int, int] = (0, 0, 160)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 64), color).save(file, "PNG")
    return file.getvalue()


def test_words_that_the_encoder_does_not_know_and_what_is_cut_off_are_named(app: Page) -> None:
    assert not app.visit(text="a red car seen from behind").alerts
    assert "The encoder does not know “qwxz” and “frobnicate”" in app.set("text", "qwxz red frobnicate car").alerts
    assert len(app.sent("nearest")["sections"][0]["rows"]) == neighbors.COUNT
    assert "has 52: its end is cut off" in app.set("text", "red " * 50).alerts
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
    assert "The picture of this link is not kept here any more" in gone.alerts
    assert gone.sent("map") is not None


def test_what_is_no_picture_is_not_kept_and_the_oldest_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"no picture", b"PK\x03\x04"):
        with pytest.raises(InputError, match=r"'broken\.png'"):
            query_pictures.keep("broken.png", content)
    assert not list(own_uploads_dir().glob("*"))
    monkeypatch.setattr(query_pictures, "_KEPT", 2)
    tokens = [query_pictures.keep("a.png", _picture((shade, 0, 0))) for shade in (1, 2, 3)]
    assert [query_picture(token) is not None for token in tokens] == [False, True, True]
    for token in ("", "*", "../x", "0" * 24, "a" * 9999, "?" * 24 + "-" + "?" * 16):
        assert query_picture(token) is None


class TestSharedServer:
    @pytest.fixture(autouse=True)
    def shared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        serve(monkeypatch, shared=True)
        visit(monkeypatch)

    def test_who_holds_the_link_sees_the_picture(self, monkeypatch: pytest.MonkeyPatch) -> None:
        token = query_pictures.keep("mine.png", _picture())
        visit(monkeypatch, BEN)
        assert query_pictures.find(token).read_bytes() == _picture()

    def test_it_counts_as_an_upload(self, monkeypatch: pytest.MonkeyPatch) -> None:
        serve(monkeypatch, shared=True, visitor_uploads_gb=1.5e-9 * len(_picture()))
        query_pictures.keep("a.png", _picture())
        with pytest.raises(InputError, match="used up"):
            query_pictures.keep("b.png", _picture((9, 9, 9)))

    def test_housekeeping_leaves_it_and_its_owners_removal_takes_it(self) -> None:
        import os

        import visitor_data

        token = query_pictures.keep("a.png", _picture())
        for folder in own_uploads_dir().glob(f"{QUERY_PREFIX}*"):
            os.utime(folder, (0, 0))
        visitor_data.remove_leftovers()
        assert query_picture(token) is not None
        visitor_data.remove_visitor("a" * 32, "a test")
        assert query_picture(token) is None

    def test_an_account_that_may_only_look_keeps_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("access.account", lambda: "ada")
        monkeypatch.setattr("access.has_role", lambda name, role: False)
        with pytest.raises(InputError, match="may look at everything"):
            query_pictures.keep("a.png", _picture())
