"""The scale of a color by numbers: its ticks, and a narrower range of colors that a person chooses."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from browsing import drawn
from likeness.plots.linked_map import coloring_of
from map_page import MapPage

N = 300
X = np.linspace(-1, 1, N)
POINTS = np.column_stack([X, np.sin(7 * X)])
WEIGHT = np.append(np.linspace(0, 10, N - 2), [1000.0, np.nan])  # one far away, which takes nearly all colors, and one missing


def pixel(shown: MapPage, row: int) -> list[int]:
    return shown.pixel(*POINTS[row])[:3]


def spread(shown: MapPage) -> int:
    """How far apart the colors of a low and of a high value are, once all is drawn."""
    drawn(shown.page)
    return int(np.abs(np.subtract(pixel(shown, 5), pixel(shown, 290))).max())


def fill(shown: MapPage, label: str, value: str) -> None:
    shown.page.get_by_label(label).fill(value)
    shown.page.get_by_label(label).press("Tab")


def note(shown: MapPage) -> Any:
    return shown.page.locator(".lm-colorbar .lm-caption")


def gray(color: list[int]) -> bool:
    return max(color) - min(color) < 40


def test_number_fields_spread_the_colors_over_a_part(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([POINTS], coloring_of("weight", WEIGHT, "number"))
    assert note(shown).inner_text() == "1 without a value, gray"
    assert spread(shown) < 12  # 10 of 1,000: hardly a difference
    fill(shown, "Color up to", "10")
    note(shown).get_by_text("1 outside, gray; 1 without a value, gray").wait_for()
    assert spread(shown) > 120
    assert gray(pixel(shown, N - 2))
    assert shown.said == "Colored from 0 to 10, 1 outside, in gray"
    assert shown.last() == {"low": 0, "high": pytest.approx(10)}  # and nothing of the selection
    shown.show()  # another rerun of the page
    assert spread(shown) > 120
    shown.page.get_by_role("button", name="All").click()
    note(shown).get_by_text("1 without a value, gray", exact=True).wait_for()
    assert shown.last() == {}
    assert spread(shown) < 12
    fill(shown, "Color up to", "10")
    note(shown).get_by_text("1 outside").wait_for()
    shown.show(coloring_of("height", POINTS[:, 0], "number"))  # another color begins with its whole range
    shown.page.locator(".lm-legend-label", has_text="height").wait_for()
    assert shown.page.get_by_label("Color up to").input_value() == "1"
    assert not note(shown).is_visible()


def test_a_range_that_a_link_asks_for_is_colored_at_first_and_handles_never_cross(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([POINTS], coloring_of("weight", WEIGHT, "number"), colored=(0.0, 10.0))
    note(shown).get_by_text("1 outside, gray; 1 without a value, gray").wait_for()
    assert float(shown.page.get_by_label("Color up to").input_value()) == 10
    shown.page.get_by_role("button", name="All").click()
    shown.show(colored=(0.0, 10.0))  # a rerun that has not heard of it
    drawn(shown.page)
    assert float(shown.page.get_by_label("Color up to").input_value()) == 1000
    shown.show(coloring_of("number", np.arange(N, dtype=float), "number"))
    shown.page.locator(".lm-legend-label", has_text="number").wait_for()
    low, high = shown.page.get_by_label("Lowest colored value"), shown.page.get_by_label("Highest colored value")
    high.focus()
    shown.press(*["ArrowLeft"] * 3)
    assert float(high.input_value()) == pytest.approx(0.997)
    assert high.get_attribute("aria-valuetext") == "298"
    low.focus()
    shown.press("End")
    assert float(low.input_value()) == pytest.approx(0.996)
    note(shown).get_by_text("outside, gray").wait_for()
    fill(shown, "Color from", "500")
    assert float(shown.page.get_by_label("Color from").input_value()) == pytest.approx(0.996 * 299, abs=0.06)  # beyond the other end: as it was


def _page() -> None:
    from types import SimpleNamespace

    import streamlit as st

    from parts import link, maps

    link.begin("explore")
    view = SimpleNamespace(dataset=st.session_state.get("images", "mine"), color=st.session_state.get("by", "weight"))
    if st.session_state.get("sent") is not None:
        maps.take_color_range(view, st.session_state.pop("sent"))  # type: ignore[arg-type]
    st.session_state["range"] = maps.color_range(view)  # type: ignore[arg-type]
    link.end("explore", True)


def test_an_address_holds_the_range_of_what_colors_the_map_and_anything_else_is_the_whole() -> None:
    def run(sent: Any = None) -> Any:
        page.session_state["sent"] = sent
        return page.run().session_state["range"]

    page = AppTest.from_function(_page, default_timeout=600)
    for other in ({}, {"low": 3, "high": 3}, {"low": "1", "high": 2}, {"low": float("nan"), "high": 2}):
        assert run(other) is None
    assert run({"low": 0.5, "high": 10}) == (0.5, 10.0)
    assert page.query_params["colored"] == ["0.5", "10"]
    for name, other in (("by", "height"), ("images", "others")):
        page.session_state[name] = other
        assert page.run().session_state["range"] is None
        assert "colored" not in page.query_params
    for colored, found in ((["-1", "2.5"], (-1.0, 2.5)), (["many", "2"], None)):
        page = AppTest.from_function(_page, default_timeout=600)
        page.query_params["colored"] = colored
        assert page.run().session_state["range"] == found
        assert ["names the range of colors “many to 2”, which is not here" in warning.value for warning in page.warning] == [True] * (found is None)


def test_ticks_are_few_round_numbers_and_codes_those_of_the_range(new_map: Callable[..., MapPage]) -> None:
    shown = new_map([POINTS])

    def ticks(low: float, high: float) -> list[float]:
        found: list[float] = shown.page.evaluate("([low, high]) => m.niceTicks(low, high)", [low, high])
        return found

    assert (ticks(0, 1000), ticks(-1, 1), ticks(3, 3)) == ([0, 500, 1000], [-1, 0, 1], [3])
    assert (ticks(0.013, 0.029), ticks(-7, 1234567)) == ([0.015, 0.02, 0.025], [0, 500000, 1000000])
    rng = np.random.default_rng(0)
    for _ in range(60):
        low, width = float(rng.normal() * 10 ** rng.uniform(-4, 6)), float(10 ** rng.uniform(-4, 6))
        found = ticks(low, low + width)
        assert len(found) <= 4
        assert all(low - 1e-6 * width <= tick <= low + width * (1 + 1e-6) for tick in found) or width < 1e-9 * abs(low)
    shares = np.append(np.random.default_rng(0).random(500).astype(np.float32), [0.0, 1.0]).astype(float)
    script = """([shares, from, to]) => { const found = m.rangeCodes(Float32Array.from([...shares, NaN]), from, to, 255);
      return [[...found.codes], found.outside]; }"""
    for low, high in [(0.0, 1.0), (0.2, 0.7), (0.2, 0.22)]:
        codes, outside = shown.page.evaluate(script, [shares.tolist(), low, high])
        inside = (shares >= low) & (shares <= high)
        wanted = np.where(inside, np.rint((shares - low) / (high - low) * 254), 255)
        assert np.abs(np.array(codes[:-1]) - wanted)[inside].max() <= 1
        assert set(np.array(codes)[~np.append(inside, False)]) == {255}  # also of what is missing
        assert outside == int((~inside).sum())
