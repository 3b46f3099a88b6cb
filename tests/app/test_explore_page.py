"""Explore without a browser: what a search says, marks and keeps."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

import query_pictures
from access import query_picture
from likeness.errors import InputError
from likeness.search import Hits
from shared import neighbors
from visitors import QUERY_PREFIX, own_uploads_dir


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _picture(color: tuple[int, int, int] = (0, 0, 160)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 64), color).save(file, "PNG")
    return file.getvalue()


def _data(app: AppTest, key: str) -> Any:
    return next((json.loads(each.proto.json) for each in app.get("bidi_component") if each.proto.id.endswith(f"-{key}")), None)


def _said(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.warning, app.info, app.error) for element in kind)


class TestText:
    def test_words_that_the_encoder_does_not_know_are_named(self, app: AppTest) -> None:
        app.query_params["text"] = "qwxz red frobnicate car"
        app.run()
        assert not app.exception
        assert "The encoder does not know “qwxz” and “frobnicate”" in _said(app)
        assert len(_data(app, "nearest")["sections"][0]["rows"]) == neighbors.COUNT

    def test_a_text_of_unknown_words_alone_finds_nothing(self, app: AppTest) -> None:
        app.query_params["text"] = "qwxz frobnicate"
        app.run()
        assert not app.exception
        assert "The encoder knows no word of this text" in _said(app)
        assert _data(app, "nearest") is None
        assert _data(app, "map")["neighbors"] is None

    def test_a_text_that_is_cut_is_named_with_its_tokens(self, app: AppTest) -> None:
        app.query_params["text"] = "red " * 50
        app.run()
        assert not app.exception
        assert "The encoder reads the first 32 tokens of a text" in _said(app)
        assert "has 52: its end is cut off" in _said(app)

    @pytest.mark.parametrize("text", ["🚗", "!!!"])
    def test_a_text_without_a_word_finds_nothing(self, app: AppTest, text: str) -> None:
        app.query_params["text"] = text
        app.run()
        assert "The encoder knows no word of this text" in _said(app)

    def test_known_words_are_no_matter(self, app: AppTest) -> None:
        app.query_params["text"] = "a red car seen from behind"
        assert not _said(app.run())

    def test_its_hits_are_marked_on_the_map(self, app: AppTest) -> None:
        app.query_params["text"] = "a red car"
        app.run()
        sent = _data(app, "map")
        assert sent["query"] is None
        assert sent["neighbors"] == [_data(app, "nearest")["sections"][0]["rows"]]

    def test_more_are_shown_on_demand_and_another_text_begins_with_few(self, app: AppTest) -> None:
        app.query_params["text"] = "a red car"
        app.run()
        first = _data(app, "nearest")["sections"][0]["rows"]
        next(button for button in app.button if button.label == "Show 24 more").click().run()
        more = _data(app, "nearest")
        assert len(more["sections"][0]["rows"]) == 48 == more["page"]
        assert more["sections"][0]["rows"][:24] == first
        app.text_input(key="text").input("a blue car").run()
        assert len(_data(app, "nearest")["sections"][0]["rows"]) == 24


class TestMarks:
    def test_they_follow_the_notion_and_not_the_coloring(self, app: AppTest) -> None:
        app.query_params.update({"query": "5", "a": "Car color", "b": "Raw encoder", "color": "Body type"})
        app.run()
        assert not app.exception
        frame = app.session_state["view"].frame
        for section, attribute in zip(_data(app, "nearest")["sections"], ("car_color", "body_type"), strict=True):
            assert section["same_by"] == attribute.replace("_", " ")
            assert section["same"] == (frame[attribute].iloc[section["rows"]] == frame[attribute].iloc[5]).tolist()
            assert section["captions"] == frame[attribute].iloc[section["rows"]].tolist()

    def test_they_come_from_labels_and_never_from_what_an_encoder_guesses(self, app: AppTest) -> None:
        app.query_params.update({"query": "5", "color": "Aspects of car color"})
        app.run()
        assert not app.exception
        [section] = _data(app, "nearest")["sections"]
        frame, color = app.session_state["view"].frame, app.session_state["view"].color
        assert section["same"] is None
        assert section["captions"] == frame[color].iloc[section["rows"]].tolist()

    def test_what_has_no_label_has_no_mark(self) -> None:
        import pandas as pd

        from shared.view import View

        view: Any = type("V", (View,), {"frame": pd.DataFrame({"path": list("abc"), "kind": ["x", None, "x"]})})
        view = object.__new__(view)
        assert neighbors.same(view, neighbors.Query(row=0), np.array([1, 2]), "kind") == [None, True]
        assert neighbors.same(view, neighbors.Query(row=1), np.array([0, 2]), "kind") is None


class TestPicture:
    def test_it_stands_in_the_link_and_is_shown_and_found_again(self, app: AppTest) -> None:
        token = query_pictures.keep("blue.png", _picture())
        app.query_params["picture"] = token
        app.run()
        assert not app.exception
        assert app.subheader[0].value == "Neighbors of blue.png"
        assert any(f'src="./queries/{token}"' in each.proto.body for each in app.get("html"))
        found = _data(app, "nearest")["sections"][0]
        view = app.session_state["view"]
        expected: Hits = view.a.nearest(view.a.image_query(_picture(), "blue.png")[0], 24)
        assert found["rows"] == expected.rows.tolist()
        assert _data(app, "map")["neighbors"] == [found["rows"]]
        assert app.query_params["picture"] == token
        next(button for button in app.button if button.label == "Clear the query").click().run()
        assert "picture" not in app.query_params
        assert app.subheader[0].value == "2,000 images"

    def test_of_one_that_is_gone_the_page_says_so(self, app: AppTest) -> None:
        app.query_params["picture"] = "0" * 24 + "-" + "0" * 16
        app.run()
        assert not app.exception
        assert "The picture of this link is not kept here any more" in _said(app)
        assert _data(app, "map") is not None

    @pytest.mark.parametrize("content", [b"no picture", b"PK\x03\x04"])
    def test_what_is_no_picture_is_not_kept(self, content: bytes) -> None:
        with pytest.raises(InputError, match=r"'broken\.png'"):
            query_pictures.keep("broken.png", content)
        assert not list(own_uploads_dir().glob("*"))

    def test_the_oldest_make_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(query_pictures, "_KEPT", 2)
        tokens = [query_pictures.keep("a.png", _picture((shade, 0, 0))) for shade in (1, 2, 3)]
        assert [query_picture(token) is not None for token in tokens] == [False, True, True]

    @pytest.mark.parametrize("token", ["", "*", "../x", "0" * 24, "a" * 9999, "?" * 24 + "-" + "?" * 16])
    def test_a_token_of_another_form_names_nothing(self, token: str) -> None:
        query_pictures.keep("a.png", _picture())
        assert query_picture(token) is None


class TestSharedServer:
    @pytest.fixture(autouse=True)
    def shared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from server_settings import ServerSettings

        monkeypatch.setenv("LIKENESS_SERVER", ServerSettings(shared=True).as_text())
        monkeypatch.setattr("visitors._browser", lambda: "a" * 32)

    def test_who_holds_the_link_sees_the_picture(self, monkeypatch: pytest.MonkeyPatch) -> None:
        token = query_pictures.keep("mine.png", _picture())
        monkeypatch.setattr("visitors._browser", lambda: "b" * 32)
        assert query_pictures.find(token).read_bytes() == _picture()

    def test_it_counts_as_an_upload(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from server_settings import ServerSettings

        monkeypatch.setenv("LIKENESS_SERVER", ServerSettings(shared=True, visitor_uploads_gb=1.5e-9 * len(_picture())).as_text())
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
