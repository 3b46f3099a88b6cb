"""Solids have the sizes asked for and are closed."""

import numpy as np

from experiments.renders.poses.solids import ball, box, joined, post
from likeness.arrays import Float64s

FOOT, RED = np.array([1.0, 2.0, 0.5]), np.array([1.0, 0, 0])


def area(triangles: Float64s) -> float:
    a, b, c = triangles.transpose(1, 0, 2)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def test_a_box_stands_on_its_foot_also_turned() -> None:
    solid = box(FOOT, (0.4, 0.6, 1.0), RED)
    points = solid.triangles.reshape(-1, 3)
    np.testing.assert_allclose(points.min(axis=0), [0.8, 1.7, 0.5])
    np.testing.assert_allclose(points.max(axis=0), [1.2, 2.3, 1.5])
    np.testing.assert_allclose(area(solid.triangles), 2 * (0.24 + 0.4 + 0.6))
    assert (solid.colors == RED).all()
    turned = box(FOOT, (0.4, 0.6, 1.0), RED, yaw=np.pi / 2).triangles.reshape(-1, 3)
    np.testing.assert_allclose(np.ptp(turned, axis=0), [0.6, 0.4, 1.0])
    np.testing.assert_allclose(area(box(FOOT, (0.4, 0.6, 1.0), RED, yaw=0.7).triangles), 2.48)


def test_posts_balls_and_what_is_joined() -> None:
    points = post(FOOT, 0.2, 0.1, 1.5, RED, sides=64).triangles.reshape(-1, 3) - FOOT
    assert points[:, 2].max() == 1.5
    np.testing.assert_allclose(np.hypot(points[:, 0], points[:, 1])[points[:, 2] == 0], 0.2)
    sphere = ball(FOOT, (0.3, 0.3, 0.3), RED).triangles
    np.testing.assert_allclose(np.linalg.norm(sphere - FOOT, axis=2), 0.3)
    solids = [box(FOOT, (1, 1, 1), RED), ball(FOOT, (1, 1, 1), RED / 2)]
    together = joined(solids)
    assert len(together.triangles) == len(together.colors) == sum(len(solid.triangles) for solid in solids)
    assert joined([]).triangles.shape == (0, 3, 3)
