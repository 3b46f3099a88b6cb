"""The table beside the map in a browser: boxes select on the map, the map ticks boxes, heads of columns sort."""

from typing import Any

import pytest

from browsing import WAIT, open_map, settled
from shared import selection

pytestmark = pytest.mark.long

_HEAD, _ROW = 36, 46  # pixels


def _grid(page: Any) -> Any:
    page.locator("[data-testid='stDataFrame'] canvas").first.wait_for(timeout=WAIT)
    settled(page)
    return page.locator("[data-testid='stDataFrame']").bounding_box()


def _tick(page: Any, place: int) -> None:
    box = _grid(page)
    page.mouse.click(box["x"] + 18, box["y"] + _HEAD + _ROW * (place + 0.5))
    settled(page)


def _selected(page: Any) -> list[int]:
    text = page.evaluate("new URL(location).searchParams.get('rows') || ''")
    return selection.decode(text).tolist()


def _cell(page: Any, place: int, column: int) -> str:
    """What a screen reader finds in a cell; the box has number 0."""
    found: str = page.locator(f"[data-testid='stDataFrame'] [role='row'][aria-rowindex='{place + 2}'] [aria-colindex='{column}']").inner_text()
    return found


def test_rows_and_map_share_one_selection(page: Any, server: Any) -> None:
    open_map(page, f"{server.url}/?layout=PCA")
    page.get_by_text("Table", exact=True).click()
    _tick(page, 1)
    _tick(page, 3)
    assert _selected(page) == [1, 3]
    page.get_by_text("Selected 2").wait_for(timeout=WAIT)
    _tick(page, 1)
    assert _selected(page) == [3]
    page.reload()
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    _grid(page)  # the link opens the table again
    assert _selected(page) == [3]
    page.get_by_role("button", name="Clear the selection").click()
    settled(page)
    assert _selected(page) == []


def test_what_is_drawn_around_on_the_map_is_ticked(page: Any, server: Any) -> None:
    open_map(page, f"{server.url}/?layout=PCA&beside=Table")
    _grid(page)
    stage = page.locator(".lm-overlay").first.bounding_box()
    page.locator(".lm-tool[aria-label*='ox']").first.click()
    page.mouse.move(stage["x"] + 0.4 * stage["width"], stage["y"] + 0.4 * stage["height"])
    page.mouse.down()
    page.mouse.move(stage["x"] + 0.5 * stage["width"], stage["y"] + 0.5 * stage["height"], steps=4)
    page.mouse.up()
    settled(page)
    chosen = _selected(page)
    assert len(chosen) > 2
    page.get_by_text(f"Selected {len(chosen)}").wait_for(timeout=WAIT)
    _tick(page, 0)  # it was ticked, so that this takes it out
    assert _selected(page) == chosen[1:]


def test_the_head_of_a_column_sorts_all_images_and_turns(page: Any, server: Any) -> None:
    open_map(page, f"{server.url}/?layout=PCA&beside=Table")
    box = _grid(page)
    files = [_cell(page, place, 2) for place in range(3)]
    assert files == sorted(files)
    head = (box["x"] + 180, box["y"] + _HEAD / 2)
    for arrow, first in (("↑", "00000.webp"), ("↓", "01999.webp"), ("↑", "00000.webp")):
        page.mouse.click(*head)
        page.locator("[data-testid='stDataFrame'] [role='columnheader']", has_text=f"File {arrow}").wait_for(state="attached", timeout=WAIT)
        _grid(page)
        assert _cell(page, 0, 2) == first
