"""The maps' browser-side mathematics against Python, in an empty page: views, selections, colors, many points, and pictures of them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from likeness.plots.linked_map import SCRIPTS, read_script
from likeness.plots.linked_map.parts import encode_rows

NAMES = (
    "Grid, PointSet, Picture, Splat, GLSplat, rendererFor, look, opacity, opacityTable, loadStep, colorTable, inkTable, freshness, pointRadius, "
    "View, framesAlike, easeInOut, nearestRow, rowsInPolygon, insidePolygon, combineRows, packRows, unpackRows, parseColor, contrast, "
    "discStamps, stampDisc, packColor, Edits, loadPart, ServerSource"
)
# a scene of 3,000 points in clusters, some without a place, and what draws it whole
SCENE = """
window.random = (seed) => () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32);
window.scene = (count, faded, kind = "category") => {
  const next = window.random(7), positions = new Float32Array(2 * count), codes = new Uint8Array(count), roles = new Uint8Array(count).fill(1);
  for (let i = 0; i < count; i++) {
    codes[i] = i % 3;
    for (const a of [0, 1]) positions[2 * i + a] = Math.sin(1 + 2 * codes[i] + a) + 0.5 * (next() + next() - 1);
    if (i % 97 === 0) positions[2 * i] = NaN;
    if (faded && next() < 0.6) roles[i] = 0;
  }
  const theme = { background: [255, 255, 255], text: [30, 30, 30], dark: false }, colors = [[37, 89, 176], [223, 145, 26], [43, 150, 103]];
  const table = m.colorTable(colors, theme, kind, [0, 0, 0]), inks = m.inkTable(colors, theme, kind, [0, 0, 0]);
  const has = { hasFaded: faded, hasNormal: true, hasPicked: false, front: roles.reduce((a, b) => a + b, 0) };
  return { points: new m.PointSet(new m.Grid(positions)), scene: { version: 1, roles, codes, table, inks, background: 0xffffff, ...has } };
};
window.canvas = (width, height) => {
  const made = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", { alpha: false, willReadFrequently: true });
  made.fillRect(0, 0, width, height);
  return made;
};
window.drawn = (renderer, { scene, points }, transform, region, target = window.canvas(240, 180)) => {
  const seen = m.look(points, transform.scale, 1), whole = { x: 0, y: 0, width: 240, height: 180 };
  const steps = renderer.draw(target, scene, points, transform, seen, region ?? whole);
  while (!steps.next().done);
  return target;
};
window.pixels = (target) => target.getImageData(0, 0, target.canvas.width, target.canvas.height).data;
window.differing = (a, b, by = 0) => pixels(a).reduce((count, v, i) => count + (Math.abs(v - pixels.other[i]) > by), 0, (pixels.other = pixels(b)));
"""


@pytest.fixture(scope="module")
def js(browser: Any) -> Iterator[Any]:
    """Calls a JavaScript function with the scripts' names in `m`."""
    page = browser.new_page()
    source = read_script(*SCRIPTS) + f"\nexport {{ {NAMES} }};"
    page.evaluate("async (source) => { window.m = await import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))); }", source)
    page.evaluate(f"() => {{ {SCENE} }}")
    yield page.evaluate
    page.close()


# an expression, what is `given` to it, and what it gives
GIVEN: list[tuple[str, Any, Any]] = [
    *(("m.framesAlike([0, 0, 1, 1], given)", frame, True) for frame in ([0, 0, 1, 1], [0.02, 0, 1.05, 0.7])),
    *(("m.framesAlike([0, 0, 1, 1], given)", frame, False) for frame in ([0, 0, 0.5, 0.5], [0, 0, 2, 1], [0.5, 0, 1, 1])),
    *(("m.parseColor(given)", *each) for each in (("#fff", [255] * 3), ("#2559b0", [37, 89, 176]), ("rgb(1, 2, 3)", [1, 2, 3]))),
    *(("m.parseColor(given)", *each) for each in (("rgba(4 5 6 / 0.5)", [4, 5, 6]), ("", [128] * 3))),
    ("m.contrast([255, 255, 255], given)", [0, 0, 0], pytest.approx(21)),  # as WCAG has it
    ("m.contrast([255, 255, 255], given)", [118, 118, 118], pytest.approx(4.54, abs=0.01)),
    ("given.map(m.easeInOut)", [0, 0.5, 1], [0, 0.5, 1]),
    ("m.easeInOut(given) < 0.001", 0.01, True),  # it starts at rest
    ("given.map((n) => m.freshness(120, 130, 125, n))", [2, 1], [2, 1]),  # mixed colors are freshened
    ("m.freshness(37, 89, 176, given)", 2, 1),  # pure ones are not
    ("given.map((kind) => m.rendererFor(kind).constructor.name)", ["auto", "cpu"], ["Splat", "Splat"]),  # this browser has no card but a played one
]
_COMBINE = "((mask) => mask && [...mask])(m.combineRows(given[0] && Uint8Array.from(given[0]), Uint8Array.from([0, 1, 1]), given[1]))"
GIVEN += [(_COMBINE, [old, "add"], expected) for old, expected in (([1, 0, 0], [1, 1, 1]), (None, [0, 1, 1]))]
GIVEN += [(_COMBINE, [old, "remove"], expected) for old, expected in (([1, 1, 0], [1, 0, 0]), (None, None), ([0, 1, 1], None))]
GIVEN += [(_COMBINE, [[1, 0, 0], "replace"], [0, 1, 1])]


def test_what_functions_give(js: Any) -> None:
    for expression, given, expected in GIVEN:
        assert js(f"(given) => {expression}", given) == expected, (expression, given)


def test_rows_travel_as_the_same_bits_as_in_python(js: Any) -> None:
    rows = np.flatnonzero(np.random.default_rng(0).random(1003) < 0.4)
    text = encode_rows(rows, 1003)
    assert js("([text, n]) => m.packRows(m.unpackRows(text, n))", [text, 1003]) == text
    assert js(
        "([text, n]) => [...m.unpackRows(text, n).keys()].filter((i) => m.unpackRows(text, n)[i])", [encode_rows(np.array([0, 9, 30]), 31), 31]
    ) == [0, 9, 30]
    assert js("() => m.packRows(null)") is None


def test_a_view_fits_in_square_units_is_panned_by_pixels_and_zoomed_at_the_pointer(js: Any) -> None:
    t = js("() => new m.View([3, -2, 5, 5]).transform(400, 300)")
    assert (t["x0"] + t["scale"] * 3, t["y0"] - t["scale"] * -2) == pytest.approx((200, 150))
    assert 2 * 5 * t["scale"] == pytest.approx(0.92 * 300)
    assert 2 * 5 * js("() => new m.View([3, -2, 5, 1]).transform(400, 300).scale") == pytest.approx(0.92 * 400)
    after = js("() => { const view = new m.View([3, -2, 5, 5]); view.pan(13, -7, 400, 300); return view.transform(400, 300); }")
    assert (after["x0"] - t["x0"], after["y0"] - t["y0"]) == pytest.approx((13, -7))
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


def test_discs_have_their_area_and_color_and_do_not_wrap_over_an_edge(js: Any) -> None:
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


def test_points_shrink_and_fade_with_their_number_and_come_out_with_the_zoom(js: Any) -> None:
    sizes = js("() => [100, 2000, 30000, 100000, 1e6].map((n) => m.pointRadius(n, 500, 500, 1))")
    assert sizes == sorted(sizes, reverse=True)
    assert 1 < sizes[-1] < sizes[0] < 5
    assert js("() => m.pointRadius(2000, 500, 500, 8)") > sizes[1]
    script = """() => [[20000, 100], [200000, 100], [200000, 2000], [200000, 60000]].map(([n, scale]) => {
      const s = scene(n, false), seen = m.look(s.points, scale, 1); return [seen.radius, seen.single]; })"""
    few, many, near, nearest = js(script)
    assert many[1] < few[1]
    assert many[0] <= few[0]
    assert many[1] < near[1] <= 0.75
    assert many[0] < near[0] <= nearest[0] <= 6


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


def test_data_that_do_not_come_are_told_with_what_to_do(js: Any) -> None:
    script = """async (status) => {
      const ask = window.fetch;
      window.fetch = async () => new Response("Open the new link.", { status });
      try { return await new m.ServerSource({}).bytes({ url: "/part" }).catch((error) => error.message); } finally { window.fetch = ask; }
    }"""
    assert js(script, 401) == "Open the new link."
    assert js(script, 500) == "The server could not send what the map shows. Load this page again."


def flat(points: np.ndarray) -> list[float | None]:
    return [None if v != v else v for v in points.ravel().tolist()]


@pytest.fixture(scope="module")
def cloud() -> np.ndarray:
    """Clusters, a line of equal x, a heap on one spot, an outlier far away, and rows without a place."""
    rng = np.random.default_rng(0)
    clusters = [rng.normal(center, 0.3, (300, 2)) for center in ((0, 0), (2, 1), (-1, 3))]
    line = np.stack([np.full(60, 1.5), rng.random(60)], axis=1)
    points = np.concatenate([*clusters, line, np.full((40, 2), 0.25), [[9.0, -7.0]]]).astype(np.float32)
    points[::31] = np.nan
    return points


def test_the_grid_keeps_every_row_with_a_place_once(js: Any, cloud: np.ndarray) -> None:
    script = "(p) => { const g = new m.Grid(Float32Array.from(p, (v) => v ?? NaN)); return [[...g.order], [...g.xy], g.starts.at(-1)]; }"
    order, xy, end = js(script, flat(cloud))
    placed = np.flatnonzero(np.isfinite(cloud).all(axis=1))
    assert sorted(order) == placed.tolist()
    assert end == len(placed)
    np.testing.assert_array_equal(np.array(xy, np.float32).reshape(-1, 2), cloud[order])


def test_few_and_equal_points_have_a_grid(js: Any) -> None:
    script = """(p) => { const g = new m.Grid(Float32Array.from(p, (v) => v ?? NaN)), all = new Uint8Array(p.length / 2).fill(1);
      const t = { scale: 1, x0: 0, y0: 0 }, box = [[-9, -9], [9, -9], [9, 9], [-9, 9]];
      return [m.nearestRow(g, all, t, 3, -4, 2), [...m.rowsInPolygon(g, all, t, box)], Number.isFinite(g.density(0.5))]; }"""
    for points in ([], [None, None], [3, 4], [3, 4, 3, 4, 3, 4], [0, 1, 5, 1]):
        nearest = 0 if points[:2] == [3, 4] else -1
        assert js(script, points) == [nearest, [int(points[i] is not None) for i in range(0, len(points), 2)], True]


def test_hovering_finds_what_a_look_at_all_points_finds(js: Any, cloud: np.ndarray) -> None:
    rng = np.random.default_rng(1)
    ranks = (rng.random(len(cloud)) < 0.7).astype(int)
    places = np.concatenate([rng.uniform(-3, 5, (60, 2)), cloud[np.isfinite(cloud).all(axis=1)][::29] + 0.001])
    script = """([p, ranks, places]) => { const g = new m.Grid(Float32Array.from(p, (v) => v ?? NaN));
      return places.map(([x, y]) => m.nearestRow(g, Uint8Array.from(ranks), { scale: 50, x0: 100, y0: 80 }, 100 + 50 * x, 80 - 50 * y, 12)); }"""
    for place, found in zip(places, js(script, [flat(cloud), ranks.tolist(), places.tolist()]), strict=True):
        distances = np.linalg.norm(cloud.astype(float) - place, axis=1)
        near = np.flatnonzero(distances <= 12 / 50)
        expected = min(near, key=lambda row: (-ranks[row], distances[row])) if len(near) else -1
        assert found == expected or (ranks[found] == ranks[expected] and distances[found] == pytest.approx(distances[expected], abs=1e-6))


def _inside(polygon: np.ndarray, points: np.ndarray) -> np.ndarray:
    """By the angles under which the sides are seen: where they go around an odd number of times."""
    a = polygon[None] - points[:, None]
    b = np.roll(a, -1, axis=1)
    angles = np.arctan2(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], (a * b).sum(axis=-1)).sum(axis=1)
    return np.round(np.nan_to_num(angles) / (2 * np.pi)).astype(int) % 2 == 1


def test_a_lasso_takes_what_lies_inside(js: Any, cloud: np.ndarray) -> None:
    """Winding shapes that cross themselves, leave the map, run along its cells and hold whole cells."""
    script = """([p, polygon]) => { const positions = Float32Array.from(p, (v) => v ?? NaN), g = new m.Grid(positions);
      const allowed = new Uint8Array(p.length / 2).fill(1).map((_, i) => (i % 5 ? 1 : 0));
      const xs = polygon.map((q) => q[0]), ys = polygon.map((q) => -q[1]);
      const one = (i) => allowed[i] && m.insidePolygon(xs, ys, positions[2 * i], positions[2 * i + 1]) ? 1 : 0;
      return [[...m.rowsInPolygon(g, allowed, { scale: 1, x0: 0, y0: 0 }, polygon)], [...allowed.keys()].map(one)]; }"""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        center, size = rng.uniform(-1, 2, 2), rng.choice([0.05, 0.5, 3, 30])
        polygon = center + size * rng.standard_normal((rng.choice([3, 4, 12, 60]), 2))
        if seed == 0:
            polygon = np.array([[-1, -1], [1.5, -1], [1.5, 0.5], [-1, 0.5]])
        found, expected = js(script, [flat(cloud), (polygon * [1, -1]).tolist()])
        assert found == expected
        if seed:  # points on a side belong to either
            assert found == (_inside(polygon, cloud.astype(float)) & (np.arange(len(cloud)) % 5 > 0)).astype(int).tolist()


def test_a_picture_in_parts_is_the_whole_picture(js: Any) -> None:
    """Pixel by pixel: what a strip shows does not depend on where its border runs."""
    script = """(faded) => { const s = scene(3000, faded), t = { scale: 60, x0: 120, y0: 90 };
      const parts = canvas(240, 180);
      for (const [x, y, width, height] of [[0, 0, 97, 180], [97, 0, 143, 31], [97, 31, 143, 149]])
        drawn(new m.Splat(), s, t, { x, y, width, height }, parts);
      const whole = drawn(new m.Splat(), s, t);
      return [differing(whole, parts, 1), differing(whole, canvas(240, 180))]; }"""
    for faded in (False, True):
        wrong, drawn = js(script, faded)
        assert wrong == 0
        assert drawn > 20_000


def test_panning_by_whole_pixels_gives_the_picture_that_drawing_gives(js: Any) -> None:
    script = """() => { const s = scene(40000, false), far = canvas(240, 180), picture = new m.Picture(far.canvas), renderer = new m.Splat();
      const show = (x0, y0) => { while (picture.show(renderer, s.scene, s.points, { scale: 60, x0, y0 }, 1, "k", true)); };
      show(120, 90);
      for (const [x, y] of [[3, 0], [-40, 7], [-41, 60], [10, -25.4], [300, 20], [30, 20]]) show(120 + x, 90 + y);
      return differing(picture.context, drawn(new m.Splat(), s, { scale: 60, x0: 150, y0: 110 }), 1); }"""
    assert js(script) == 0


def test_while_a_picture_is_drawn_the_last_one_stands_in(js: Any) -> None:
    script = """() => { const s = scene(300000, false), target = canvas(240, 180), picture = new m.Picture(target.canvas), renderer = new m.Splat();
      const show = (scale, wait) => picture.show(renderer, s.scene, s.points, { scale, x0: 120, y0: 90 }, 1, "k", wait);
      show(60, true); let later = 0; const first = show(80, false), empty = differing(target, canvas(240, 180));
      while (show(80, false)) later++;
      return [first, later, empty, differing(target, drawn(new m.Splat(), s, { scale: 80, x0: 120, y0: 90 }), 1)]; }"""
    _, _, drawn, wrong = js(script)
    assert drawn > 5_000
    assert wrong == 0


def test_the_graphics_card_draws_what_the_processor_draws(js: Any) -> None:
    """The two renderers place a point to a quarter and to a full pixel, so single pixels differ; the picture must not."""
    script = """(faded) => { let card; try { card = new m.GLSplat(); } catch (error) { return String(error); }
      const s = scene(30000, faded), t = { scale: 60, x0: 120, y0: 90 };
      const a = pixels(drawn(card, s, t)), b = pixels(drawn(new m.Splat(), s, t)), blocks = [];
      for (let y = 0; y < 180; y += 12) for (let x = 0; x < 240; x += 12) for (const c of [0, 1, 2]) {
        let sum = 0; for (let i = 0; i < 144; i++) { const q = 4 * ((y + Math.floor(i / 12)) * 240 + x + (i % 12)) + c; sum += a[q] - b[q]; }
        blocks.push(sum / 144); }
      const parts = canvas(240, 180);
      for (const region of [{ x: 0, y: 0, width: 97, height: 180 }, { x: 97, y: 0, width: 143, height: 180 }]) drawn(card, s, t, region, parts);
      const mean = blocks.reduce((p, v) => p + Math.abs(v), 0) / blocks.length;
      return [Math.max(...blocks.map(Math.abs)), mean, differing(drawn(card, s, t), parts, 1)]; }"""
    for faded in (False, True):
        found = js(script, faded)
        if isinstance(found, str):
            pytest.skip(f"no WebGL 2 in this browser: {found}")
        worst, mean, wrong = found
        assert worst < 12
        assert mean < 2
        assert wrong == 0


def test_opacity_grows_with_the_load_and_is_full_where_most_lie(js: Any) -> None:
    script = "() => [0, 0.5, 1, 2, 5, 20, 50, 1e6].map((load) => m.opacity(load, { single: 0.2, most: 50 }))"
    found = js(script)
    assert found == sorted(found)
    assert (found[0], found[1], found[2]) == pytest.approx((0, 0.1, 0.2))
    assert found[-2] == pytest.approx(0.97)
    assert found[-1] == pytest.approx(0.97)
    steps = js(
        "() => { const seen = { single: 0.2, most: 50 }, t = m.opacityTable(seen);"
        " return Math.max(...[0.1, 1, 3, 700].map((v) => Math.abs(t[m.loadStep(v)] - m.opacity(v, seen)))); }"
    )
    assert steps < 0.005


def test_a_sample_weighs_as_much_as_all(js: Any) -> None:
    script = """() => { const s = scene(40000, false), sample = new m.PointSet(new m.Grid((() => {
        const p = new Float32Array(80000); for (let k = 0; k < s.points.size; k++) p.set(s.points.xy.subarray(2 * k, 2 * k + 2), 2 * k);
        return p.subarray(0, 2 * s.points.size); })()), 8);
      return [sample.size * sample.weight / s.points.size, sample.median / s.points.median]; }"""
    assert js(script) == pytest.approx((1, 1), rel=0.02)


def test_points_on_their_way_are_between_both_places(js: Any) -> None:
    script = """() => { const from = Float32Array.from([0, 0, 2, 2, NaN, NaN]), to = Float32Array.from([4, 0, 2, 6, 1, 1]);
      const set = new m.PointSet(new m.Grid(to)); set.move(from, to, 0.25);
      return [...set.order].map((row, k) => [row, set.xy[2 * k], set.xy[2 * k + 1]]); }"""
    assert sorted(js(script)) == [[0, 1, 0], [1, 2, 3], [2, 1, 1]]
