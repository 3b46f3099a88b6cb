"""Six bodies: stated sizes hold, left and right agree, and their outlines differ as the real ones do."""

import numpy as np
import pytest

from experiments.renders.cars.bodies import body_mesh
from experiments.renders.cars.mesh import CLEAR, MATERIALS
from experiments.renders.cars.scene import BODY_SIZES, BODY_TYPES

NAMES = list(MATERIALS)


@pytest.mark.parametrize("body_type", BODY_TYPES)
def test_a_body_fills_its_box_is_mirrored_and_tells_front_from_rear(body_type: str) -> None:
    mesh = body_mesh(body_type)
    points = mesh.triangles.reshape(-1, 3).round(6)
    extent, stated = np.ptp(points, axis=0), np.array(BODY_SIZES[body_type])
    assert (extent <= stated + 0.03).all()
    assert (extent >= 0.94 * stated).all()
    assert points[:, 2].min() == pytest.approx(0, abs=1e-9)
    assert abs(points[:, 0].min() + points[:, 0].max()) < 0.25
    left = {tuple(p) for p in points if p[1] > 0}
    right = {tuple(p * (1, -1, 1)) for p in points if p[1] < 0}
    wheel = 4 if body_type == "convertible" else 0  # the steering wheel is on one side only
    assert len(left ^ right) <= wheel
    x, half = mesh.triangles[:, :, 0].mean(axis=1), stated[0] / 2
    assert (x[mesh.material == NAMES.index("headlight")] > 0.8 * half).all()
    assert (x[mesh.material == NAMES.index("taillight")] < -0.8 * half).all()
    clear = mesh.material == CLEAR  # see-through glass comes last
    assert clear.any() == (body_type == "convertible")
    assert (np.diff(clear.astype(int)) >= 0).all()


def height_at(body_type: str, x: float) -> float:
    """Greatest height of the car over its middle line, at the share x (-0.5..0.5) of its length, by ray casting from above."""
    triangles = body_mesh(body_type).triangles
    point = np.array([x * BODY_SIZES[body_type][0], 0.35])
    a, b, c = (triangles[:, i, :2] - point for i in range(3))
    w = np.stack([b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0], c[:, 0] * a[:, 1] - c[:, 1] * a[:, 0], a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]])
    total = w.sum(axis=0)
    inside = (abs(total) > 1e-9) & ((w >= 0).all(axis=0) | (w <= 0).all(axis=0))
    return float(((w * triangles[:, :, 2].T).sum(axis=0)[inside] / total[inside]).max())


def test_outlines() -> None:
    tail = {body: height_at(body, -0.40) / BODY_SIZES[body][2] for body in BODY_TYPES}
    assert max(tail["sedan"], tail["pickup"]) < 0.72, "a boot, a bed"
    assert min(tail["hatchback"], tail["suv"], tail["van"]) > 0.75, "the roof goes to the tail"
    assert height_at("pickup", -0.3) < 0.9, "the bed is open"
    assert height_at("convertible", -0.05) < 0.8, "there is no roof"
    assert height_at("van", 0.2) > 2, "the van's roof goes far forward"
    assert height_at("suv", 0.3) < 1.3
