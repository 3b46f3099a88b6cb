"""Every action of a map by keys, by touch, and what a screen reader is told."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from browsing import drawn
from map_page import MapPage

CORNERS = np.array([[-1, 1], [1, 1], [-1, -1], [1, -1]], dtype=float)


def cornered(n: int = 400) -> np.ndarray:
    """Rows in turn around four corners; rows 0 to 3 lie exactly in them."""
    rng = np.random.default_rng(0)
    return CORNERS[np.arange(n) % 4] * (1 - 0.2 * rng.random((n, 2)) * (np.arange(n) > 3)[:, None])


def js(page: MapPage, script: str, *args: Any) -> Any:
    return page.page.evaluate(script, list(args))


def test_points_are_visited_selected_added_and_asked_about_by_keys(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([np.array([[-1, 0.5], [1, 0.5], [-1, -0.5], [1, -0.6], [0.1, 0.05]], float)])
    shown.focus()
    for key, said, state in (
        ("Right", "Image 5, class a", "attached"),  # the one nearest to the middle first
        ("Right", "Image 2, class b", "attached"),
        ("Left", "Image 2, class b", "detached"),
        ("Right", "Image 2, class b", "attached"),
        ("Right", "No more points in this direction", "attached"),
    ):
        shown.press(f"Shift+Arrow{key}")
        shown.page.get_by_text(said).wait_for(state=state)  # type: ignore[arg-type]
    assert shown.page.locator(".lm-card").is_visible()
    shown.press("Space")
    assert shown.selected() == [1]
    shown.press("Shift+ArrowLeft", "Shift+Space")
    assert shown.selected() == [1, 4]
    shown.press("Shift+Space")
    assert shown.selected() == [1]
    shown.press("Enter")
    assert shown.last()["query"] == 4
    assert "query" in shown.last()["changed"]
    shown.press("c")
    assert (shown.selected(), shown.last()["query"]) == ([], None)
    assert shown.count == "5 images"


def test_keys_zoom_say_what_is_in_sight_and_select_it(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([cornered()])
    shown.focus()
    shown.press("+")
    assert shown.said.startswith("Zoom 1.3, ")
    shown.press("-", "-")
    assert shown.said == "Zoom 0.8, 400 images visible"
    shown.press("0")
    assert shown.page.get_by_role("button", name="Reset view").is_disabled()
    assert js(shown, "() => sent.length") == 0
    shown.press("a")
    assert len(shown.selected()) == 400
    shown.press("Escape")
    shown.press(*["+"] * 3, *["ArrowUp"] * 4, *["ArrowLeft"] * 7, "a")
    few = shown.selected()
    assert {row % 4 for row in few} == {0}
    assert 20 < len(few) <= 100
    shown.press("0", "z")
    assert shown.said == f"Zoomed to {len(few)} selected"
    shown.press("a")
    assert set(few) <= set(shown.selected())
    assert {row % 4 for row in shown.selected()} == {0}


def test_what_lies_ahead_in_a_box_or_in_sight_is_what_a_look_at_every_point_finds(new_map: Callable[..., MapPage]) -> None:
    """Ahead: what costs least, along the direction, and twice what lies aside, within a quarter."""
    shown = new_map([cornered()])
    box = [-0.5, 0.25, 0.1, 0.2]
    script = "([box]) => { const view = new m.View([0, 0, 1, 1]); view.frame(box, 600, 400); return view.transform(600, 400); }"
    t = js(shown, script, box)
    corners = [(t["x0"] + t["scale"] * x, t["y0"] - t["scale"] * y) for x in box[:2] for y in box[2:]]
    assert all(0 <= x <= 600 and 0 <= y <= 400 for x, y in corners)
    assert max(x for x, _ in corners) - min(x for x, _ in corners) == pytest.approx(0.8 * 600)
    assert js(shown, "() => m.boxAround(Float32Array.from([0, 1, 5, 5, NaN, 2, 3, -1]), Uint8Array.from([1, 0, 1, 1]))") == [0, 3, -1, 1]
    assert js(shown, "() => m.boxAround(Float32Array.from([0, 1]), Uint8Array.from([0]))") is None
    assert shown.page.get_by_role("button", name="Zoom to the selection").is_disabled()

    points = np.random.default_rng(3).normal(size=(300, 2)).astype(np.float32).astype(float)
    allowed = np.arange(300) % 7 != 0
    script = """([points, allowed, from, way]) =>
      m.rowAhead(new m.Grid(Float32Array.from(points.flat())), Uint8Array.from(allowed), points[from], way, from)"""
    for start in range(0, 300, 23):
        for way in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
            apart = points - points[start]
            along, aside = apart @ np.array(way), np.abs(apart @ np.array(way[::-1]))
            cost = np.where((along > 0) & (aside <= along) & allowed, along + 2 * aside, np.inf)
            wanted = int(cost.argmin()) if np.isfinite(cost).any() else -1
            assert js(shown, script, points.tolist(), allowed.astype(int).tolist(), start, list(way)) == wanted

    points, box = np.random.default_rng(4).random((2000, 2)).astype(np.float32).astype(float), [0.2, 0.5, 0.1, 0.3]
    script = (
        "([points, box, most]) => m.rowsInBox(new m.Grid(Float32Array.from(points.flat())), box, most ?? undefined)?.sort((a, b) => a - b) ?? null"
    )
    low, high = np.array(box).reshape(2, 2).T
    inside = np.flatnonzero(((points > low) & (points < high)).all(axis=1)).tolist()
    for most, found in ((None, inside), (len(inside), inside), (len(inside) - 1, None)):  # many are not looked at
        assert js(shown, script, points.tolist(), box, most) == found


def test_a_question_mark_lists_the_keys_and_the_map_that_has_them_is_marked(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([cornered(), cornered()], selected=np.array([1, 2]))
    shown.page.keyboard.press("?")
    dialog = shown.page.get_by_role("dialog", name="Keyboard shortcuts")
    assert dialog.is_visible()
    titles = set(dialog.locator("h3").all_inner_texts())
    assert {"Map", "Page"} <= titles
    assert "Gallery" not in titles  # which is the app's
    shown.press("Escape")
    assert not dialog.is_visible()
    assert shown.count.startswith("2 selected")  # Escape closed the list and nothing else
    shown.page.get_by_role("button", name="Keyboard shortcuts").click()
    assert dialog.is_visible()
    dialog.get_by_role("button", name="Close").click()
    assert not dialog.is_visible()
    for _ in range(16):
        shown.page.keyboard.press("Tab")
        if shown.page.evaluate("document.activeElement.className") == "lm-overlay":
            break
    outline = shown.page.evaluate("getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).outlineWidth")
    assert outline == "solid2px"
    assert shown.page.locator(".lm-overlay").first.get_attribute("role") == "application"
    shown.page.evaluate("document.body.append(Object.assign(document.createElement('input'), { id: 'field' }))")
    shown.page.locator("#field").focus()
    shown.page.keyboard.press("?")
    assert not dialog.is_visible()
    assert shown.page.locator("#field").input_value() == "?"


def finger(shown: MapPage, kind: str, *places: tuple[float, float]) -> None:
    """One event of one or two fingers, as the browser's own input sends it."""
    if not hasattr(shown, "touches"):
        shown.touches = shown.page.context.new_cdp_session(shown.page)  # type: ignore[attr-defined]
    shown.touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)]})  # type: ignore[attr-defined]


def test_fingers_ask_look_draw_and_zoom(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([cornered()], touch=True)
    at = shown.place(-1, 1)
    finger(shown, "touchStart", at)
    finger(shown, "touchEnd")
    shown.page.wait_for_function("sent.length === 1")
    assert shown.last()["query"] == 0
    at = shown.place(1, 1)
    finger(shown, "touchStart", at)  # a long press shows the card
    shown.page.locator(".lm-card").wait_for()
    finger(shown, "touchEnd")
    drawn(shown.page)
    assert shown.page.locator(".lm-card").is_visible()  # to be read once the finger is out of the way
    assert js(shown, "() => sent.length") == 1  # no click
    finger(shown, "touchStart", shown.place(0, 0))
    finger(shown, "touchEnd")
    assert not shown.page.locator(".lm-card").is_visible()
    shown.page.get_by_role("button", name="Lasso").tap()
    before = js(shown, "() => sent.length")
    ring = [shown.place(x, y) for x, y in [(-0.6, 1.05), (-0.6, 0.6), (-1.05, 0.6), (-1.05, 1.05)]]
    finger(shown, "touchStart", ring[0])
    for at in [*ring[1:], ring[0]]:
        finger(shown, "touchMove", at)
    finger(shown, "touchEnd")
    shown.page.wait_for_function("before => sent.length === before + 1", arg=before)
    assert shown.selected() == list(range(0, 400, 4))
    x, y = shown.place(0, 0)  # two fingers zoom, and one of them goes on, neither with a click nor with a lasso
    finger(shown, "touchStart", (x - 40, y), (x + 40, y))
    for step in (60, 80, 120):
        finger(shown, "touchMove", (x - step, y), (x + step, y))
    assert js(shown, "() => document.querySelector('.lm-tool[data-tool=reset]').disabled") is False
    finger(shown, "touchEnd", (x - 120, y))
    finger(shown, "touchMove", (x - 60, y))
    finger(shown, "touchEnd")
    assert js(shown, "() => sent.length") == before + 1
    shown.focus()
    shown.press("+")
    assert float(shown.said.split(",")[0].removeprefix("Zoom ")) == pytest.approx(3 * 1.25, abs=0.06)
