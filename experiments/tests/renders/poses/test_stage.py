"""Ground and wall enclose the figure, and nothing stands before it."""

import numpy as np
import pytest

from experiments.renders.poses.stage import CLEARANCE, WALL_DISTANCES, clutter, ground_and_wall, stool

COLORS = np.random.default_rng(0).random((2, 2, 3))


@pytest.mark.parametrize("yaw", [0.0, 75.0, 200.0])
def test_clutter_is_behind_the_figure_and_before_the_wall(yaw: float) -> None:
    rng = np.random.default_rng(int(yaw))
    away = -np.array([np.cos(np.radians(yaw)), np.sin(np.radians(yaw)), 0])
    counts = []
    for _ in range(60):
        ground, wall = ground_and_wall(("tiles", "plain"), COLORS, yaw, rng)
        assert WALL_DISTANCES[0] <= wall.offset <= WALL_DISTANCES[1]
        assert wall.normal @ away > 0.9, "the wall faces the camera"
        assert (ground.pattern, wall.pattern) == ("tiles", "plain")
        points = clutter(wall, yaw, rng.random((5, 3)), rng).triangles.reshape(-1, 3)
        counts.append(len(points))
        if len(points):
            assert (points @ wall.normal).max() < wall.offset + 0.3
            assert (points @ away).min() > 0.4
            assert points[:, 2].min() > -1e-9 or (points @ wall.normal).max() > wall.offset - 0.02
    assert min(counts) == 0
    assert max(counts) > 300
    assert CLEARANCE > 1


def test_a_stool_ends_under_the_seat() -> None:
    points = stool(np.array([0.1, 0.2, 0.45]), 0.4, np.ones(3)).triangles.reshape(-1, 3)
    np.testing.assert_allclose(points.min(axis=0), [-0.1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(points.max(axis=0), [0.3, 0.4, 0.45])
