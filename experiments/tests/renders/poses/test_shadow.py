"""Shadows lie where the light is blocked, darker where more of it is."""

import numpy as np

from experiments.renders.cars.render import look_at, project
from experiments.renders.poses.shadow import projected, soft_shadow
from experiments.renders.poses.solids import box, joined

CAMERA = look_at(np.zeros(3), 0, 60, 8, 0.4, 64, np.zeros(2))
POST = box(np.zeros(3), (0.3, 0.3, 1.0), np.ones(3))


def at(shadow: np.ndarray, x: float, y: float) -> float:
    u, v, w = project(CAMERA, np.array([x, y, 0.0]))
    return float(shadow[int(v / w), int(u / w)])


def test_hard_shadows_away_from_each_light_add_up() -> None:
    shadow = soft_shadow(POST, CAMERA, np.array([[0.0, 1.0, 1.0]]), 0.5, 64)
    assert set(np.unique(shadow)) == {0.0, 0.5}
    assert at(shadow, 0, -0.8) == 0.5
    assert at(shadow, 0, 0.8) == 0
    assert at(shadow, 0, -1.6) == 0, "the post is 1 m high and the light at 45 degrees"
    lights = np.array([[0.0, 1.0, 1.0], [0.0, -1.0, 1.0]])
    shadow = soft_shadow(POST, CAMERA, lights, 0.5, 64)
    assert at(shadow, 0, -0.8) == at(shadow, 0, 0.8) == 0.25
    assert at(shadow, 0, 0) == 0.5
    assert not soft_shadow(joined([]), CAMERA, lights, 0.5, 64).any()
    np.testing.assert_allclose(projected(CAMERA, POST.triangles), project(CAMERA, POST.triangles), rtol=1e-12)
