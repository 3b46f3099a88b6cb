"""What Python's side of the components sends to a browser, and what of that which comes back is read as what a person did."""

import base64
import io
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import streamlit as st
from PIL import Image

from likeness.errors import InputError
from likeness.plots.linked_map import MapPanel, coloring_of
from parts.gallery import Picture, PictureRow, Section, encode_grid, encode_section, gallery
from parts.maps import linked_map


def test_numpy_lists_of_a_gallery_become_json_and_one_that_does_not_fit_is_named() -> None:
    lists: dict[str, Any] = {"similarities": np.array([0.5, 0.25], np.float32), "same": [np.bool_(True), None], "in_both": np.array([True, False])}
    sent = json.loads(json.dumps(encode_section(Section("Near", np.array([3, 1]), **lists))))
    assert [sent[name] for name in ("rows", *lists, "captions")] == [[3, 1], [0.5, 0.25], [True, None], [True, False], None]
    for name in (*lists, "captions", "texts"):
        with pytest.raises(InputError, match=f"'Near' has 2 rows and 1 {name}"):
            encode_section(Section("Near", [1, 2], **{name: [None]}))  # type: ignore[arg-type]


def test_pictures_of_a_grid_arrive_as_they_are_one_for_each_title() -> None:
    left = np.zeros((32, 32, 3), np.uint8)
    left[:, :16] = (250, 220, 60)
    grid = json.loads(json.dumps(encode_grid(["Image", "Map"], [PictureRow("a", [Picture(left, "wide"), Picture(255 - left)])], 150)))
    first, second = grid["rows"][0]["cells"]
    assert (grid["titles"], grid["tile"], first["caption"], second["caption"]) == (["Image", "Map"], 150, "wide", "")
    for cell, expected in ((first, left), (second, 255 - left)):
        head, content = cell["src"].split(",")
        assert head == "data:image/webp;base64"
        decoded = np.asarray(Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB"), np.int64)
        # WebP loses a little, and mixes neighbors at the edge between the halves
        assert np.abs(decoded - expected)[:, [*range(12), *range(20, 32)]].max() < 16
    with pytest.raises(InputError, match="'a' has 1 pictures under 2 titles"):
        encode_grid(["Image", "Map"], [PictureRow("a", [Picture(left)])], 150)


@pytest.fixture
def sends(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, Any], None]:
    """`sends(component, state)`: its browser has sent this, and calls back at once, as a rerun does."""

    def answer(key: str, data: Any, **callbacks: Any) -> None:
        for name, callback in callbacks.items():
            if name.startswith("on_"):
                callback()

    def send(component: Any, state: Any) -> None:
        monkeypatch.setattr(st, "session_state", {"it": state})
        monkeypatch.setattr(sys.modules[component.__module__], "renderer", lambda *names: answer)

    return send


def test_a_shown_row_is_a_click_and_nothing_else(sends: Callable[[Any, Any], None]) -> None:
    def clicked() -> list[int]:
        heard: list[int] = []
        gallery([Section("Near", np.array([2, 5]))], thumbnails="/{row}", key="it", on_click=heard.append)
        return heard

    rows = (True, -1, 7, "2", [2], None, 10**30, 2.0)
    for state in (None, 3, "x", [], *({"click": click} for click in (None, 3, "x", [], [1], {}, *({"row": row} for row in rows)))):
        sends(gallery, state)
        assert clicked() == [], state
    sends(gallery, {"click": {"row": 5}})
    assert clicked() == [5]


def test_what_is_no_edit_of_a_map_is_no_event(sends: Callable[[Any, Any], None]) -> None:
    panel, coloring = MapPanel("", np.zeros((3, 2), np.float32)), coloring_of("", [""] * 3, "none")
    for state in (None, 3, "x", [], *({"edit": edit} for edit in (3, "x", [], [1], {}, {"n": "3"}, {"n": 3, "changed": 4}))):
        sends(linked_map, state)
        linked_map([panel], coloring, n=3, thumbnails="/{row}", key="it", on_event=lambda event: pytest.fail("nothing was done"))
