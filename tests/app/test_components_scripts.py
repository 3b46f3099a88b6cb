"""The maps' browser-side mathematics against Python, in an empty page."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from likeness.plots.linked_map import SCRIPTS, encode_rows, read_script

NAMES = (
    "Grid, PointSet, Splat, GLSplat, look, opacity, opacityTable, loadStep, inkTable, strips, "
    "View, framesAlike, easeInOut, nearestRow, rowsInPolygon, combineRows, packRows, unpackRows, parseColor, contrast, "
    "discStamps, stampDisc, packColor, pointRadius, Edits, loadPart, ServerSource"
)


@pytest.fixture(scope="module")
def js(browser: Any) -> Iterator[Any]:
    """Calls a JavaScript function with the scripts' names in `m`."""
    page = browser.new_page()
    source = read_script(*SCRIPTS) + f"\nexport {{ {NAMES} }};"
    page.evaluate("async (source) => { window.m = await import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))); }", source)
    yield page.evaluate
    page.close()


def test_rows_travel_as_the_same_bits_as_in_python(js: Any) -> None:
    rows = np.flatnonzero(np.random.default_rng(0).random(1003) < 0.4)
    text = encode_rows(rows, 1003)
    assert js("([text, n]) => m.packRows(m.unpackRows(text, n))", [text, 1003]) == text
    assert js(
        "([text, n]) => [...m.unpackRows(text, n).keys()].filter((i) => m.unpackRows(text, n)[i])", [encode_rows(np.array([0, 9, 30]), 31), 31]
    ) == [0, 9, 30]
    assert js("() => m.packRows(null)") is None


def test_a_zoom_keeps_the_point_under_the_pointer(js: Any) -> None:
    script = """([factor, px, py]) => {
      const view = new m.View([3, -2, 5, 5]); view.pan(20, -35, 400, 300);
      const world = (t) => [(px - t.x0) / t.scale, (t.y0 - py) / t.scale];
      const before = world(view.transform(400, 300)), scale = view.transform(400, 300).scale;
      view.zoomAt(factor, px, py, 400, 300);
      return [before, world(view.transform(400, 300)), view.transform(400, 300).scale / scale];
    }"""
    for factor, px, py in [(1.7, 10, 290), (0.8, 333, 20), (3.0, 200, 150)]:
        before, after, ratio = js(script, [factor, px, py])
        assert after == pytest.approx(before)
        assert ratio == pytest.approx(factor)


def test_home_fits_in_square_units(js: Any) -> None:
    t = js("() => new m.View([3, -2, 5, 5]).transform(400, 300)")
    assert (t["x0"] + t["scale"] * 3, t["y0"] - t["scale"] * -2) == pytest.approx((200, 150))
    assert 2 * 5 * t["scale"] == pytest.approx(0.92 * 300)
    assert 2 * 5 * js("() => new m.View([3, -2, 5, 1]).transform(400, 300).scale") == pytest.approx(0.92 * 400)


def test_panning_moves_by_as_many_pixels(js: Any) -> None:
    script = """() => {
      const view = new m.View([3, -2, 5, 5]), before = view.transform(400, 300);
      view.pan(13, -7, 400, 300);
      return [before, view.transform(400, 300)];
    }"""
    before, after = js(script)
    assert (after["x0"] - before["x0"], after["y0"] - before["y0"]) == pytest.approx((13, -7))


@pytest.mark.parametrize(
    ("fresh", "alike"),
    [([0, 0, 1, 1], True), ([0.02, 0, 1.05, 0.7], True), ([0, 0, 0.5, 0.5], False), ([0, 0, 2, 1], False), ([0.5, 0, 1, 1], False)],
)
def test_a_refit_keeps_the_frame_that_still_fits(js: Any, fresh: list[float], alike: bool) -> None:
    assert js("(fresh) => m.framesAlike([0, 0, 1, 1], fresh)", fresh) is alike


def inside(polygon: np.ndarray, point: np.ndarray) -> bool:
    """Winding number by summed angles: another method than the even-odd rule, equal on simple polygons."""
    a = polygon - point
    b = np.roll(a, -1, axis=0)
    angles = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1))
    return abs(angles.sum()) > np.pi


def test_the_lasso_takes_what_lies_inside(js: Any) -> None:
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (400, 2))
    points[5] = np.nan
    turns = np.linspace(0, 2 * np.pi, 23)[:-1]
    star = np.stack([np.cos(turns), np.sin(turns)], axis=1) * rng.uniform(0.2, 1, (22, 1))
    allowed = np.ones(400, int)
    allowed[::3] = 0
    transform = {"scale": 100.0, "x0": 150.0, "y0": 120.0}
    screen = np.stack([150 + 100 * star[:, 0], 120 - 100 * star[:, 1]], axis=1)
    script = "([p, a, t, s]) => [...m.rowsInPolygon(new m.Grid(Float64Array.from(p, (v) => v ?? NaN)), Uint8Array.from(a), t, s)]"
    flat = [None if v != v else v for v in points.ravel().tolist()]
    expected = [int(allowed[i] and not np.isnan(p).any() and inside(star, p)) for i, p in enumerate(points)]
    assert js(script, [flat, allowed.tolist(), transform, screen.tolist()]) == expected
    assert 30 < sum(expected) < 200


def test_the_nearest_full_point_is_hovered_before_a_faded_one(js: Any) -> None:
    script = (
        "([ranks, x]) => m.nearestRow(new m.Grid(Float32Array.from([0, 0, 3, 0, NaN, NaN, 50, 0])), Uint8Array.from(ranks), "
        "{ scale: 1, x0: 0, y0: 0 }, x, 0, 10)"
    )
    assert js(script, [[1, 1, 1, 1], 1]) == 0
    assert js(script, [[1, 1, 1, 1], 2]) == 1
    assert js(script, [[0, 1, 1, 1], 1]) == 1
    assert js(script, [[0, 0, 0, 0], 1]) == 0
    assert js(script, [[1, 1, 1, 1], 25]) == -1


@pytest.mark.parametrize(
    ("how", "old", "expected"),
    [
        ("replace", [1, 0, 0], [0, 1, 1]),
        ("add", [1, 0, 0], [1, 1, 1]),
        ("remove", [1, 1, 0], [1, 0, 0]),
        ("add", None, [0, 1, 1]),
        ("remove", None, None),
        ("remove", [0, 1, 1], None),
    ],
)
def test_shapes_replace_add_and_remove(js: Any, how: str, old: list[int] | None, expected: list[int] | None) -> None:
    script = "([old, how]) => { const mask = m.combineRows(old && Uint8Array.from(old), Uint8Array.from([0, 1, 1]), how); return mask && [...mask]; }"
    assert js(script, [old, how]) == expected


def test_contrast_follows_wcag(js: Any) -> None:
    assert js("() => m.contrast([255, 255, 255], [0, 0, 0])") == pytest.approx(21)
    assert js("() => m.contrast([118, 118, 118], [255, 255, 255])") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize(
    ("text", "color"),
    [("#fff", [255] * 3), ("#2559b0", [37, 89, 176]), ("rgb(1, 2, 3)", [1, 2, 3]), ("rgba(4 5 6 / 0.5)", [4, 5, 6]), ("", [128] * 3)],
)
def test_colors_are_read(js: Any, text: str, color: list[int]) -> None:
    assert js("(text) => m.parseColor(text)", text) == color


def test_discs_have_their_area_and_their_color(js: Any) -> None:
    script = """([x, y, r, opacity]) => {
      const pixels = new Uint32Array(64 * 64).fill(0xff000000);
      m.stampDisc(pixels, 64, 64, m.discStamps(r, opacity), x, y, m.packColor([200, 100, 50]));
      let [sum, sx, sy] = [0, 0, 0];
      pixels.forEach((p, i) => { const red = p & 255; sum += red; sx += red * ((i % 64) + 0.5); sy += red * (Math.floor(i / 64) + 0.5); });
      const c = pixels[32 * 64 + 32];
      return [sum / 200, sx / sum, sy / sum, [c & 255, (c >> 8) & 255, (c >> 16) & 255, c >>> 24]];
    }"""
    for x, y, radius in [(32.5, 32.5, 5.0), (32.1, 32.8, 6.3), (32.9, 32.2, 4.1)]:
        area, cx, cy, center = js(script, [x, y, radius, 1])
        assert area == pytest.approx(np.pi * radius**2, rel=0.03)
        assert (cx, cy) == pytest.approx((x, y), abs=0.2)
        assert center == [200, 100, 50, 255]
    assert js(script, [32.5, 32.5, 5.0, 0.5])[3] == [100, 50, 25, 255]


def test_a_disc_over_the_edge_does_not_wrap(js: Any) -> None:
    script = """([x, y]) => {
      const pixels = new Uint32Array(20 * 20).fill(0xff000000);
      m.stampDisc(pixels, 20, 20, m.discStamps(3, 1), x, y, 0xffffff);
      return [...pixels.keys()].filter((i) => pixels[i] !== 0xff000000).map((i) => [i % 20, Math.floor(i / 20)]);
    }"""
    for x, y in [(0, 10), (19.9, 10), (10, 0), (10, 19.9), (0, 0)]:
        touched = js(script, [x, y])
        assert touched
        assert all(abs(px + 0.5 - x) < 4.5 and abs(py + 0.5 - y) < 4.5 for px, py in touched)
    assert js(script, [-40, 10]) == []


def test_points_shrink_with_their_number_and_grow_with_the_zoom(js: Any) -> None:
    sizes = js("() => [100, 2000, 30000, 100000, 1e6].map((n) => m.pointRadius(n, 500, 500, 1))")
    assert sizes == sorted(sizes, reverse=True)
    assert 1 < sizes[-1] < sizes[0] < 5
    assert js("() => m.pointRadius(2000, 500, 500, 8)") > sizes[1]


def test_an_answer_to_an_older_edit_does_not_undo_a_newer_one(js: Any) -> None:
    script = """() => {
      const edits = new m.Edits(); const first = edits.next(["selection"], { query: 1 }); const second = edits.next(["query"], { query: 2 });
      return [second.changed, edits.answered(null), edits.answered(first.id), edits.answered(second.id), edits.answered("of another page")];
    }"""
    assert js(script) == [["selection", "query"], False, False, True, True]


def test_the_same_part_is_decoded_once(js: Any) -> None:
    script = """async () => {
      const part = { id: "x", type: "uint16", base64: "AQACAA==" };
      const [a, b] = await Promise.all([m.loadPart(part), m.loadPart({ id: "x", type: "uint16", url: "/nowhere" })]);
      return [a === b, [...a]];
    }"""
    assert js(script) == [True, [1, 2]]


@pytest.mark.parametrize(
    ("status", "sentence"), [(401, "Open the new link."), (500, "The server could not send what the map shows. Load this page again.")]
)
def test_data_that_do_not_come_are_told_with_what_to_do(js: Any, status: int, sentence: str) -> None:
    script = """async (status) => {
      const ask = window.fetch;
      window.fetch = async () => new Response("Open the new link.", { status });
      try { return await new m.ServerSource({}).bytes({ url: "/part" }).catch((error) => error.message); } finally { window.fetch = ask; }
    }"""
    assert js(script, status) == sentence


def test_easing_starts_and_ends_at_rest(js: Any) -> None:
    assert js("() => [0, 0.5, 1].map(m.easeInOut)") == [0, 0.5, 1]
    assert js("() => m.easeInOut(0.01)") < 0.001
