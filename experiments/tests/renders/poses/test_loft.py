"""Parts and their skins against the shapes they stand for."""

import numpy as np

from experiments.renders.poses.loft import BANDS, INNER, SIDES, ellipsoid, limb, skin
from experiments.renders.poses.skeleton import turn

FRAME = turn(0, 30) @ turn(2, 50)


def test_points_of_an_ellipsoid_meet_its_equation() -> None:
    center, radii = np.array([1.0, 2.0, 3.0]), (0.3, 0.2, 0.5)
    points = skin(ellipsoid(center, FRAME, radii)[None]).reshape(-1, 3)
    np.testing.assert_allclose((((points - center) @ FRAME / radii) ** 2).sum(axis=1), 1, atol=1e-12)


def test_limbs_are_as_thick_as_asked() -> None:
    start, radii = np.array([0.5, 0.0, 1.0]), np.array([0.10, 0.11, 0.09, 0.08, 0.07, 0.06])
    points = (skin(limb(start, FRAME, 0.7, radii)[None]).reshape(-1, 3) - start) @ FRAME
    along, radius = -points[:, 2], np.hypot(points[:, 0], points[:, 1])
    inside = (along > -1e-9) & (along < 0.7 + 1e-9)
    np.testing.assert_allclose(radius[inside], np.interp(along[inside], 0.7 * INNER, radii), atol=1e-9)
    assert radius[~inside].max() < 0.8 * 0.1 + 1e-9
    assert along.min() > -0.1
    assert along.max() < 0.76
    points = skin(limb(np.zeros(3), np.eye(3), 0.5, np.full(6, 0.01), depth=2.0)[None]).reshape(-1, 3)
    np.testing.assert_allclose(np.ptp(points, axis=0)[:2], (0.04, 0.02), rtol=1e-9)


def test_a_skin_is_closed_between_its_ends() -> None:
    """Every edge belongs to two triangles, but for those of the two small end rings."""
    triangles = skin(ellipsoid(np.zeros(3), np.eye(3), (1, 1, 1))[None]).round(9)
    assert triangles.shape == (BANDS * SIDES * 2, 3, 3)
    count: dict[frozenset[tuple[float, ...]], int] = {}
    for corners in triangles:
        for i in range(3):
            edge = frozenset((tuple(corners[i]), tuple(corners[(i + 1) % 3])))
            count[edge] = count.get(edge, 0) + 1
    assert sorted(set(count.values())) == [1, 2]
    assert sum(value == 1 for value in count.values()) == 2 * SIDES
