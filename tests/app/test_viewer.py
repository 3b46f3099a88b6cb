"""A picture, large, without a browser: what the browser learns, what it asks for, and what of that which it sends is done."""

import io
from pathlib import Path
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
from worlds import cars, dataset, draw_collages


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


def _why(app: Page, client: TestClient, row: int, of: object) -> Any:
    """What the open picture `row` says; None where it says nothing."""
    answer = client.get(app.sent("viewer")["why"].removeprefix(".").format(row=row), params={"of": of})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")  # a browser's console would tell of a 404
    return answer.json()


def test_a_result_says_what_it_shares_with_the_query_and_a_neighbor_with_its_image(app: Page, client: TestClient) -> None:
    app.visit(query="3")
    for of in (3, "query"):
        assert _why(app, client, 17, of) == {"title": "Compared with the query", "text": cars().why(3, 17)}
    assert _why(app, client, 17, 5) == {"title": "Compared with 00005.webp", "text": cars().why(5, 17)}
    for row, none in ((3, 3), (17, 17), (17, 2000), (2000, 3), (3, "query")):
        assert _why(app, client, row, none) is None
    assert client.get("/why/cars/guessed/5?of=3").json() is None


def test_a_result_of_a_text_says_what_the_text_names(app: Page, client: TestClient) -> None:
    app.visit(text="a red car")
    red = int(cars().nearest("a red car", 1).rows[0])
    assert _why(app, client, red, "query") == {"title": "Compared with the query", "text": "By the encoder: same car color (red)."}
    assert _why(app, client, red, "9" * 5000)["title"] == "Compared with the query"  # no row
    asked = app.sent("viewer")["why"]
    app.set("text", "")
    assert app.sent("viewer")["why"] == asked  # the notions and labels are the same, so the browser keeps its component
    assert _why(app, client, red, "query") is None
    assert _why(app, client, red, 3)["title"] == "Compared with 00003.webp"


def test_labels_made_by_the_encoder_are_no_facts(app: Page, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.added_labels.made_by_encoder", lambda names: [name for name in names if name in ("car_color", "body_type")])
    why = client.get(app.visit(query="3").sent("viewer")["why"].removeprefix(".").format(row=1308), params={"of": "query"}).json()["text"]
    labels, read = why.split(" By the encoder: ")
    assert "car color" in read
    assert "car color" not in labels
    assert "body type" not in why


def test_a_region_is_shown_in_its_image_and_named_in_words(app: Page, client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = dataset(draw_collages(tmp_path, range(0, 160, 20)))
    app.visit(dataset=entry.id)
    name = "street 0.png, 128 × 128 pixels at 148, 148"
    info = client.get(f"/info/{entry.id}/3").json()
    assert (info["label"], info["attributes"]["X"], list(info["attributes"])[-4:]) == (name, "148", ["X", "Y", "W", "H"])
    with Image.open(io.BytesIO(client.get(f"/pictures/{entry.id}/3").content)) as picture:
        assert picture.size == (286, 286)
        shown = np.asarray(picture.convert("RGB")).astype(int)
    np.testing.assert_allclose(shown[5, 5], [51, 51, 51], atol=4)  # gray, dimmed
    assert client.get(f"/thumbnails/{entry.id}/3").status_code == 200
    assert _act(app, monkeypatch, {"action": "search", "row": 3}).run().subheader[0].value == f"Neighbors of {name}"
