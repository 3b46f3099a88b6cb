"""The linked maps in a real JupyterLab, driven in Chromium: cells run, the maps draw, the mouse works, Python hears of it."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from map_page import BLUE, GREEN, MAGENTA, ORANGE, DrivenMaps, close_to
from waiting import answers, wait_until

pytestmark = pytest.mark.timeout(420)

TOKEN = "likeness"
CORE = Path(__file__).resolve().parents[2] / "core"
SETUP = """
from types import SimpleNamespace
import numpy as np
from likeness.data import ImageTable, read_cars
from likeness.plots.linked_map import show_map, show_maps
images = read_cars()
n = 400
table = ImageTable(images.name, images.root, images.frame.iloc[:n])
classes = np.arange(n) % 4
corners = np.array([[-1, 1], [1, 1], [-1, -1], [1, -1]], dtype=float)
# rows 0 to 3 lie exactly in the corners of the frame, the others a little inside
places = corners[classes] * (1 - 0.12 * np.random.default_rng(0).random((n, 2)) * (np.arange(n) > 3)[:, None])
vectors = np.c_[places, np.random.default_rng(1).random((n, 3))].astype(np.float32)
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
one, two = (SimpleNamespace(name=name, table=table, vectors=vectors) for name in ("One", "Two"))
by_class = np.array(list("abcd"))[classes]
"""
TELL = 'print("rows", len(widget.selected), "classes", sorted(set(classes[widget.selected].tolist())), "query", widget.query)'
MAPS = "widget = show_maps(one, two, color=by_class, positions=(places, -places))\nwidget"
MANY = """
many = 200_000
spread = corners[np.arange(many) % 4] * np.random.default_rng(0).uniform(0.3, 1, (many, 2))
spread[:4] = corners
widget = show_map(spread, color=by_class[np.arange(many) % 4])
widget
"""


class Lab:
    """JupyterLab on a free port, with folders of its own for settings and kernels."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.folder, self.url = folder / "notebooks", f"http://127.0.0.1:{port}"
        self.folder.mkdir()
        settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
        names = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
        places = {f"JUPYTER_{name}": str(folder / place) for name, place in names.items()}
        places |= {f"JUPYTERLAB_{name.upper()}_DIR": str(folder / name) for name in ("settings", "workspaces")}
        options = ["--no-browser", "--allow-root", "--expose-app-in-browser", f"--IdentityProvider.token={TOKEN}"]
        options += [f"--ServerApp.{each}" for each in ("ip=127.0.0.1", f"port={port}", "port_retries=0", f"root_dir={self.folder}")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env={**os.environ, **places, "PYTHONPATH": str(CORE), "OMP_NUM_THREADS": "1"},
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def call(self, path: str, method: str = "GET") -> Any:
        request = urllib.request.Request(f"{self.url}/api{path}", method=method, headers={"Authorization": f"token {TOKEN}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def wait(self) -> None:
        wait_until(lambda: answers(f"{self.url}/api?token={TOKEN}") or self._process.poll() is not None)
        assert self._process.poll() is None, f"JupyterLab ended with status {self._process.returncode}"

    def stop_kernels(self) -> None:
        for session in self.call("/sessions"):
            self.call(f"/sessions/{session['id']}", "DELETE")

    def stop(self) -> None:
        with contextlib.suppress(OSError):  # it may never have come up
            self.stop_kernels()
        self._process.terminate()
        self._process.wait(30)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    running = Lab(tmp_path_factory.mktemp("lab"))
    try:
        running.wait()
        yield running
    finally:
        running.stop()


class Notebook(DrivenMaps):
    """An open notebook, in terms of its cells and of the maps under the first that shows some."""

    def __init__(self, page: Any, lab: Lab, name: str, cells: list[str]) -> None:
        super().__init__(page)
        self.file = lab.folder / f"{name}.ipynb"
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        import nbformat  # takes seconds, which only the process that runs these tests has to spend

        written = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel})
        nbformat.write(written, self.file)
        self.address = f"{lab.url}/doc/tree/{name}.ipynb?token={TOKEN}"
        self.open()

    def open(self) -> None:
        self.page.goto(self.address)
        self.page.locator(".jp-CodeCell .cm-content").first.wait_for()
        self.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()  # before, a cell that is run is forgotten

    def run(self, number: int) -> str:
        """Runs a cell and returns the text under it."""
        cell = self.page.locator(".jp-CodeCell").nth(number)
        before = cell.locator(".jp-InputPrompt").inner_text()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        done = "([cell, before]) => { const text = cell.querySelector('.jp-InputPrompt').innerText; return text !== before && /\\d/.test(text); }"
        self.page.wait_for_function(done, arg=[cell.element_handle(), before], timeout=180_000)
        return str(cell.locator(".jp-OutputArea").inner_text()).strip()

    def show(self, number: int) -> None:
        """Runs a cell that shows maps, and waits until they are drawn."""
        self.run(number)
        self.page.locator(".lm[data-state=ready][data-drawn=true]").wait_for()
        self.page.locator(".lm").scroll_into_view_if_needed()

    def wait_for_pixel(self, panel: int, x: float, y: float, wanted: Callable[[list[int]], bool]) -> None:
        """Waits until the color drawn at a point of the world is a wanted one."""
        for _ in range(300):
            color = self.pixel(panel, x, y)
            if wanted(color):
                return
            self.page.wait_for_timeout(200)
        raise AssertionError(f"the pixel at ({x}, {y}) stays {color}")

    def save(self) -> Any:
        import nbformat

        self.page.keyboard.press("Control+s")
        for _ in range(300):
            self.page.wait_for_timeout(200)
            with contextlib.suppress(nbformat.reader.NotJSONError):  # while it is being written
                saved = nbformat.read(self.file, as_version=4)
                if any(cell.get("outputs") for cell in saved.cells):
                    return saved
        raise TimeoutError("the notebook was not saved with outputs")


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that fails the test if the console reports an error that the test does not expect."""
    fresh = browser.new_page(viewport={"width": 1400, "height": 1200})
    fresh.set_default_timeout(120_000)
    fresh.errors = []
    fresh.on("console", lambda message: fresh.errors.append(message.text) if message.type == "error" else None)
    fresh.on("pageerror", lambda error: fresh.errors.append(str(error)))
    yield fresh
    fresh.close()
    assert fresh.errors == []


def test_the_maps_work_in_a_notebook_and_keys_go_to_the_cell_that_is_clicked(page: Any, lab: Lab) -> None:
    cells = [SETUP + MAPS, TELL, "widget.selected = [0, 4]", "widget.recolor(places[:, 1])", "widget.update(two, positions=places)"]
    book = Notebook(page, lab, "maps", cells)
    book.show(0)
    for corner, color in zip([(-1, 1), (1, 1), (-1, -1), (1, -1)], [BLUE, ORANGE, GREEN, MAGENTA], strict=True):
        book.wait_for_pixel(0, *corner, partial(close_to, wanted=color))
        book.wait_for_pixel(1, -corner[0], -corner[1], partial(close_to, wanted=color))
    assert page.locator(".lm-entry").all_inner_texts() == ["a\n100", "b\n100", "c\n100", "d\n100"]

    page.mouse.move(*book.place(0, -1, 1))  # hovering shows the picture of row 0, which the kernel sends
    page.wait_for_function("() => { const map = document.querySelector('.likeness-map'); "
                           "const image = map.shadowRoot.querySelector('.lm-card-image'); return image.naturalWidth === 128; }")  # fmt: skip
    card = page.locator(".lm-card")
    assert card.locator("img").get_attribute("src").startswith("blob:")
    assert "car color" in card.inner_text()
    page.mouse.move(*book.place(0, 0, 0))
    card.wait_for(state="hidden")

    page.get_by_role("button", name="Lasso").click()
    book.lasso(1, 1, 1)  # class c in the second map
    page.get_by_text("100 selected · 400 images").wait_for()
    assert book.run(1) == "rows 100 classes [2] query None"
    book.wait_for_pixel(0, -1, -1, partial(close_to, wanted=GREEN, tolerance=25))
    assert not close_to(book.pixel(0, -1, 1), BLUE)

    page.get_by_role("button", name="Pan").click()
    page.mouse.click(*book.place(0, -1, 1))
    page.get_by_text("Query: image 1").wait_for(state="attached")
    assert book.run(1) == "rows 100 classes [2] query 0"

    book.run(2)  # Python selects
    page.get_by_text("2 selected · 400 images").wait_for()
    book.run(3)  # a scale of colors
    page.locator(".lm-colorbar").wait_for()
    assert page.locator(".lm-ticks").inner_text().split() == ["-1", "0", "1"]
    page.locator(".lm-stage").nth(1).evaluate("(stage) => { stage.marked = true; }")
    book.run(4)  # the second map turns by 180 degrees, in the same canvas
    book.wait_for_pixel(1, -1, 1, partial(close_to, wanted="#fde725"))  # row 0 of the selection, the highest
    assert page.locator(".lm-stage").nth(1).evaluate("(stage) => stage.marked")

    page.get_by_role("button", name="Lasso").click()
    book.lasso(0, 1, 1)
    page.get_by_text("100 selected · 400 images").wait_for()
    assert page.locator(".lm-overlay").first.evaluate("(overlay) => overlay.getRootNode().activeElement === overlay")
    page.locator(".jp-CodeCell").first.locator(".jp-InputPrompt").click()
    page.keyboard.press("c")  # of a notebook: copies the cell; of the map: clears the selection
    page.keyboard.press("b")  # a new cell below; of the map: draws boxes
    page.locator(".jp-CodeCell").nth(len(cells)).wait_for()
    page.get_by_text("100 selected · 400 images").wait_for()
    assert book.run(2) == "rows 100 classes [1] query 0"


def test_many_points_travel_as_bytes_and_the_theme_is_the_notebooks(page: Any, lab: Lab) -> None:
    book = Notebook(page, lab, "many", [SETUP + MANY, "print(len(widget.selected), sorted(widget._parts) != [])"])
    book.show(0)
    page.locator(".lm-points[data-renderer]").wait_for()
    book.wait_for_pixel(0, -0.8, 0.8, partial(close_to, wanted=BLUE, tolerance=90))
    assert sum(book.pixel(0, 0, 0)[:3]) > 740
    page.get_by_role("button", name="Lasso").click()
    book.lasso(0, 1, 1, 0.99)
    page.get_by_text("selected · 200,000 rows").wait_for()
    selected, sent = book.run(1).split()
    assert int(selected) > 30_000
    assert sent == "True"
    page.evaluate("jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    page.locator(".lm-dark").wait_for()
    book.wait_for_pixel(0, 0, 0, lambda color: sum(color[:3]) < 120)


def test_a_saved_notebook_shows_a_picture_without_its_kernel(page: Any, lab: Lab) -> None:
    book = Notebook(page, lab, "saved", [SETUP + MAPS])
    book.show(0)
    saved = book.save()
    assert "image/png" in saved.cells[0].outputs[-1].data
    lab.stop_kernels()
    book.open()
    page.get_by_text("model not found").wait_for()
    lost = page.locator(".jp-OutputArea-child").nth(1)
    lost.scroll_into_view_if_needed()
    page.wait_for_function("(picture) => picture.clientHeight > 400", arg=lost.locator(".jp-OutputArea-output").element_handle())
    assert page.locator(".jp-OutputArea-child").first.is_hidden()
    wait_for_colors(page, lost.locator(".jp-OutputArea-output"))
    page.errors = [text for text in page.errors if "widget model not found" not in text]


def wait_for_colors(page: Any, picture: Any) -> None:
    """Waits until the picture, whose place may still move, shows the points."""
    end = time.monotonic() + 120
    while True:
        shown = picture.bounding_box()
        shot = page.screenshot(clip={"x": shown["x"], "y": shown["y"], "width": 400, "height": 430})
        if colors_of(shot) >= {BLUE, ORANGE, GREEN, MAGENTA}:
            return
        assert time.monotonic() < end, f"The picture shows {colors_of(shot)} of the points' colors."
        page.wait_for_timeout(500)


def colors_of(png: bytes) -> set[str]:
    """Which of the palette's colors a picture shows."""
    import io

    from PIL import Image

    pixels = {color for _, color in Image.open(io.BytesIO(png)).convert("RGB").getcolors(1 << 24)}
    return {wanted for wanted in (BLUE, ORANGE, GREEN, MAGENTA) if any(close_to(list(color), wanted, 40) for color in pixels)}
