"""A picture, large, without a browser: what the browser learns, what it asks for, and what of that which it sends is done."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from api import picture_routes
from app_page import Page
from likeness.data import LARGE_SIZE, large_picture
from likeness.tagging import TagStore
from parts import viewer
from server import hand_labels
from worlds import cars


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=picture_routes.ROUTES))


def _act(app: Page, monkeypatch: pytest.MonkeyPatch, sent: Any, page: str = "explore") -> Page:
    """The page after its browser has sent this."""
    names = ("view", "rows", "query", "picture", "text", "terms", "ticking", "viewer_next_page", "viewer_actions")
    state = {name: app.session_state[name] for name in names if name in app.session_state}
    view, state["viewer"] = state["view"], {"act": sent}
    with monkeypatch.context() as patch:
        patch.setattr("streamlit.session_state", state)
        patch.setattr("streamlit.query_params", {})
        patch.setattr("parts.link.write", lambda wanted: None)
        patch.setattr("streamlit.toast", lambda *said, **looks: None)
        viewer._act(view, page)
    for name in state.keys() - {"viewer"}:
        app.session_state[name] = state[name]
    return app


def test_pictures_come_in_their_own_pixels_within_bounds(client: TestClient, tmp_path: Any) -> None:
    answer = client.get("/pictures/cars/3")
    own = np.asarray(Image.open(cars().table.file(3)).convert("RGB"))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(answer.content)).convert("RGB")), own)
    Image.new("RGB", (3 * LARGE_SIZE, 300), (9, 90, 200)).save(tmp_path / "wide.png")
    assert Image.open(io.BytesIO(large_picture(tmp_path / "wide.png"))).size == (LARGE_SIZE, 100)
    small, large = (Image.open(io.BytesIO(client.get(f"/thumbnails/cars/3{query}").content)) for query in ("", "?large"))
    assert large.width == 2 * small.width


def test_neighbors_are_told_to_who_has_been_shown_the_space(app: Page, client: TestClient) -> None:
    spaces = app.visit(b="Car color").sent("viewer")["spaces"]
    view = app.session_state["view"]
    for space, offered in zip(view.spaces, spaces, strict=True):
        address = offered["neighbors"].removeprefix(".")
        found = client.get(address.format(row=5))
        assert found.json()["rows"] == space.nearest(5, 12).rows.tolist()
        assert found.headers["cache-control"] == "no-store"
        assert client.get(address.format(row=2000)).status_code == 404
        assert client.get(address.replace("cars", "nope").format(row=5)).status_code == 404
    assert client.get("/neighbors/cars/guessed/5").status_code == 404
    assert [each["title"] for each in spaces] == ["Raw encoder", "Car color"]


def test_the_image_is_searched_with_selected_and_labeled_and_nothing_else_is_done(
    app: Page, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.run()
    rows_that_are_none = (-1, 2000, True, "5", 5.0, None)
    odd = ({"action": "search"}, {"action": [], "row": 5}, *({"action": "search", "row": row} for row in rows_that_are_none))
    for sent in (None, 3, "x", {}, *odd):
        assert "query" not in _act(app, monkeypatch, sent).session_state or app.session_state["query"] is None
    for on, rows in ((True, [5]), (True, [5]), (False, []), (None, [])):
        _act(app, monkeypatch, {"action": "select", "row": 5, "on": on})
        assert app.session_state["rows"].tolist() == rows
    entry = app.session_state["view"].entry
    store = TagStore(hand_labels.file_of(entry))
    for label, then in ((("good", ""), [["good", ""]]), (("breed", "pug"), [["good", ""], ["breed", "pug"]]), (("good", ""), [["breed", "pug"]])):
        _act(app, monkeypatch, {"action": "label", "row": 7, "name": label[0], "value": label[1]}).run()
        assert sorted(client.get("/info/cars/7").json()["labels"]) == sorted(then)
    assert store.columns([str(cars().table.frame["path"].iloc[7])])["breed"].tolist() == ["pug"]
    assert app.sent("viewer")["labels"] == [["good", ""], ["breed", "pug"]]
    odd_labels: list[tuple[Any, Any]] = [("breed", ""), ("breed", None), ("good", "pug"), ("BREED", ""), ("", "pug"), ([], {}), ("\ud800", "x")]
    for name, value in odd_labels:  # an attribute without a value, a tag with one
        _act(app, monkeypatch, {"action": "label", "row": 8, "name": name, "value": value}).run()
        assert not app.exception
    assert client.get("/info/cars/8").json()["labels"] == []
    assert _act(app, monkeypatch, {"action": "search", "row": 5}).run().subheader[0].value == "Neighbors of 00005.webp"
    assert _act(app, monkeypatch, {"action": "saliency", "row": 9}).session_state["rows"].tolist() == [9]
    assert app.run().sent("viewer")["next"] == ["saliency", 2]
    assert app.run().sent("viewer")["next"][0] == ""


def test_a_click_on_a_tile_opens_it_where_it_means_nothing_else(app: Page) -> None:
    assert not app.run().sent("all")["acts_on_click"]
    assert app.sent("viewer")["info"] == app.session_state["view"].info
    assert app.open("saliency").sent("saliency_images")["acts_on_click"]


def test_tiles_have_three_sizes_on_all_pages_and_in_the_link(app: Page) -> None:
    sizes = {}
    for size in "SML":
        sent = app.fresh().visit(tiles=size).sent("all")
        sizes[size] = sent["tile"]
        assert sent["thumbnails"].endswith("?large") == (size == "L")
    assert sizes["S"] < sizes["M"] < sizes["L"]
    app.visit().set("tiles", "L")
    assert app.open("saliency").sent("saliency_images")["tile"] > 150
