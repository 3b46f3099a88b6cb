"""Planes: seen where an independent ray meets them, lit, patterned and shadowed as asked."""

import numpy as np
import pytest

from experiments.renders.cars.render import Camera, look_at
from experiments.renders.poses.planes import pattern
from experiments.renders.poses.surfaces import PATTERNS, Lamp, Surface, nearest_surface, paint

UP = np.array([0.0, 0.0, 1.0])
FORWARD = np.array([-1.0, 0.0, 0.0])  # away from a camera at yaw 0
ACROSS = np.array([0.0, 1.0, 0.0])
EVEN = Lamp(np.array([0.0, 0.0, 50.0]), 0.8, 0.0, 10.0)


def two(pattern: str = "plain", unit: float = 1.0) -> list[Surface]:
    """A red ground and a blue wall 3 m behind the origin."""
    red, blue = np.array([[1.0, 0, 0], [0, 1.0, 0]]), np.array([[0, 0, 1.0], [1.0, 1.0, 1.0]])
    return [Surface(-UP, 0.0, ACROSS, FORWARD, pattern, unit, red), Surface(FORWARD, 3.0, ACROSS, UP, "plain", 1.0, blue)]


@pytest.fixture
def camera() -> Camera:
    return look_at(np.array([0, 0, 0.8]), 0, 12, 4.0, 0.4, 32, np.array([0.03, -0.02]))


def painted(surfaces: list[Surface], camera: Camera, shadow: float = 0.0, lamp: Lamp = EVEN) -> np.ndarray:
    image = np.empty((32, 32, 3), np.float32)
    paint(surfaces, camera, lamp, np.full((32, 32), shadow, np.float32), image)
    return image


def rays(camera: Camera) -> np.ndarray:
    """Directions (32, 32, 3) through the pixels' centers, from the camera's matrix by solving for each."""
    out = np.empty((32, 32, 3))
    for row in range(32):
        for column in range(32):
            out[row, column] = np.linalg.solve(camera.matrix[:, :3], np.array([column + 0.5, row + 0.5, 1.0]))
    return out


def test_the_plane_met_first_is_seen(camera: Camera) -> None:
    directions, seen = rays(camera), nearest_surface(two(), camera, 32)
    with np.errstate(divide="ignore"):
        ground = np.where(directions[..., 2] < 0, -camera.position[2] / directions[..., 2], np.inf)
        wall = np.where(directions[..., 0] < 0, (-3 - camera.position[0]) / directions[..., 0], np.inf)
    np.testing.assert_array_equal(seen, np.where(ground < wall, 0, 1))
    assert 0.1 < seen.mean() < 0.9
    np.testing.assert_array_equal(painted(two(), camera)[..., 2] > 0.1, seen == 1)


def test_light_corners_and_shadow(camera: Camera) -> None:
    image, seen = painted(two(), camera), nearest_surface(two(), camera, 32)
    assert image.max() == pytest.approx(0.8, abs=0.01)
    edge = int(np.flatnonzero(np.diff(seen[:, 16]))[0])
    assert image[edge, 16].max() < 0.72, "the corner is darker"
    dark = painted(two(), camera, shadow=0.5)
    np.testing.assert_allclose(dark[seen == 0], 0.5 * image[seen == 0], rtol=1e-5)
    np.testing.assert_array_equal(dark[seen == 1], image[seen == 1])
    lamp = painted(two(), camera, lamp=Lamp(np.array([1.0, 0, 2.0]), 0.3, 0.6, 3.0))
    near, far = (lamp[31, 16, 0], lamp[edge + 4, 1, 0])
    assert near > far + 0.05


def test_checks_lie_on_the_plane(camera: Camera) -> None:
    """The pattern of a big check is what the place on the ground says."""
    surfaces, directions = two("checks", 4.0), rays(camera)
    image, seen = painted(surfaces, camera), nearest_surface(surfaces, camera, 32)
    reach = camera.position[2] / -np.minimum(directions[..., 2], -1e-9)
    place = camera.position + reach[..., None] * directions
    a, b = (place[..., 1] / 4 + 7.3) % 1, (-place[..., 0] / 4 + 7.3) % 1
    second = (a < 0.5) == (b < 0.5)
    ground = seen == 0
    np.testing.assert_array_equal((image[..., 1] > image[..., 0])[ground], second[ground])
    assert 0.1 < second[ground].mean() < 0.9


@pytest.mark.parametrize("kind", range(len(PATTERNS)))
def test_small_patterns_fade_into_their_mean(kind: int) -> None:
    places = np.random.default_rng(kind).uniform(0, 60, (4000, 2))
    sharp = [pattern(kind, s, t, 100.0) for s, t in places]
    faded = {pattern(kind, s, t, 1.0) for s, t in places[:20]}
    assert len(faded) == 1
    assert faded.pop() == pytest.approx(np.mean(sharp), abs=0.05)
    assert 0 <= min(sharp) <= max(sharp) <= 1
