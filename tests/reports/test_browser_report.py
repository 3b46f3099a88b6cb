"""A report in Chromium, opened from its file: hover, lasso, linked selection, search, keys, hostile texts, and no request to anywhere."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pypdfium2 import PdfDocument

from browsing import drawn, until
from likeness.reports import Report, write_report
from map_page import BLUE, MAGENTA, close_to
from small_report import CLASSES, small_report, small_table

HOSTILE = "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'>\"'"


class _Report:
    """An open page, and what it asked for or complained of."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.context = browser.new_context(**({"viewport": {"width": 1200, "height": 1000}} | options))
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-ready]", timeout=60_000)
        self.page.evaluate("document.querySelector('.explore').scrollIntoView()")
        drawn(self.page)

    def at(self, number: int, row: int) -> tuple[float, float]:
        """Where a row stands in a map, in px of the page's window."""
        box = self.page.locator(".lm-stage").nth(number).bounding_box()
        x, y = self.page.evaluate(f"MAPS.panels[{number}].at({row})")
        return box["x"] + x, box["y"] + y

    def drag(self, *corners: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*corners[0])
        mouse.down()
        for corner in corners[1:]:
            mouse.move(*corner, steps=6)
        mouse.up()

    def around(self, number: int, label: int) -> list[tuple[float, float]]:
        """Corners of a rectangle around all points of a class."""
        places = np.array([self.at(number, int(row)) for row in np.flatnonzero(label == CLASSES)])
        (left, top), (right, bottom) = places.min(axis=0) - 12, places.max(axis=0) + 12
        return [(left, top), (right, top), (right, bottom), (left, bottom)]

    @property
    def selected(self) -> list[int]:
        found: list[int] = self.page.evaluate("ROWS.filter((row) => MAPS.roles[row] !== FADED)")
        return found

    def is_bright(self, number: int, row: int, color: str) -> bool:
        """Whether a row stands on a map in its full color."""
        box = self.page.locator(".lm-stage").nth(number).bounding_box()
        x, y = self.at(number, row)
        script = """(canvas, [x, y]) => [...canvas.getContext("2d").getImageData(x * canvas.width, y * canvas.height, 1, 1).data]"""
        place = [(x - box["x"]) / box["width"], (y - box["y"]) / box["height"]]
        return close_to(self.page.locator(".lm-points").nth(number).evaluate(script, place), color)


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., _Report]]:
    """Opens a report, the small one where none is passed; no page may have complained at the end."""
    pages: list[_Report] = []

    def open_report(content: Report | None = None, **options: Any) -> _Report:
        pages.append(_Report(browser, write_report(content or small_report(tmp_path / "images"), tmp_path / "report.html"), **options))
        return pages[-1]

    yield open_report
    for page in pages:
        assert page.complaints == []
        page.context.close()


@pytest.fixture
def report(opened: Callable[..., _Report]) -> _Report:
    return opened()


def test_hover_shows_the_picture_and_values(report: _Report) -> None:
    report.page.mouse.move(*report.at(0, 2))
    card = report.page.locator(".lm-card")
    card.wait_for()
    until(report.page, lambda: card.locator(".lm-card-label").text_content() == "02.png")
    assert card.locator("dt").all_text_contents() == ["kind", "weight"]
    assert card.locator("dd").all_text_contents() == ["c", "0.6667"]
    middle = """(image) => { const pen = document.createElement('canvas').getContext('2d'); pen.drawImage(image, 0, 0);
        return [...pen.getImageData(20, 15, 1, 1).data]; }"""
    until(report.page, lambda: np.abs(np.array(card.locator("img").evaluate(middle)) - [12, 243, 100, 255]).max() < 12)
    report.page.mouse.move(*np.add(report.at(0, 2), (60, -60)))
    card.wait_for(state="hidden")


@pytest.mark.parametrize("tool", ["lasso", "box"])
def test_what_is_drawn_around_in_one_map_is_selected_in_both_and_shown(report: _Report, tool: str) -> None:
    report.page.click(f"[data-tool={tool}]")
    corners = report.around(1, 3)
    report.drag(*corners) if tool == "lasso" else report.drag(corners[0], corners[2])
    expected = np.flatnonzero(CLASSES == 3).tolist()
    assert report.selected == expected
    for number in (0, 1):
        assert report.is_bright(number, 3, MAGENTA)
        assert not report.is_bright(number, 0, BLUE)
    assert report.page.text_content("#chosen") == "10 of 40 images"
    assert [int(tile.get_attribute("data-row")) for tile in report.page.locator("#grid .tile").all()] == expected
    report.page.click("[data-tool=clear]")
    assert len(report.selected) == 40


def test_a_click_shows_the_neighbors_in_both_spaces(report: _Report) -> None:
    report.page.mouse.click(*report.at(0, 1))
    rows = report.page.locator("#neighbors .row")
    found = [[int(tile.get_attribute("data-row")) for tile in rows.nth(number).locator(".tile").all()] for number in (0, 1)]
    assert found == [list(range(2, 10)), [0, 39, 38, 37, 36, 35, 34, 33]]
    assert rows.nth(0).locator(".tile").first.text_content() == "c0.90"
    assert rows.nth(0).locator(".tile").nth(3).text_content() == "= b0.60"
    report.page.keyboard.press("Escape")
    report.page.locator("#neighbors").wait_for(state="hidden")


def test_values_are_found_and_the_legend_shows_classes_alone(report: _Report) -> None:
    report.page.select_option("#within", label="Kind")
    report.page.fill("#find", "b")
    report.page.keyboard.press("Enter")
    assert report.selected == np.flatnonzero(CLASSES == 1).tolist()
    report.page.fill("#find", "nothing like it")
    report.page.keyboard.press("Enter")
    assert report.page.text_content("#status") == "No image has this value"
    report.page.fill("#find", "")
    report.page.keyboard.press("Enter")
    report.page.locator(".lm-entry", has_text="d").click()
    assert report.selected == np.flatnonzero(CLASSES == 3).tolist()
    report.page.select_option("#color", label="Weight")
    assert len(report.selected) == 40
    until(report.page, lambda: [each.input_value() for each in report.page.locator(".lm-range-field").all()] == ["0", "13"])
    assert report.page.locator("#grid .tile").nth(1).inner_text() == "0.3333"


def test_all_of_it_works_by_keyboard(report: _Report) -> None:
    press = report.page.keyboard.press
    report.page.locator(".lm-overlay").nth(1).focus()
    press("Shift+ArrowRight")
    first = report.page.evaluate("MAPS.hovered")
    assert first >= 0
    press("Space")
    assert report.selected == [first]
    press("Enter")
    assert report.page.evaluate("MAPS.query") == first
    press("+")
    assert report.page.evaluate("MAPS.panels[1].view.zoom") > 1
    press("0")
    assert report.page.evaluate("MAPS.panels[1].view.zoom") == 1
    press("Escape")
    press("Escape")
    assert (report.page.evaluate("MAPS.query"), len(report.selected)) == (None, 40)
    report.page.locator("#neighbors").wait_for(state="hidden")


def test_nothing_is_asked_of_the_network_even_by_a_script_that_would(report: _Report) -> None:
    asked: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    assert {url.partition(":")[0] for url in report.requests} <= {"file", "data"}
    tries = f"""async () => {{
        const failed = await fetch('{address}a').then(() => false, () => true);
        await new Promise((done) => {{ const image = new Image(); image.onload = image.onerror = done; image.src = '{address}b.png'; }});
        const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script);
        return failed && window.ran === undefined && navigator.sendBeacon('{address}c') !== null;
    }}"""
    assert report.page.evaluate(tries)
    until(report.page, lambda: any(f"{address}c" in text for text in report.complaints))  # the last one was refused, too
    server.shutdown()
    server.server_close()
    assert asked == []
    assert report.complaints  # of the policy
    report.complaints.clear()


def test_hostile_texts_are_shown_as_texts(opened: Callable[..., _Report], tmp_path: Path) -> None:
    table = small_table(tmp_path / "images", **{HOSTILE: [HOSTILE, "b"] * 20})
    report = opened(replace(small_report(tmp_path, table, HOSTILE), first=[HOSTILE], lead=HOSTILE, settings=HOSTILE))
    assert report.page.text_content("h1") == HOSTILE
    assert report.page.locator(".lm-entry .lm-name").all_text_contents() == [HOSTILE, "b"]
    report.page.mouse.click(*report.at(0, 0))
    assert report.page.locator("#neighbors dd").first.text_content() == HOSTILE
    assert report.page.evaluate("window.ran") is None
    assert report.page.locator("script").count() == 2


@pytest.mark.parametrize("width", [390, 800])
def test_it_fits_narrow_windows_in_the_dark_and_touch_scrolls_over_the_maps(opened: Callable[..., _Report], width: int) -> None:
    report = opened(viewport={"width": width, "height": 800}, color_scheme="dark", has_touch=True, is_mobile=True)
    assert report.page.evaluate("document.documentElement.scrollWidth") <= width
    assert report.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 21, 28)"
    assert report.page.evaluate("getComputedStyle(MAPS.panels[0].overlay).touchAction") == "pan-y"
    report.page.touchscreen.tap(*report.at(0, 2))
    assert report.page.evaluate("MAPS.query") == 2


def test_paper_is_white_and_without_controls(opened: Callable[..., _Report]) -> None:
    page = opened(color_scheme="dark").page
    page.evaluate("document.querySelector('.lm-legend').hidden = true; document.querySelector('.pictures').hidden = true")
    with PdfDocument(page.pdf(format="A4", print_background=False)) as printed:
        paper = np.asarray(printed[0].render(scale=1).to_pil().convert("RGB"), int)
    blue = np.abs(paper - (0x25, 0x59, 0xB0)).max(axis=2) < 40  # the color of a class, which nothing but its points has
    assert blue.sum() > 50
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".bar").is_visible()
    assert page.locator(".lm-stage").first.is_visible()


def test_pictures_of_slices_stand_above_the_only_map(opened: Callable[..., _Report], tmp_path: Path) -> None:
    both = small_report(tmp_path / "images")
    report = opened(replace(both, views=both.views[:1], pictures=[(HOSTILE, "Worst first.", [8, 0], ["b → a", HOSTILE])]))
    assert report.page.locator("#rows h2, #rows p").all_text_contents() == [HOSTILE, "Worst first."]
    tiles = report.page.locator("#rows .tile")
    assert [tile.get_attribute("data-row") for tile in tiles.all()] == ["8", "0"]
    assert tiles.all_text_contents() == ["b → a", HOSTILE]
    assert report.page.evaluate("window.ran") is None
    tiles.first.click()
    assert report.page.text_content("#neighbors h2") == "Nearest images"
    assert report.page.locator("#neighbors .row .tile").first.get_attribute("data-row") == "9"
    assert report.page.locator("#neighbors .both").count() == 0
