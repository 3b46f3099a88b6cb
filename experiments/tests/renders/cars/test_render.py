"""Camera, light and z-buffer against hand-computed values."""

import numpy as np
import pytest

from experiments.renders.cars import render
from experiments.renders.cars.render import cast_on_ground, kernels, look_at, project, shade, sun_direction

NO_SHIFT = np.zeros(2)


def pixel(camera: render.Camera, point: tuple[float, float, float]) -> tuple[float, float, float]:
    u, v, w = project(camera, np.array(point))
    return u / w, v / w, w


def test_projection_from_the_front_the_left_side_and_above() -> None:
    """From 10 m in front (yaw 0), the frame is 2 * 0.5 * 10 m wide at the target: 1 m is 10 of 100 px."""
    camera = look_at(np.zeros(3), 0, 0, 10, 0.5, 100, NO_SHIFT)
    assert pixel(camera, (0, 0, 0)) == pytest.approx((50, 50, 10))
    assert pixel(camera, (0, 1, 0)) == pytest.approx((60, 50, 10)), "the car's left is at the right of a frontal picture"
    assert pixel(camera, (0, 0, 2)) == pytest.approx((50, 30, 10)), "up is up"
    assert pixel(camera, (5, 1, 0)) == pytest.approx((70, 50, 5)), "half as far, twice as large"
    left = look_at(np.zeros(3), 90, 0, 10, 0.5, 100, NO_SHIFT)
    assert pixel(left, (1, 0, 0)) == pytest.approx((40, 50, 10)), "from its left side a car points to the left"
    above = look_at(np.zeros(3), 0, 30, 10, 0.5, 100, NO_SHIFT)
    c, s = np.cos(np.pi / 6), 0.5
    assert pixel(above, (1, 0, 0)) == pytest.approx((50, 50 + 100 * s / (10 - c), 10 - c))
    assert above.position == pytest.approx((10 * c, 0, 10 * s))
    camera = look_at(np.zeros(3), 0, 0, 10, 0.5, 100, np.array([0.1, -0.2]))
    assert pixel(camera, (0, 0, 0)) == pytest.approx((55, 40, 10))


@pytest.mark.parametrize("yaw", [0, 45, 200])
def test_sun_azimuth_is_relative_to_the_camera(yaw: float) -> None:
    camera = look_at(np.zeros(3), yaw, 0, 10, 0.5, 100, NO_SHIFT)
    toward = camera.position / 10
    assert sun_direction(yaw, 0, 0) == pytest.approx(toward)
    assert sun_direction(yaw, 180, 60) @ toward == pytest.approx(-0.5)
    u, v, _ = pixel(camera, tuple(sun_direction(yaw, 90, 45)))
    assert u > 50 > v, "a sun at azimuth 90 stands at the image's right, above"


@pytest.mark.parametrize("angle", [0, 30, 60, 89, 120])
def test_lambert_closed_form(angle: float) -> None:
    """A level face: AMBIENT + SKY + DIFFUSE cos(angle to the sun), whatever the winding."""
    triangle = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], dtype=float)
    sun = np.array([np.sin(np.radians(angle)), 0, np.cos(np.radians(angle))])
    color = np.array([[0.8, 0.4, 0.2]])
    eye = np.array([0, 0, 10.0])
    expected = color * (render.AMBIENT + render.SKY + render.DIFFUSE * max(np.cos(np.radians(angle)), 0))
    for winding in (triangle, triangle[:, ::-1]):
        np.testing.assert_allclose(shade(winding, color, np.zeros(1), sun, eye), expected, atol=1e-12)


def test_highlight_is_white_and_brightest_in_the_mirror_direction() -> None:
    triangle = np.array([[[-1, -1, 0], [2, -1, 0], [-1, 2, 0]]], dtype=float)
    sun = np.array([np.sqrt(0.5), 0, np.sqrt(0.5)])
    color = np.full((1, 3), 0.2)
    mirror, aside = (shade(triangle, color, np.ones(1), sun, np.array(eye)) for eye in ((-9.0, 0, 9), (9.0, 0, 9)))
    matte = shade(triangle, color, np.zeros(1), sun, np.array([-9.0, 0, 9]))
    np.testing.assert_allclose(mirror - matte, render.SPECULAR, atol=1e-9)
    np.testing.assert_allclose(aside, matte, atol=1e-6)


def test_shadow_lies_opposite_to_the_sun_at_height_over_tangent() -> None:
    for azimuth, elevation in ((0, 45), (70, 30), (200, 60)):
        tip = cast_on_ground(np.array([[[0, 0, 2.0]] * 3]), sun_direction(0, azimuth, elevation))[0, 0]
        length = 2 / np.tan(np.radians(elevation))
        expected = (-length * np.cos(np.radians(azimuth)), -length * np.sin(np.radians(azimuth)), 0)
        assert tip == pytest.approx(expected, abs=1e-12)


def rasterized(triangles: list[list[tuple[float, float, float]]], alpha: list[float], size: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draws flat screen triangles (u, v, depth), the i-th in gray i + 1."""
    image, depth = np.zeros((size, size, 3), np.float32), np.zeros((size, size), np.float32)
    covered = np.zeros((size, size), np.bool_)
    points = np.array(triangles, dtype=float)
    points[..., :2] *= points[..., 2:]
    colors = np.repeat(np.arange(1.0, len(triangles) + 1)[:, None], 3, axis=1)
    kernels()[0](points, colors, np.array(alpha), image, depth, covered)
    return image[..., 0], depth, covered


def square_half(depth: float) -> list[tuple[float, float, float]]:
    """A triangle over half the frame; no pixel's middle lies on its edges."""
    return [(0, 0, depth), (20.3, 0, depth), (0, 20.3, depth)]


def test_the_nearer_triangle_wins_in_any_order() -> None:
    near, far = square_half(2), square_half(5)
    first, second = rasterized([near, far], [1, 1])[0], rasterized([far, near], [1, 1])[0]
    assert set(np.unique(first)) == {0, 1}
    assert set(np.unique(second)) == {0, 2}
    assert (first > 0).sum() == (second > 0).sum() == 210


def test_crossing_triangles_split_where_their_depths_are_equal() -> None:
    """One slopes from depth 1 to 3 along u, 1 / depth being linear in the picture; the other stands at 1.5: equal at u = 10."""
    slope = [(0.0, -20.0, 1.0), (0.0, 60.0, 1.0), (20.0, 20.0, 3.0)]
    level = [(-40.0, -60.0, 1.5), (60.0, 10.0, 1.5), (-40.0, 80.0, 1.5)]
    image, depth, _ = rasterized([slope, level], [1, 1])
    assert list(image[10]) == [1] * 10 + [2] * 10
    assert 1 / depth[10, 5] == pytest.approx(1 / (1 + (1 / 3 - 1) * 5.5 / 20))


def test_shared_edges_leave_no_gap() -> None:
    corners = np.random.default_rng(4).uniform(2, 18, (30, 2))
    for u, v in corners:
        fan = [(0, 0), (20, 0), (20, 20), (0, 20)]
        triangles = [[(*fan[i], 1.0), (*fan[(i + 1) % 4], 1.0), (u, v, 1.0)] for i in range(4)]
        assert rasterized(triangles, [1] * 4)[2].all()


def test_glass_mixes_and_leaves_the_depth() -> None:
    image, depth, covered = rasterized([square_half(5), square_half(2)], [1, 0.25])
    assert image[2, 2] == pytest.approx(0.75 * 1 + 0.25 * 2)
    assert depth[2, 2] == pytest.approx(1 / 5)
    assert covered[2, 2]


def test_triangle_behind_the_camera_is_not_drawn_and_one_that_reaches_behind_is_cut() -> None:
    behind = [(5.0, 5.0, -3.0), (15.0, 5.0, -3.0), (5.0, 15.0, -3.0)]
    assert not rasterized([behind], [1])[2].any()
    camera = look_at(np.array([0, 0, 1.0]), 0, 0, 10, 0.5, 20, NO_SHIFT)
    ground = project(camera, np.array([[[-50, -200, 0], [-50, 200, 0], [40, 0, 0.0]]]))
    covered = np.zeros((20, 20), np.bool_)
    kernels()[0](ground, np.ones((1, 3)), np.ones(1), np.zeros((20, 20, 3), np.float32), np.zeros((20, 20), np.float32), covered)
    assert not covered[:10].any(), "nothing above the horizon"
    assert covered[13:, 5:15].all(), "the ground up to the camera's feet"


def test_downsample_is_the_mean_and_the_majority() -> None:
    image = np.zeros((4, 4, 3), np.float32)
    image[:2, :2] = np.array([0.0, 1.0, 0.5, 0.1]).reshape(2, 2, 1)
    covered = np.zeros((4, 4), np.bool_)
    covered[0, :2] = covered[2, 2] = True
    out, mask = np.empty((2, 2, 3), np.uint8), np.empty((2, 2), np.bool_)
    kernels()[2](image, covered, 2, out, mask)
    assert out[0, 0, 0] == round(255 * 0.4)
    assert mask.tolist() == [[True, False], [False, False]]
