"""The linked maps and the gallery in Streamlit, driven in Chromium."""

import math
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import drawn, settled
from waiting import answers, wait_until

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
from components.gallery import Section, gallery
from components.linked_map import linked_map

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
event = linked_map(
    [MapPanel("One", positions @ rotation), MapPanel("Two", -positions)], coloring, n=n, key="map",
    thumbnails="/thumbnails/{row}", info="/info/{row}",
    selected=state.selected, query=state.query, neighbors=None if state.query is None else [np.array([1]), np.array([2])],
    dimmed=classes == 1 if dimmed else None, height=560, on_event=take_in,
)
chosen = [] if state.selected is None else state.selected.tolist()
st.text(f"events {state.events} selected {len(chosen)} classes {sorted(set(classes[chosen].tolist()))} query {state.query} returned {bool(event)}")
clicked = gallery(
    [Section("All", range(130)),
     Section("Near", [5, 6, 7], similarities=[0.98765, 0.5, -0.25], same=[True, False, None], in_both=[True, False, False],
             captions=["five", "six", "seven"], ranked=True)],
    thumbnails="/thumbnails/{row}", key="tiles", query=6, on_click=lambda row: state.update(clicked=row),
)
st.text(f"clicked {state.clicked} returned {clicked}")
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A small app around the components."""
    folder = tmp_path_factory.mktemp("components")
    (folder / "server.py").write_text(SERVER)
    (folder / "main.py").write_text(MAIN.replace("APP_FOLDER", repr(str(APP))))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--server.headless=true", "--browser.gatherUsageStats=false", "--server.fileWatcherType=none", f"--server.port={port}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "server.py", "--server.address=127.0.0.1", *options],
        cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    wait_until(lambda: answers(f"{address}/_stcore/health"))
    yield address
    process.terminate()
    process.wait(600)


class Maps:
    """The open page, in terms of the maps."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def place(self, panel: int, x: float, y: float) -> tuple[float, float]:
        """Screen place of a point of the world, whose frame is [-1, 1] x [-1, 1]."""
        box = self.page.locator(".lm-overlay").nth(panel).bounding_box()
        scale = 0.92 * min(box["width"], box["height"]) / 2
        return box["x"] + box["width"] / 2 + scale * x, box["y"] + box["height"] / 2 - scale * y

    def pixel(self, panel: int, x: float, y: float, layer: str = "lm-points") -> list[int]:
        """The color drawn at a point of the world."""
        px, py = self.place(panel, x, y)
        script = """(canvas, [px, py]) => { const box = canvas.getBoundingClientRect(); const k = canvas.width / box.width;
          return [...canvas.getContext("2d").getImageData(Math.round((px - box.left) * k), Math.round((py - box.top) * k), 1, 1).data]; }"""
        color: list[int] = self.page.locator(f".{layer}").nth(panel).evaluate(script, [px, py])
        return color

    def lasso(self, panel: int, x: float, y: float, radius: float = 0.35) -> None:
        """Draws a circle in the world; it begins on the side of the middle, since corners' circles leave the map."""
        start = math.atan2(-y, -x)
        circle = [self.place(panel, x + radius * math.cos(start + t / 3), y + radius * math.sin(start + t / 3)) for t in range(19)]
        self.page.mouse.move(*circle[0])
        self.page.mouse.down()
        for at in circle[1:]:
            self.page.mouse.move(*at)
        self.page.mouse.up()

    def tool(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name)

    def said(self, text: str) -> None:
        """Waits until Python has printed `text`."""
        self.page.get_by_text(text).wait_for()


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
    page.emulate_media(color_scheme=settings.get("color_scheme", "light"), reduced_motion=settings.get("reduced_motion", "no-preference"))
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


def close_to(color: list[int], wanted: str, tolerance: int = 60) -> bool:
    return all(abs(color[i] - int(wanted[1 + 2 * i : 3 + 2 * i], 16)) <= tolerance for i in range(3))


BLUE, ORANGE, GREEN, MAGENTA = "#2559b0", "#df911a", "#2b9667", "#de50fc"


def test_both_maps_show_the_classes_what_is_hovered_and_what_is_clicked(maps: Maps) -> None:
    for corner, color in zip(CORNERS.values(), [BLUE, ORANGE, GREEN, MAGENTA], strict=True):
        assert close_to(maps.pixel(0, *corner), color)
        assert close_to(maps.pixel(1, -corner[0], -corner[1]), color)
    assert maps.pixel(0, 0, 0) == [255, 255, 255, 255]
    assert maps.page.locator(".lm-entry").all_inner_texts() == ["a\n100", "b\n100", "c\n100", "d\n100"]
    maps.page.mouse.move(*maps.place(0, *CORNERS["a"]))
    card = maps.page.locator(".lm-card")
    card.get_by_text("image 0", exact=True).wait_for()
    drawn(maps.page)
    assert card.inner_text().split() == ["image", "0", "class", "from", "the", "server", "weight", "heavy"]
    assert card.locator("img").evaluate("(image) => image.src.endsWith('/thumbnails/0') && image.naturalWidth > 0")
    ring = maps.page.locator(".lm-overlay").nth(1).evaluate("(c) => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v > 0)")
    assert ring
    maps.page.mouse.move(*maps.place(0, 0, 0))
    card.wait_for(state="hidden")
    maps.page.mouse.click(*maps.place(0, *CORNERS["a"]))
    maps.said("events 1 selected 0 classes [] query 0 returned True")
    drawn(maps.page)
    # a faint line from row 0 to its neighbor, row 1 in the first map and row 2 in the second
    assert 0 < maps.pixel(0, 0, 1, "lm-overlay")[3] < 200
    assert 0 < maps.pixel(1, 1, 0, "lm-overlay")[3] < 200
    assert maps.pixel(0, -1, 0, "lm-overlay")[3] == 0
    maps.page.keyboard.press("Escape")
    maps.said("query None")
    drawn(maps.page)
    assert maps.pixel(0, 0, 1, "lm-overlay")[3] == 0


@pytest.mark.parametrize("name", ["Lasso", "Box", "shift"])
def test_a_selection_in_one_map_fades_the_rest_in_both(maps: Maps, name: str) -> None:
    if name == "shift":
        maps.page.keyboard.down("Shift")
    else:
        maps.tool(name).click()
    if name == "Box":
        maps.page.mouse.move(*maps.place(1, 0.7, 1.05))
        maps.page.mouse.down()
        maps.page.mouse.move(*maps.place(1, 1.05, 0.7), steps=4)
        maps.page.mouse.up()
    else:
        maps.lasso(1, 1, 1)  # class c in the second map
    maps.page.keyboard.up("Shift")
    maps.said("events 1 selected 100 classes [2]")
    assert close_to(maps.pixel(0, *CORNERS["c"]), GREEN, 25)
    assert close_to(maps.pixel(1, 1, 1), GREEN, 25)
    assert not close_to(maps.pixel(0, *CORNERS["a"]), BLUE)
    assert maps.pixel(0, *CORNERS["a"]) != [255, 255, 255, 255]  # faded, not gone
    assert maps.page.locator(".lm-entry").nth(2).inner_text() == "c\n100/100"


def test_shift_adds_alt_removes_and_the_button_clears(maps: Maps) -> None:
    maps.tool("Lasso").click()
    maps.lasso(0, *CORNERS["a"])
    maps.said("selected 100 classes [0]")
    maps.page.keyboard.down("Shift")
    maps.lasso(0, *CORNERS["d"])
    maps.page.keyboard.up("Shift")
    maps.said("selected 200 classes [0, 3]")
    maps.page.keyboard.down("Alt")
    maps.lasso(0, *CORNERS["a"])
    maps.page.keyboard.up("Alt")
    maps.said("selected 100 classes [3]")
    assert maps.page.locator(".lm-count").inner_text() == "100 selected · 400 images"
    maps.tool("Clear selection").click()
    maps.said("events 4 selected 0")
    assert maps.tool("Clear selection").is_disabled()


def test_filtered_images_fade_and_cannot_be_selected(maps: Maps) -> None:
    maps.page.get_by_text("Filter").click()
    maps.page.get_by_text("300 of 400 images").wait_for()
    assert [entry.inner_text() for entry in maps.page.locator(".lm-entry").all()] == ["a\n100", "b\n0", "c\n100", "d\n100"]
    assert not close_to(maps.pixel(0, *CORNERS["b"]), ORANGE)
    maps.tool("Box").click()
    maps.page.mouse.move(*maps.place(0, -1.05, 1.05))
    maps.page.mouse.down()
    maps.page.mouse.move(*maps.place(0, 1.05, -1.05), steps=5)
    maps.page.mouse.up()
    maps.said("selected 300 classes [0, 2, 3]")


def test_the_legend_shows_a_class_alone_without_asking_python(maps: Maps) -> None:
    maps.page.locator(".lm-entry", has_text="b").click()
    assert close_to(maps.pixel(0, *CORNERS["b"]), ORANGE)
    assert not close_to(maps.pixel(1, -1, 1), MAGENTA)
    maps.page.locator(".lm-entry", has_text="d").press("Enter")
    assert close_to(maps.pixel(1, -1, 1), MAGENTA)
    maps.page.get_by_role("button", name="Show all").click()
    assert close_to(maps.pixel(0, *CORNERS["a"]), BLUE)
    maps.said("events 0")


def test_the_wheel_scrolls_unless_the_map_is_in_use(maps: Maps) -> None:
    maps.page.mouse.move(*maps.place(0, *CORNERS["a"]))
    maps.page.mouse.wheel(0, -100)
    maps.page.locator(".lm-hint.lm-shown").wait_for()
    assert close_to(maps.pixel(0, *CORNERS["d"]), MAGENTA)  # not zoomed
    maps.page.keyboard.down("Control")
    for _ in range(3):
        maps.page.mouse.wheel(0, -100)
    maps.page.keyboard.up("Control")
    drawn(maps.page)
    assert maps.pixel(0, *CORNERS["d"]) == [255, 255, 255, 255]
    maps.tool("Reset view").click()
    maps.page.mouse.click(*maps.place(0, 0, 0))
    maps.page.mouse.move(*maps.place(0, *CORNERS["a"]))
    for _ in range(3):
        maps.page.mouse.wheel(0, -100)
    drawn(maps.page)
    assert maps.pixel(0, *CORNERS["d"]) == [255, 255, 255, 255]
    maps.said("events 0")


def test_the_map_moves_and_comes_back(maps: Maps) -> None:
    maps.page.mouse.click(*maps.place(0, 0, 0))  # from now on it is in use
    maps.page.mouse.move(*maps.place(0, *CORNERS["a"]))
    for _ in range(3):
        maps.page.mouse.wheel(0, -100)
    drawn(maps.page)
    assert close_to(maps.pixel(0, *CORNERS["a"]), BLUE)  # stays under the pointer
    assert maps.pixel(0, *CORNERS["d"]) == [255, 255, 255, 255]
    maps.tool("Reset view").click()
    drawn(maps.page)
    assert close_to(maps.pixel(0, *CORNERS["d"]), MAGENTA)
    maps.page.mouse.move(*maps.place(0, 0, 0))
    maps.page.mouse.down()
    maps.page.mouse.move(*maps.place(0, 0.5, 0), steps=3)
    maps.page.mouse.up()
    drawn(maps.page)
    assert close_to(maps.pixel(0, -0.5, 1), BLUE)
    assert close_to(maps.pixel(1, 1, -1), BLUE)  # the other map keeps its view
    maps.page.keyboard.press("0")
    drawn(maps.page)
    assert close_to(maps.pixel(0, *CORNERS["a"]), BLUE)
    maps.said("events 0")


RECORD = """(canvas, [px, py]) => {
  const seen = (window.seenColors = []), box = canvas.getBoundingClientRect(), k = canvas.width / box.width;
  const context = canvas.getContext("2d"), x = Math.round((px - box.left) * k), y = Math.round((py - box.top) * k);
  const look = () => { const color = [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
    if (String(color) !== String(seen.at(-1))) seen.push(color); requestAnimationFrame(look); };
  look(); }"""


def turned(maps: Maps) -> list[list[int]]:
    """The colors that one place of the first map takes on, frame by frame, while the points move from class a's blue to class c's green."""
    maps.page.locator(".lm-points").first.evaluate(RECORD, list(maps.place(0, *CORNERS["a"])))
    maps.page.get_by_role("button", name="Turn").click()
    maps.page.wait_for_function("() => { const [r, g, b] = window.seenColors.at(-1); return g > r + 60 && g > b + 20; }")
    drawn(maps.page)
    seen: list[list[int]] = maps.page.evaluate("window.seenColors")
    return seen


def test_new_positions_glide_and_nothing_is_built_anew(maps: Maps) -> None:
    maps.page.locator(".lm-stage").first.evaluate("(stage) => { stage.marked = true; }")
    seen = turned(maps)
    assert close_to(seen[0], BLUE)
    assert [255, 255, 255] in seen  # on the way
    assert close_to(seen[-1], GREEN)
    assert maps.page.locator(".lm-stage").first.evaluate("(stage) => stage.marked")


@pytest.mark.parametrize("maps", [{"reduced_motion": "reduce"}], indirect=True)
def test_without_motion_the_points_jump(maps: Maps) -> None:
    seen = turned(maps)
    assert len(seen) == 2
    assert close_to(seen[0], BLUE)
    assert close_to(seen[1], GREEN)


@pytest.mark.parametrize("maps", [{"query": "/?n=8000"}], indirect=True)
def test_a_new_color_sends_no_positions_and_keeps_the_selection(maps: Maps) -> None:
    def fetched() -> list[str]:
        return [address for address in maps.page.requests if address.endswith(".bin")]

    assert len(fetched()) == 2
    maps.tool("Lasso").click()
    maps.lasso(0, *CORNERS["a"])
    maps.said("selected 2000 classes [0]")
    maps.page.get_by_text("number").click()
    maps.page.locator(".lm-colorbar").wait_for()
    maps.said("selected 2000 classes [0]")
    assert close_to(maps.pixel(0, *CORNERS["a"]), "#fde725")
    assert maps.page.locator(".lm-ticks").inner_text().split() == ["-1", "0", "1"]
    maps.page.get_by_role("button", name="Nothing").click()
    settled(maps.page)
    assert len(fetched()) == 2


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
def test_dark_and_narrow(maps: Maps) -> None:
    assert sum(maps.pixel(0, 0, 0)[:3]) < 120
    assert close_to(maps.pixel(0, *CORNERS["b"]), ORANGE)
    boxes = [maps.page.locator(".lm-stage").nth(i).bounding_box() for i in (0, 1)]
    assert boxes[0]["width"] == pytest.approx(boxes[1]["width"], abs=1)
    assert boxes[1]["x"] > boxes[0]["x"] + boxes[0]["width"]
    assert maps.page.locator(".lm").bounding_box()["height"] == pytest.approx(560, abs=1)


def test_a_change_of_theme_repaints_the_map(maps: Maps) -> None:
    maps.page.emulate_media(color_scheme="dark")
    maps.page.locator(".lm-dark").wait_for()
    drawn(maps.page)
    assert sum(maps.pixel(0, 0, 0)[:3]) < 120
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
    maps.page.get_by_role("region", name="All").locator(".ga-tile").nth(12).click()
    maps.said("clicked 12 returned 12")
    maps.page.get_by_role("region", name="Near").locator(".ga-tile").nth(2).press("Enter")
    maps.said("clicked 7 returned 7")
    maps.page.get_by_role("button", name="Nothing").click()
    maps.said("clicked 7 returned None")
