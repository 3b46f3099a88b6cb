"""Camera and z-buffer where no shipped image looks; what light, shadow and glass do is seen in those (`test_generate`)."""

import numpy as np
import pytest

from experiments.renders.cars import render
from experiments.renders.cars.render import kernels, look_at, project, sun_direction

NO_SHIFT = np.zeros(2)


def pixel(camera: render.Camera, point: tuple[float, float, float]) -> tuple[float, float, float]:
    u, v, w = project(camera, np.array(point))
    return u / w, v / w, w


@pytest.mark.parametrize("yaw", [0, 45, 200])
def test_sun_azimuth_is_relative_to_the_camera(yaw: float) -> None:
    camera = look_at(np.zeros(3), yaw, 0, 10, 0.5, 100, NO_SHIFT)
    toward = camera.position / 10
    assert sun_direction(yaw, 0, 0) == pytest.approx(toward)
    assert sun_direction(yaw, 180, 60) @ toward == pytest.approx(-0.5)
    u, v, _ = pixel(camera, tuple(sun_direction(yaw, 90, 45)))
    assert u > 50 > v, "a sun at azimuth 90 stands at the image's right, above"


def rasterized(triangles: list[list[tuple[float, float, float]]], size: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Draws flat screen triangles (u, v, depth), the i-th in gray i + 1; the picture, and what they cover."""
    image, depth = np.zeros((size, size, 3), np.float32), np.zeros((size, size), np.float32)
    covered = np.zeros((size, size), np.bool_)
    points = np.array(triangles, dtype=float)
    points[..., :2] *= points[..., 2:]
    colors = np.repeat(np.arange(1.0, len(triangles) + 1)[:, None], 3, axis=1)
    kernels()[0](points, colors, np.ones(len(triangles)), image, depth, covered)
    return image[..., 0], covered


def test_the_nearer_triangle_wins_in_any_order() -> None:
    near, far = ([(0, 0, depth), (20.3, 0, depth), (0, 20.3, depth)] for depth in (2, 5))  # no pixel's middle lies on an edge
    first, second = rasterized([near, far])[0], rasterized([far, near])[0]
    assert set(np.unique(first)) == {0, 1}
    assert set(np.unique(second)) == {0, 2}
    assert (first > 0).sum() == (second > 0).sum() == 210


def test_crossing_triangles_split_where_their_depths_are_equal() -> None:
    """One slopes from depth 1 to 3 along u, 1 / depth being linear in the picture; the other stands at 1.5: equal at u = 10."""
    slope = [(0.0, -20.0, 1.0), (0.0, 60.0, 1.0), (20.0, 20.0, 3.0)]
    level = [(-40.0, -60.0, 1.5), (60.0, 10.0, 1.5), (-40.0, 80.0, 1.5)]
    assert list(rasterized([slope, level])[0][10]) == [1] * 10 + [2] * 10


def test_shared_edges_leave_no_gap() -> None:
    corners = np.random.default_rng(4).uniform(2, 18, (30, 2))
    for u, v in corners:
        fan = [(0, 0), (20, 0), (20, 20), (0, 20)]
        triangles = [[(*fan[i], 1.0), (*fan[(i + 1) % 4], 1.0), (u, v, 1.0)] for i in range(4)]
        assert rasterized(triangles)[1].all()


def test_triangle_behind_the_camera_is_not_drawn_and_one_that_reaches_behind_is_cut() -> None:
    behind = [(5.0, 5.0, -3.0), (15.0, 5.0, -3.0), (5.0, 15.0, -3.0)]
    assert not rasterized([behind])[1].any()
    camera = look_at(np.array([0, 0, 1.0]), 0, 0, 10, 0.5, 20, NO_SHIFT)
    ground = project(camera, np.array([[[-50, -200, 0], [-50, 200, 0], [40, 0, 0.0]]]))
    covered = np.zeros((20, 20), np.bool_)
    kernels()[0](ground, np.ones((1, 3)), np.ones(1), np.zeros((20, 20, 3), np.float32), np.zeros((20, 20), np.float32), covered)
    assert not covered[:10].any(), "nothing above the horizon"
    assert covered[13:, 5:15].all(), "the ground up to the camera's feet"
