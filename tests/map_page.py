"""Linked maps in a browser: in an empty page without a server, where Python's part is played here, and those of an open page, by the mouse."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from browsing import drawn
from likeness.plots.linked_map import SCRIPTS, Coloring, MapNames, MapPanel, coloring_of, encode_map, read_script, read_text

BLUE, ORANGE, GREEN, MAGENTA = "#2559b0", "#df911a", "#2b9667", "#de50fc"  # of the first four classes
_PIXEL = """(canvas, [px, py]) => { const box = canvas.getBoundingClientRect(), k = canvas.width / box.width;
  return [...canvas.getContext("2d").getImageData(Math.round((px - box.left) * k), Math.round((py - box.top) * k), 1, 1).data]; }"""
NAMES = "showMap, depthAt, namesAtDepth, withoutOverlap, rowAhead, rowsInBox, Grid, View, boxAround, niceTicks, rangeCodes"
PICTURE = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><rect width='8' height='8' fill='teal'/></svg>#{row}"


def module() -> str:
    """The map's scripts as one module that exports `NAMES`."""
    return read_script(*SCRIPTS) + f"\nexport {{ {NAMES} }};"


def close_to(color: list[int], wanted: str, tolerance: int = 60) -> bool:
    return all(abs(color[i] - int(wanted[1 + 2 * i : 3 + 2 * i], 16)) <= tolerance for i in range(3))


class DrivenMaps:
    """The maps of an open page, by the mouse; places are those of the world, whose frame is [-1, 1] x [-1, 1]."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def place(self, panel: int, x: float, y: float) -> tuple[float, float]:
        """Where a place of the world is on the screen while the map is not zoomed."""
        box = self.page.locator(".lm-overlay").nth(panel).bounding_box()
        scale = 0.92 * min(box["width"], box["height"]) / 2
        return box["x"] + box["width"] / 2 + scale * x, box["y"] + box["height"] / 2 - scale * y

    def pixel(self, panel: int, x: float, y: float, layer: str = "lm-points") -> list[int]:
        """The color drawn at a place."""
        color: list[int] = self.page.locator(f".{layer}").nth(panel).evaluate(_PIXEL, list(self.place(panel, x, y)))
        return color

    def drag(self, panel: int, *places: tuple[float, float]) -> None:
        """Goes from place to place with the button down."""
        first, *rest = [self.place(panel, *each) for each in places]
        self.page.mouse.move(*first)
        self.page.mouse.down()
        for each in rest:
            self.page.mouse.move(*each, steps=4)
        self.page.mouse.up()

    def lasso(self, panel: int, x: float, y: float, radius: float = 0.35) -> None:
        """Draws a circle; it begins on the side of the middle, since corners' circles leave the map."""
        start = math.atan2(-y, -x)
        turns = [start + step / 3 for step in range(19)]
        self.drag(panel, *((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns))


class MapPage:
    """One map, or two, in a page that is empty else, with what was sent to Python.

    Args:
        page: of a browser.
        positions: (n, 2) for each map, within [-1, 1].
        coloring: of the rows; by default classes a, b, c and d in turn.
        options: of `encode_map`.
    """

    def __init__(self, page: Any, positions: Sequence[np.ndarray], coloring: Coloring | None = None, height: int = 560, **options: Any) -> None:
        self.page, self.n = page, len(positions[0])
        self.panels = [np.asarray(each, np.float32) for each in positions]
        self.coloring = coloring or coloring_of("class", np.array(list("abcd"))[np.arange(self.n) % 4])
        style = "body { margin: 0; --st-background-color: #ffffff; --st-text-color: #1e1e1e; --st-primary-color: #2f5fd0; }"
        page.set_content(
            f"<style>{style}{read_text('linked_map.css')}</style><div id=host style='height: {height}px'>{read_text('linked_map.html')}</div>"
        )
        load = (
            "async (source) => { window.m = await import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))); window.sent = []; }"
        )
        page.evaluate(load, module())
        self.show(**options)
        page.wait_for_selector(".lm[data-state=ready]")
        drawn(page)

    def show(self, coloring: Coloring | None = None, names: Sequence[MapNames | None] | None = None, **options: Any) -> None:
        """Sends the map anew, as a rerun of a page does."""
        self.coloring = coloring or self.coloring
        own = names or [None] * len(self.panels)
        panels = [MapPanel(f"Map {place}", each, "", named) for place, (each, named) in enumerate(zip(self.panels, own, strict=True))]
        data = encode_map(panels, self.coloring, n=self.n, **{"thumbnails": PICTURE, "info": None} | options)
        self.page.evaluate(
            "(data) => m.showMap({ parentElement: document.getElementById('host'), data, setTriggerValue: (_, edit) => sent.push(edit) })", data
        )

    @property
    def said(self) -> str:
        """What a screen reader was told last."""
        text: str = self.page.locator(".lm-live").text_content()
        return text

    @property
    def count(self) -> str:
        """The line above the map."""
        text: str = self.page.locator(".lm-count").inner_text()
        return text

    def last(self) -> Any:
        """What Python was told last."""
        return self.page.evaluate("sent.at(-1)")

    def selected(self) -> list[int]:
        """The rows that Python was told are selected."""
        from likeness.plots.linked_map.parts import decode_rows

        edit = self.last()
        return [] if edit is None or edit["selected"] is None else decode_rows(edit["selected"], self.n).tolist()

    def focus(self, panel: int = 0) -> None:
        """Brings the keys to a map."""
        self.page.locator(".lm-overlay").nth(panel).focus()

    def press(self, *keys: str) -> None:
        """Presses keys, each after the map has drawn what the one before did."""
        for key in keys:
            self.page.keyboard.press(key)
            drawn(self.page)

    def place(self, x: float, y: float, panel: int = 0) -> tuple[float, float]:
        """Where a place of the world is on the screen while the map is not zoomed."""
        return DrivenMaps(self.page).place(panel, x, y)

    def pixel(self, x: float, y: float) -> list[int]:
        """The color drawn at a place of the world."""
        return DrivenMaps(self.page).pixel(0, x, y)
