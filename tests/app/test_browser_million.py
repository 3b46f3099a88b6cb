"""Two linked maps of 100,000 points, drawn by the processor and by WebGL; of a million, the same at a size that a test can wait for."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import drawn
from waiting import answers, wait_until

pytestmark = pytest.mark.long

APP = Path(__file__).resolve().parents[2] / "app"
N = 100_000
SERVER = """
import streamlit as st
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="teal"/></svg>'


def thumbnail(request):
    return Response(SVG, media_type="image/svg+xml")


def info(request):
    return JSONResponse({"label": f"image {request.path_params['row']}", "attributes": {}})


app = st.App("main.py", routes=[Route("/thumbnails/{row:int}", thumbnail), Route("/info/{row:int}", info)])
"""
# four square clusters, one of each class, in the corners of [-1, 1] x [-1, 1]; the second map has them turned by 180 degrees. Rows 0 to 3 lie alone.
MAIN = """
import sys
sys.path.insert(0, APP_FOLDER)
import numpy as np
import streamlit as st
from likeness.plots.linked_map import MapPanel, coloring_of
from components.linked_map import linked_map

state, n = st.session_state, N


@st.cache_resource
def data():
    rng, classes = np.random.default_rng(0), np.arange(n) % 4
    positions = (np.array([[-1, 1], [1, 1], [-1, -1], [1, -1]])[classes] * rng.uniform(0.3, 1, (n, 2))).astype(np.float32)
    positions[:4] = [[0, 0.6], [0.1, -0.1], [0, -0.6], [-0.1, 0.1]]
    return classes, positions, -positions, coloring_of("class", np.array(list("abcd"))[classes]), coloring_of("height", positions[:, 1], "number")


classes, one, two, by_class, by_number = data()
color = st.radio("Color", ["class", "number"])
dimmed = st.checkbox("Filter")


def take_in(event):
    if event.selection_changed:
        state.selected = event.selected
    if event.query_changed:
        state.query = event.query


linked_map(
    [MapPanel("One", one), MapPanel("Two", two)], by_class if color == "class" else by_number, n=n, key="map",
    thumbnails="/thumbnails/{row}", info="/info/{row}", selected=state.get("selected"), query=state.get("query"),
    dimmed=classes == 1 if dimmed else None, height=460, on_event=take_in, renderer=st.query_params["renderer"],
)
chosen = np.zeros(0, int) if state.get("selected") is None else state.selected
counts = np.bincount(classes[chosen], minlength=4).tolist()
st.text(f"selected {len(chosen)} of {counts} sum {int(chosen.sum())} query {state.get('query')}")
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A small app around the maps."""
    folder = tmp_path_factory.mktemp("many")
    (folder / "server.py").write_text(SERVER)
    (folder / "main.py").write_text(MAIN.replace("APP_FOLDER", repr(str(APP))).replace("n = st.session_state, N", f"n = st.session_state, {N}"))
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
        self.fetched: list[str] = []
        page.on("request", lambda sent: self.fetched.append(sent.url) if sent.url.endswith(".bin") else None)

    def place(self, panel: int, x: float, y: float) -> tuple[float, float]:
        """Screen place of a point of the world, whose frame is [-1, 1] x [-1, 1]."""
        box = self.page.locator(".lm-overlay").nth(panel).bounding_box()
        scale = 0.92 * min(box["width"], box["height"]) / 2
        return box["x"] + box["width"] / 2 + scale * x, box["y"] + box["height"] / 2 - scale * y

    def color(self, panel: int, x: float, y: float) -> list[float]:
        """The mean color of 24 x 24 px around a point of the world."""
        px, py = self.place(panel, x, y)
        script = """(canvas, [px, py]) => { const box = canvas.getBoundingClientRect();
          const { data } = canvas.getContext("2d").getImageData(Math.round(px - box.left) - 12, Math.round(py - box.top) - 12, 24, 24);
          return [0, 1, 2].map((c) => { let sum = 0; for (let i = c; i < data.length; i += 4) sum += data[i]; return sum / 576; }); }"""
        found: list[float] = self.page.locator(".lm-points").nth(panel).evaluate(script, [px, py])
        return found

    def lasso(self, panel: int, left: float, top: float, right: float, bottom: float) -> None:
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        self.page.mouse.move(*self.place(panel, *corners[0]))
        self.page.mouse.down()
        for corner in corners[1:]:
            self.page.mouse.move(*self.place(panel, *corner), steps=4)
        self.page.mouse.up()

    def said(self, text: str) -> str:
        """Waits until Python has printed something like this, and returns it."""
        found: str = self.page.get_by_text(re.compile(text)).inner_text()
        return found

    def drawn(self) -> None:
        """Waits until nothing more is to be drawn."""
        drawn(self.page)


@pytest.fixture(scope="module")
def context(browser: Any) -> Iterator[Any]:
    """One browser profile, so that Streamlit's own files are loaded once."""
    profile = browser.new_context(viewport={"width": 1100, "height": 800})
    yield profile
    profile.close()


@pytest.fixture(params=["cpu", "webgl"])
def maps(context: Any, url: str, request: pytest.FixtureRequest) -> Iterator[Maps]:
    page = context.new_page()
    page.set_default_timeout(600_000)
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    opened = Maps(page)
    page.goto(f"{url}/?renderer={request.param}")
    page.wait_for_selector(".lm[data-state=ready]")
    opened.said("selected 0")
    opened.drawn()
    drawn_by = page.locator(".lm-points").first.get_attribute("data-renderer")
    if drawn_by != request.param:
        pytest.skip("no WebGL 2 in this browser")
    yield opened
    page.close()
    assert errors == []


BLUE, GREEN = (37, 89, 176), (43, 150, 103)


def blueness(color: list[float]) -> float:
    return color[2] - color[0]


def test_a_lasso_in_one_map_selects_the_same_rows_in_the_other(maps: Maps) -> None:
    before = [maps.color(0, -0.65, 0.65), maps.color(1, 0.65, -0.65), maps.color(0, -0.65, -0.65)]
    assert blueness(before[0]) > 60  # class a
    assert blueness(before[1]) == pytest.approx(blueness(before[0]), abs=12)
    maps.page.get_by_role("button", name="Lasso").click()
    maps.lasso(0, -1.02, 1.02, -0.2, 0.2)
    told = maps.said(r"selected 24999 of \[24999, 0, 0, 0\]")  # all of class a but row 0, which lies alone
    assert f"sum {sum(range(4, N, 4))} " in told
    maps.drawn()
    for panel, sign in ((0, 1), (1, -1)):
        assert blueness(maps.color(panel, -0.65 * sign, 0.65 * sign)) > 60
        faded = maps.color(panel, -0.65 * sign, -0.65 * sign)
        assert min(faded) > 195  # class c, faded
        assert max(faded) < 254  # and not gone
    assert maps.page.locator(".lm-count").inner_text() == "24,999 selected · 100,000 images"
    assert maps.page.locator(".lm-entry").first.inner_text() == "a\n24,999/25,000"
    assert min(before[2]) < 195


def test_a_new_color_sends_no_positions(maps: Maps) -> None:
    assert len(maps.fetched) == 3  # two maps and the classes
    maps.page.get_by_text("number").click()
    maps.page.locator(".lm-colorbar").wait_for()
    maps.drawn()
    assert len(maps.fetched) == 4
    red, green, blue = maps.color(0, 0.65, 0.95)  # the yellow end of the scale
    assert red > blue + 60
    assert green > blue + 60
    maps.page.get_by_text("Filter").click()
    maps.page.get_by_text("75,000 of 100,000 images").wait_for()
    maps.page.get_by_text("class", exact=True).click()
    maps.page.locator(".lm-entry").first.wait_for()
    assert len(maps.fetched) == 4


def test_hovering_shows_the_image_and_escape_takes_back_the_latest_first(maps: Maps) -> None:
    page, card = maps.page, maps.page.locator(".lm-card")
    page.mouse.move(*maps.place(0, 0, 0.6))
    card.get_by_text("image 0", exact=True).wait_for()
    page.mouse.move(*maps.place(1, 0, 0.6))
    card.get_by_text("image 2", exact=True).wait_for()
    page.mouse.click(*maps.place(1, 0, 0.6))
    maps.said("query 2")
    page.get_by_role("button", name="Box").click()
    page.mouse.move(*maps.place(0, 0.2, 1.02))
    page.mouse.down()
    page.mouse.move(*maps.place(0, 1.02, 0.2), steps=3)
    page.mouse.up()
    maps.said(r"selected 24999 of \[0, 24999, 0, 0\] sum \d+ query 2")
    page.locator(".lm-overlay").first.focus()
    page.keyboard.press("Escape")
    maps.said(r"selected 0 of .* query 2")
    page.keyboard.press("Escape")
    maps.said("query None")


def test_panning_and_zooming_show_what_is_there(maps: Maps) -> None:
    page = maps.page
    page.mouse.move(*maps.place(0, 0, 0))
    page.mouse.down()
    page.mouse.move(*maps.place(0, 0.5, -0.5), steps=6)
    page.mouse.up()
    maps.drawn()
    assert blueness(maps.color(0, -0.15, 0.15)) > 60  # class a has moved there
    assert blueness(maps.color(1, 0.65, -0.65)) > 60  # the other map keeps its view
    page.keyboard.press("0")
    page.mouse.move(*maps.place(0, -0.65, 0.65))
    for _ in range(4):
        page.mouse.wheel(0, -100)
    maps.drawn()
    assert blueness(maps.color(0, -0.65, 0.65)) > 20  # a stays under the pointer
    page.get_by_role("button", name="Reset view").click()
    maps.drawn()
    assert blueness(maps.color(0, -0.65, 0.65)) > 60


def test_the_legend_shows_one_class_alone(maps: Maps) -> None:
    maps.page.locator(".lm-entry", has_text="c").click()
    maps.drawn()
    assert min(maps.color(0, -0.65, 0.65)) > 195  # class a, faded
    red, green, _ = maps.color(1, 0.65, 0.65)
    assert green > red + 40
    maps.page.get_by_role("button", name="Show all").click()
    maps.drawn()
    assert blueness(maps.color(0, -0.65, 0.65)) > 60
