"""The linked maps and the gallery in Streamlit, driven in Chromium."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import drawn, settled
from map_page import BLUE, GREEN, MAGENTA, ORANGE, DrivenMaps, close_to

APP = Path(__file__).resolve().parents[2] / "app"
CORNERS = {"a": (-1, 1), "b": (1, 1), "c": (-1, -1), "d": (1, -1)}  # clusters of the first map; the second has them turned by 180 degrees

SERVER = """
import streamlit as st
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="teal"/></svg>'


def thumbnail(request):
    return Response(SVG, media_type="image/svg+xml")


def info(request):
    return JSONResponse({"label": f"image {request.path_params['row']}", "attributes": {"weight": "heavy", "class": "from the server"}})


app = st.App("main.py", routes=[Route("/thumbnails/{row:int}", thumbnail), Route("/info/{row:int}", info)])
"""

MAIN = """
import sys
sys.path.insert(0, APP_FOLDER)
import numpy as np
import streamlit as st
from likeness.plots.linked_map import MapPanel, coloring_of
from parts.gallery import Section, gallery
from parts.maps import linked_map

state, n = st.session_state, int(st.query_params.get("n", 400))
for name in ("selected", "query", "clicked"):
    state.setdefault(name, None)
state.setdefault("turns", 0)
state.setdefault("events", 0)
st.button("Turn", on_click=lambda: state.update(turns=state.turns + 1))
st.button("Nothing")
color = st.radio("Color", ["class", "number"])
dimmed = st.checkbox("Filter")
classes = np.arange(n) % 4
corners = np.array([[-1, 1], [1, 1], [-1, -1], [1, -1]], dtype=float)
# rows 0 to 3 lie exactly in the corners of the frame, the others a little inside
positions = corners[classes] * (1 - 0.12 * np.random.default_rng(0).random((n, 2)) * (np.arange(n) > 3)[:, None])
turn = np.pi / 2 * state.turns
rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])


def take_in(event):
    state.events += 1
    if event.selection_changed:
        state.selected = event.selected
    if event.query_changed:
        state.query = event.query


coloring = coloring_of("class", np.array(list("abcd"))[classes]) if color == "class" else coloring_of("height", positions[:, 1], "number")
linked_map(
    [MapPanel("One", positions @ rotation), MapPanel("Two", -positions)], coloring, n=n, key="map",
    thumbnails="/thumbnails/{row}", info="/info/{row}",
    selected=state.selected, query=state.query, neighbors=None if state.query is None else [np.array([1]), np.array([2])],
    dimmed=classes == 1 if dimmed else None, height=560, on_event=take_in, renderer=st.query_params.get("renderer", "auto"),
)
chosen = [] if state.selected is None else state.selected.tolist()
st.text(f"events {state.events} selected {len(chosen)} classes {sorted(set(classes[chosen].tolist()))} query {state.query}")
gallery(
    [Section("All", range(130)),
     Section("Near", [5, 6, 7], similarities=[0.98765, 0.5, -0.25], same=[True, False, None], in_both=[True, False, False],
             captions=["five", "six", "seven"], ranked=True)],
    thumbnails="/thumbnails/{row}", key="pictures", query=6, on_click=lambda row: state.update(clicked=row),
)
st.text(f"clicked {state.clicked}")
"""


@pytest.fixture(scope="module")
def url(begin_once: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small app around the components."""
    folder = tmp_path_factory.mktemp("components")
    (folder / "components.py").write_text(SERVER)
    (folder / "main.py").write_text(MAIN.replace("APP_FOLDER", repr(str(APP))))
    options = ["--server.headless=true", "--browser.gatherUsageStats=false", "--server.fileWatcherType=none", "--server.address=127.0.0.1"]
    inside = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder), "env", "OMP_NUM_THREADS=1"]
    command = [*inside, sys.executable, "-m", "streamlit", "run", "components.py", *options]
    return str(begin_once(command=lambda port: [*command, f"--server.port={port}"]).url)


class Maps(DrivenMaps):
    """The open page."""

    def tool(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name)

    def said(self, text: str) -> None:
        """Waits until Python has printed `text`."""
        self.page.get_by_text(text).wait_for()

    def legend(self) -> list[str]:
        texts: list[str] = self.page.locator(".lm-entry").all_inner_texts()
        return texts

    def wheel(self, times: int = 3) -> None:
        """Turns it towards the first corner."""
        self.page.mouse.move(*self.place(0, *CORNERS["a"]))
        for _ in range(times):
            self.page.mouse.wheel(0, -100)
        drawn(self.page)


@pytest.fixture(scope="module")
def context(browser: Any) -> Iterator[Any]:
    """One browser profile, so that Streamlit's own files are loaded once."""
    profile = browser.new_context()
    yield profile
    profile.close()


@pytest.fixture
def maps(context: Any, url: str, request: pytest.FixtureRequest) -> Iterator[Maps]:
    settings = getattr(request, "param", {})
    page = context.new_page()
    page.set_default_timeout(600_000)
    page.add_init_script(settings.get("script", ""))
    page.set_viewport_size({"width": settings.get("width", 1440), "height": 1000})
    page.emulate_media(color_scheme=settings.get("color_scheme", "light"))
    errors: list[str] = []
    page.requests = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda sent: page.requests.append(sent.url))
    page.goto(url + settings.get("query", ""))
    page.wait_for_selector(".lm[data-state=ready]")
    page.get_by_text("clicked").wait_for()
    drawn(page)
    yield Maps(page)
    page.close()
    assert errors == []


WHITE = [255, 255, 255, 255]


def test_both_maps_show_the_classes_what_is_hovered_and_what_is_clicked(maps: Maps) -> None:
    for corner, color in zip(CORNERS.values(), [BLUE, ORANGE, GREEN, MAGENTA], strict=True):
        assert close_to(maps.pixel(0, *corner), color)
        assert close_to(maps.pixel(1, -corner[0], -corner[1]), color)
    assert maps.pixel(0, 0, 0) == WHITE
    assert maps.legend() == ["a\n100", "b\n100", "c\n100", "d\n100"]
    maps.page.mouse.move(*maps.place(0, *CORNERS["a"]))
    card = maps.page.locator(".lm-card")
    card.get_by_text("image 0", exact=True).wait_for()
    drawn(maps.page)
    assert card.inner_text().split() == ["image", "0", "class", "from", "the", "server", "weight", "heavy"]
    assert card.locator("img").evaluate("(image) => image.src.endsWith('/thumbnails/0') && image.naturalWidth > 0")
    ring = "(c) => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v > 0)"
    assert maps.page.locator(".lm-overlay").nth(1).evaluate(ring)
    maps.page.mouse.move(*maps.place(0, 0, 0))
    card.wait_for(state="hidden")
    maps.page.mouse.click(*maps.place(0, *CORNERS["a"]))
    maps.said("events 1 selected 0 classes [] query 0")
    drawn(maps.page)
    # a faint line from row 0 to its neighbor, row 1 in the first map and row 2 in the second
    assert 0 < maps.pixel(0, 0, 1, "lm-overlay")[3] < 200
    assert 0 < maps.pixel(1, 1, 0, "lm-overlay")[3] < 200
    assert maps.pixel(0, -1, 0, "lm-overlay")[3] == 0
    maps.tool("Box").click()
    maps.drag(0, (0.7, 1.05), (1.05, 0.7))
    maps.said("events 2 selected 100 classes [1] query 0")
    maps.page.locator(".lm-overlay").first.focus()
    for said in ("events 3 selected 0 classes [] query 0", "query None"):  # Escape takes back the latest first
        maps.page.keyboard.press("Escape")
        maps.said(said)
    drawn(maps.page)
    assert maps.pixel(0, 0, 1, "lm-overlay")[3] == 0


def test_selections_fade_the_rest_in_both_maps_are_added_to_taken_from_cleared_and_leave_out_what_is_filtered(maps: Maps) -> None:
    maps.page.keyboard.down("Shift")  # draws also without the tool
    maps.lasso(1, 1, 1)  # class c in the second map
    maps.page.keyboard.up("Shift")
    maps.said("events 1 selected 100 classes [2]")
    assert close_to(maps.pixel(0, *CORNERS["c"]), GREEN, 25)
    assert close_to(maps.pixel(1, 1, 1), GREEN, 25)
    assert not close_to(maps.pixel(0, *CORNERS["a"]), BLUE)
    assert maps.pixel(0, *CORNERS["a"]) != WHITE  # faded, not gone
    assert maps.legend()[2] == "c\n100/100"
    maps.tool("Lasso").click()
    for key, corner, said in (("", "a", "100 classes [0]"), ("Shift", "d", "200 classes [0, 3]"), ("Alt", "a", "100 classes [3]")):
        if key:
            maps.page.keyboard.down(key)
        maps.lasso(0, *CORNERS[corner])
        if key:
            maps.page.keyboard.up(key)
        maps.said(f"selected {said}")
    assert maps.page.locator(".lm-count").inner_text() == "100 selected · 400 images"
    maps.tool("Clear selection").click()
    maps.said("events 5 selected 0")
    assert maps.tool("Clear selection").is_disabled()
    maps.page.get_by_text("Filter").click()
    maps.page.get_by_text("300 of 400 images").wait_for()
    assert maps.legend() == ["a\n100", "b\n0", "c\n100", "d\n100"]
    assert not close_to(maps.pixel(0, *CORNERS["b"]), ORANGE)
    maps.tool("Box").click()
    maps.drag(0, (-1.05, 1.05), (1.05, -1.05))
    maps.said("selected 300 classes [0, 2, 3]")


def test_the_map_is_zoomed_where_it_is_in_use_moved_and_shows_a_class_alone_without_asking_python(maps: Maps) -> None:
    maps.wheel(1)
    maps.page.locator(".lm-hint.lm-shown").wait_for()
    assert close_to(maps.pixel(0, *CORNERS["d"]), MAGENTA)  # the page scrolls, the map is not zoomed
    maps.page.keyboard.down("Control")
    maps.wheel()
    maps.page.keyboard.up("Control")
    assert maps.pixel(0, *CORNERS["d"]) == WHITE
    maps.tool("Reset view").click()
    maps.page.mouse.click(*maps.place(0, 0, 0))  # from now on it is in use
    maps.wheel()
    assert close_to(maps.pixel(0, *CORNERS["a"]), BLUE)  # stays under the pointer
    assert maps.pixel(0, *CORNERS["d"]) == WHITE
    maps.tool("Reset view").click()
    drawn(maps.page)
    assert close_to(maps.pixel(0, *CORNERS["d"]), MAGENTA)
    maps.drag(0, (0, 0), (0.5, 0))
    drawn(maps.page)
    assert close_to(maps.pixel(0, -0.5, 1), BLUE)
    assert close_to(maps.pixel(1, 1, -1), BLUE)  # the other map keeps its view
    maps.page.keyboard.press("0")
    drawn(maps.page)
    assert close_to(maps.pixel(0, *CORNERS["a"]), BLUE)
    maps.page.locator(".lm-entry", has_text="b").click()
    drawn(maps.page)
    assert close_to(maps.pixel(0, *CORNERS["b"]), ORANGE)
    assert not close_to(maps.pixel(1, -1, 1), MAGENTA)
    maps.page.locator(".lm-entry", has_text="d").press("Enter")
    drawn(maps.page)
    assert close_to(maps.pixel(1, -1, 1), MAGENTA)
    maps.tool("Show all").click()
    drawn(maps.page)
    assert close_to(maps.pixel(0, *CORNERS["a"]), BLUE)
    maps.said("events 0")


RECORD = """(canvas, [px, py]) => {
  const seen = (window.seenColors = []), box = canvas.getBoundingClientRect(), k = canvas.width / box.width;
  const context = canvas.getContext("2d"), x = Math.round((px - box.left) * k), y = Math.round((py - box.top) * k);
  const look = () => { const color = [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
    if (String(color) !== String(seen.at(-1))) seen.push(color); requestAnimationFrame(look); };
  look(); }"""


def test_new_positions_glide_or_jump_without_motion_and_nothing_is_built_anew(maps: Maps) -> None:
    maps.page.locator(".lm-stage").first.evaluate("(stage) => { stage.marked = true; }")
    for motion, before, after in (("no-preference", BLUE, GREEN), ("reduce", GREEN, MAGENTA)):
        maps.page.emulate_media(reduced_motion=motion)
        maps.page.locator(".lm-points").first.evaluate(RECORD, list(maps.place(0, *CORNERS["a"])))
        maps.tool("Turn").click()
        settled(maps.page)
        drawn(maps.page)
        seen: list[list[int]] = maps.page.evaluate("window.seenColors")
        assert close_to(seen[0], before)
        assert close_to(seen[-1], after)
        assert ([255, 255, 255] in seen) == (motion != "reduce")  # on the way
        assert motion != "reduce" or len(seen) == 2
    assert maps.page.locator(".lm-stage").first.evaluate("(stage) => stage.marked")


MANY = [{"query": "/?n=8000"}, *(pytest.param({"query": f"/?n=100000&renderer={kind}"}, marks=pytest.mark.long) for kind in ("cpu", "webgl"))]


@pytest.mark.parametrize("maps", MANY, indirect=True)
def test_many_points_are_sent_once_and_selected_moved_filtered_and_colored_as_few(maps: Maps) -> None:
    def fetched() -> int:
        return sum(address.endswith(".bin") for address in maps.page.requests)

    asked = maps.page.evaluate("Object.fromEntries(new URL(location).searchParams)")
    if asked.get("renderer", "auto") not in ("auto", maps.page.locator(".lm-points").first.get_attribute("data-renderer")):
        pytest.skip("no WebGL 2 in this browser")
    n, sent, a, c = int(asked["n"]), fetched(), (-0.94, 0.94), (-0.94, -0.94)
    assert sent == (2 if n < 10_000 else 3)  # both maps, and many classes
    assert close_to(maps.pixel(0, *a), BLUE)
    assert close_to(maps.pixel(1, -a[0], -a[1]), BLUE)
    maps.tool("Lasso").click()
    maps.lasso(0, *CORNERS["a"])
    maps.said(f"selected {n // 4} classes [0]")
    drawn(maps.page)
    for panel, sign in ((0, 1), (1, -1)):
        assert close_to(maps.pixel(panel, sign * a[0], sign * a[1]), BLUE)
        faded = maps.pixel(panel, sign * c[0], sign * c[1])
        assert not close_to(faded, GREEN)
        assert faded != WHITE  # not gone
    assert maps.page.locator(".lm-count").inner_text() == f"{n // 4:,} selected · {n:,} images"
    maps.page.get_by_text("number").click()
    maps.page.locator(".lm-colorbar").wait_for()
    maps.said(f"selected {n // 4} classes [0]")
    drawn(maps.page)
    assert close_to(maps.pixel(0, -0.98, 0.99), "#fde725", 90)
    assert maps.page.locator(".lm-ticks").inner_text().split() == ["-1", "0", "1"]
    colored = fetched()
    assert colored == sent + (n > 10_000)  # the new colors alone
    maps.tool("Pan").click()
    maps.page.get_by_text("Filter").click()
    maps.page.get_by_text(re.compile(rf"{3 * n // 4:,} of {n:,} images")).wait_for()
    maps.page.get_by_text("class", exact=True).first.click()
    maps.page.locator(".lm-entry").first.wait_for()
    maps.tool("Clear selection").click()
    settled(maps.page)
    assert fetched() == colored
    maps.drag(0, (0, 0), (0.5, 0))
    drawn(maps.page)
    assert close_to(maps.pixel(0, a[0] + 0.5, a[1]), BLUE)
    assert close_to(maps.pixel(1, -a[0], -a[1]), BLUE)
    maps.tool("Reset view").click()
    maps.page.locator(".lm-entry", has_text="c").click()
    drawn(maps.page)
    assert not close_to(maps.pixel(0, *a), BLUE)
    assert close_to(maps.pixel(1, -c[0], -c[1]), GREEN)


RECORD_LAST_ENTRY = """(root) => {
  const seen = (window.seenEntries = []);
  const look = () => {
    const text = root.querySelectorAll(".lm-entry")[3].innerText;
    if (text !== seen.at(-1)) seen.push(text);
    requestAnimationFrame(look);
  };
  look(); }"""
LATE = """() => {
  window.onTheirWay = 0;
  const later = (heard, socket) => (event) => {
    window.onTheirWay += window.lateness ? 1 : 0;
    setTimeout(() => { window.onTheirWay -= window.lateness ? 1 : 0; heard.call(socket, event); }, window.lateness ?? 0);
  };
  const listen = WebSocket.prototype.addEventListener;
  WebSocket.prototype.addEventListener = function (kind, heard, ...rest) {
    return listen.call(this, kind, kind === "message" ? later(heard, this) : heard, ...rest);
  };
  const { set, get } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
  Object.defineProperty(WebSocket.prototype, "onmessage", { get, set(heard) {
    set.call(this, heard && later(heard, this)); } });
}"""


@pytest.mark.parametrize("maps", [{"script": f"({LATE})()"}], indirect=True)
def test_a_late_answer_does_not_undo_what_was_drawn_since(maps: Maps) -> None:
    maps.tool("Lasso").click()
    maps.page.evaluate("window.lateness = 1500")
    maps.lasso(0, *CORNERS["a"])
    maps.page.wait_for_function("window.onTheirWay > 0")  # Python has answered
    maps.lasso(0, *CORNERS["d"])
    maps.page.locator(".lm").evaluate(RECORD_LAST_ENTRY)
    maps.said("events 2 selected 100 classes [3]")
    drawn(maps.page)
    assert maps.page.evaluate("window.seenEntries") == ["d\n100/100"]


@pytest.mark.parametrize("maps", [{"color_scheme": "dark", "width": 1024}], indirect=True)
def test_a_dark_and_narrow_map_is_repainted_when_the_theme_changes(maps: Maps) -> None:
    assert sum(maps.pixel(0, 0, 0)[:3]) < 120
    assert close_to(maps.pixel(0, *CORNERS["b"]), ORANGE)
    boxes = [maps.page.locator(".lm-stage").nth(i).bounding_box() for i in (0, 1)]
    assert boxes[0]["width"] == pytest.approx(boxes[1]["width"], abs=1)
    assert boxes[1]["x"] > boxes[0]["x"] + boxes[0]["width"]
    assert maps.page.locator(".lm").bounding_box()["height"] == pytest.approx(560, abs=1)
    for scheme, back in (("light", WHITE[:3]), ("dark", None)):
        maps.page.emulate_media(color_scheme=scheme)
        maps.page.locator(".lm.lm-dark" if scheme == "dark" else ".lm:not(.lm-dark)").wait_for()
        drawn(maps.page)
        found = maps.pixel(0, 0, 0)[:3]
        assert found == back or (back is None and sum(found) < 120)
        assert close_to(maps.pixel(0, *CORNERS["a"]), BLUE)


def test_tiles_tell_rank_similarity_and_class_and_are_shown_on_demand_and_chosen(maps: Maps) -> None:
    tiles = maps.page.get_by_role("region", name="Near").locator(".ga-tile")
    assert [tile.inner_text().split() for tile in tiles.all()] == [["1", "0.988", "five"], ["2", "0.500", "six"], ["3", "−0.250", "seven"]]
    assert tiles.nth(0).locator("img").get_attribute("alt") == "Rank 1, five, similarity 0.988, same class, found by both spaces"
    assert [tile.locator(".ga-mark").is_visible() for tile in tiles.all()] == [True, True, False]
    assert [tile.locator(".ga-both").is_visible() for tile in tiles.all()] == [True, False, False]
    assert "ga-query" in tiles.nth(1).get_attribute("class")
    section = maps.page.get_by_role("region", name="All")
    assert section.locator(".ga-tile:visible").count() == 60
    section.get_by_role("button", name="Show 60 more of 70").click()
    assert section.locator(".ga-tile:visible").count() == 120
    section.get_by_role("button", name="Show 10 more of 10").click()
    assert section.locator(".ga-tile:visible").count() == 130
    assert not section.get_by_role("button", name="more").is_visible()
    box = section.locator(".ga-frame").first.bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=1)
    section.locator(".ga-tile").nth(12).click()
    maps.said("clicked 12")
    tiles.nth(2).press("Enter")
    maps.said("clicked 7")
    maps.page.get_by_role("button", name="Nothing").click()
    maps.said("clicked 7")
