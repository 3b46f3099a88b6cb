"""Names of clusters and of groups on a map: which are shown at which zoom, and what a click on one does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from browsing import drawn
from likeness.clusters import group_table
from likeness.plots.linked_map import MapNames
from map_page import MapPage

CORNERS = np.array([[-1, 1], [1, 1], [-1, -1], [1, -1]], dtype=float)
ROWS = np.arange(400)
POINTS = CORNERS[ROWS % 4] * (1 - 0.3 * np.random.default_rng(0).random((400, 2)))
LABELS = np.column_stack([ROWS % 4 // 2, ROWS % 4])  # two coarse clusters, above and below, each of two fine ones


TEXTS = ("animal", "plant", "cat", "dog", "tree", "bush")


def names(*texts: str) -> MapNames:
    """Of the two coarse clusters, then of the four fine ones."""
    texts = texts or TEXTS
    rows = [(0, each, -1, texts[each], 200, 0.0, 0.8 - 1.6 * each) for each in (0, 1)]
    rows += [(1, each, each // 2, texts[2 + each], 100, *(0.85 * CORNERS[each])) for each in range(4)]
    return MapNames(pd.DataFrame(rows, columns=["depth", "cluster", "parent", "name", "count", "x", "y"]), LABELS)


def box_of(shown: MapPage, name: str) -> Any:
    return shown.page.locator(".lm-map-name:visible", has_text=name).bounding_box()


def shown_names(shown: MapPage) -> list[str]:
    return sorted(shown.page.locator(".lm-map-name:visible").all_inner_texts())


def test_coarse_names_from_afar_fine_ones_from_near_and_none_where_there_are_none(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([POINTS], names=[names("animal", "plant", "cat", "dog", "tree", "")])
    assert shown_names(shown) == ["animal", "plant"]
    shown.focus()
    shown.press("+", "+", "+")  # of four fine ones in a frame that is twice too large, none is out of sight yet
    assert "animal" not in shown_names(shown)
    assert set(shown_names(shown)) <= {"cat", "dog", "tree", "plant"}
    shown.press("0")
    assert shown_names(shown) == ["animal", "plant"]
    before = box_of(shown, "animal")
    shown.press("ArrowRight", "ArrowDown")  # names stay when the map is moved, and move with it
    after = box_of(shown, "animal")
    assert (after["x"] - before["x"], after["y"] - before["y"]) == pytest.approx((-40, -40), abs=1)
    shown.show(names=[None])
    drawn(shown.page)
    assert shown_names(shown) == []


def test_a_click_on_a_name_selects_its_images_and_shift_adds(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([POINTS], names=[names()])
    shown.page.mouse.click(*shown.place(0, 0.8))
    shown.page.wait_for_function("sent.length === 1")
    assert shown.selected() == [row for row in range(400) if row % 4 < 2]
    assert shown.said == "animal: 200 selected"
    assert shown.last()["query"] is None  # no click on the point below it
    shown.page.keyboard.down("Shift")
    shown.page.mouse.click(*shown.place(0, -0.8))
    shown.page.keyboard.up("Shift")
    shown.page.wait_for_function("sent.length === 2")
    assert len(shown.selected()) == 400
    x, y = shown.place(0, 0.8)  # a drag that begins on a name moves the map
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(x + 60, y + 30, steps=3)
    shown.page.mouse.up()
    drawn(shown.page)
    box = box_of(shown, "animal")
    assert box["x"] + box["width"] / 2 == pytest.approx(x + 60, abs=2)
    assert shown.page.evaluate("sent.length") == 2


def test_keys_go_from_name_to_name(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([POINTS], names=[names()])
    shown.focus()
    shown.press("Tab", "ArrowDown")
    assert shown.page.evaluate("document.activeElement.textContent") == "plant"
    shown.press("Enter")
    shown.page.wait_for_function("sent.length === 1")
    assert shown.selected() == [row for row in range(400) if row % 4 > 1]
    shown.press("Tab")
    assert "lm-map-name" not in shown.page.evaluate("document.activeElement.className")  # the names are one step of the way


def test_names_of_groups_follow_the_filter(new_map: Callable[..., MapPage]) -> None:
    codes = ROWS % 4
    groups = [MapNames(group_table(codes, list("abcd"), POINTS))]
    shown = new_map([POINTS], names=groups)
    assert shown_names(shown) == ["a", "b", "c", "d"]
    shown.show(names=groups, dimmed=codes == 1)
    drawn(shown.page)
    assert shown_names(shown) == ["a", "c", "d"]
    x, y = groups[0].table.set_index("name").loc["c", ["x", "y"]].to_numpy(float)
    half = np.abs(POINTS).max()
    shown.page.mouse.click(*shown.place(x / half, y / half))
    shown.page.wait_for_function("sent.length === 1")
    assert shown.selected() == np.flatnonzero(codes == 2).tolist()


def test_which_names_a_depth_has_and_which_would_cover_a_larger_one(new_map: Callable[..., MapPage]) -> None:
    """A coarse name stays where the finer ones with names are less than half of it."""
    shown = new_map([POINTS])

    def at_depth(entries: Any, depth: int) -> list[str]:
        found: list[str] = shown.page.evaluate("([entries, depth]) => m.namesAtDepth(entries, depth).map((entry) => entry.name)", [entries, depth])
        return found

    assert [shown.page.evaluate("([zoom]) => m.depthAt(zoom, 3)", [zoom]) for zoom in (0.5, 1, 1.7, 1.8, 3, 3.1, 400)] == [0, 0, 0, 1, 1, 2, 2]
    few = names("animal", "plant", "", "dog", "", "").entries
    assert (at_depth(few, 0), at_depth(few, 1)) == (["animal", "plant"], ["plant", "dog"])
    few[3]["count"] = 60
    assert at_depth(few, 1) == ["animal", "plant", "dog"]
    deep = [*names("animal", "plant", "", "", "tree", "bush").entries]
    deep += [{"depth": 2, "cluster": each, "parent": 0, "name": name, "count": 50} for each, name in enumerate(["lion", "tiger"])]
    assert at_depth(deep, 1) == ["animal", "tree", "bush"]
    assert sorted(at_depth(deep, 2)) == ["bush", "lion", "tiger", "tree"]  # through a cluster without a name

    rng = np.random.default_rng(1)
    boxes = [dict(zip(("x", "y", "width"), map(float, each), strict=True)) for each in rng.uniform((0, 0, 20), (400, 400, 120), (120, 3))]
    kept = shown.page.evaluate("(boxes) => m.withoutOverlap(boxes).map((box) => boxes.indexOf(box))", boxes)

    def covers(a: dict[str, float], b: dict[str, float]) -> bool:
        return abs(a["x"] - b["x"]) < (a["width"] + b["width"]) / 2 and abs(a["y"] - b["y"]) < 22

    wanted: list[int] = []
    for place, box in enumerate(boxes):
        if not any(covers(box, boxes[other]) for other in wanted):
            wanted.append(place)
    assert kept == wanted
    assert 10 < len(kept) < 120
