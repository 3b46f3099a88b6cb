"""Many points in the browser: finding them, and pictures of them that do not depend on how they were drawn."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from likeness.plots.linked_map import SCRIPTS, read_script

NAMES = (
    "Grid, PointSet, Picture, Splat, GLSplat, rendererFor, look, frontLook, opacity, opacityTable, loadStep, inkTable, colorTable, strips, "
    "freshness, nearestRow, rowsInPolygon, insidePolygon"
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


@pytest.mark.parametrize("points", [[], [None, None], [3, 4], [3, 4, 3, 4, 3, 4], [0, 1, 5, 1]])
def test_few_and_equal_points_have_a_grid(js: Any, points: list[float | None]) -> None:
    script = """(p) => { const g = new m.Grid(Float32Array.from(p, (v) => v ?? NaN)), all = new Uint8Array(p.length / 2).fill(1);
      const t = { scale: 1, x0: 0, y0: 0 }, box = [[-9, -9], [9, -9], [9, 9], [-9, 9]];
      return [m.nearestRow(g, all, t, 3, -4, 2), [...m.rowsInPolygon(g, all, t, box)], Number.isFinite(g.density(0.5))]; }"""
    nearest, inside, finite = js(script, points)
    assert nearest == (0 if points[:2] == [3, 4] else -1)
    assert inside == [int(points[i] is not None) for i in range(0, len(points), 2)]
    assert finite


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


@pytest.mark.parametrize("seed", range(8))
def test_a_lasso_takes_what_a_test_of_every_point_takes(js: Any, cloud: np.ndarray, seed: int) -> None:
    """Winding shapes that cross themselves, leave the map, run along its cells and hold whole cells."""
    rng = np.random.default_rng(seed)
    center, size = rng.uniform(-1, 2, 2), rng.choice([0.05, 0.5, 3, 30])
    polygon = center + size * rng.standard_normal((rng.choice([3, 4, 12, 60]), 2))
    if seed == 0:
        polygon = np.array([[-1, -1], [1.5, -1], [1.5, 0.5], [-1, 0.5]])
    script = """([p, polygon]) => { const positions = Float32Array.from(p, (v) => v ?? NaN), g = new m.Grid(positions);
      const allowed = new Uint8Array(p.length / 2).fill(1).map((_, i) => (i % 5 ? 1 : 0));
      const xs = polygon.map((q) => q[0]), ys = polygon.map((q) => -q[1]);
      const one = (i) => allowed[i] && m.insidePolygon(xs, ys, positions[2 * i], positions[2 * i + 1]) ? 1 : 0;
      return [[...m.rowsInPolygon(g, allowed, { scale: 1, x0: 0, y0: 0 }, polygon)], [...allowed.keys()].map(one)]; }"""
    found, expected = js(script, [flat(cloud), (polygon * [1, -1]).tolist()])
    assert found == expected


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


@pytest.mark.parametrize("faded", [False, True])
def test_the_graphics_card_draws_what_the_processor_draws(js: Any, faded: bool) -> None:
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
    found = js(script, faded)
    if isinstance(found, str):
        pytest.skip(f"no WebGL 2 in this browser: {found}")
    worst, mean, wrong = found
    assert worst < 12
    assert mean < 2
    assert wrong == 0


def test_a_played_graphics_card_is_not_used_unless_asked_for(js: Any) -> None:
    names = js('() => ["auto", "cpu"].map((kind) => m.rendererFor(kind).constructor.name)')
    assert names == ["Splat", "Splat"]  # this browser has no card


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


def test_more_points_are_fainter_and_a_zoom_brings_them_out(js: Any) -> None:
    script = """() => [[20000, 100], [200000, 100], [200000, 2000], [200000, 60000]].map(([n, scale]) => {
      const s = scene(n, false), seen = m.look(s.points, scale, 1); return [seen.radius, seen.single]; })"""
    few, many, near, nearest = js(script)
    assert many[1] < few[1]
    assert many[0] <= few[0]
    assert many[1] < near[1] <= 0.75
    assert many[0] < near[0] <= nearest[0] <= 6


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


def test_mixed_colors_are_freshened_and_pure_ones_are_not(js: Any) -> None:
    assert js("() => m.freshness(37, 89, 176, 2)") == 1
    assert js("() => m.freshness(120, 130, 125, 2)") == 2
    assert js("() => m.freshness(120, 130, 125, 1)") == 1
