"""Postures as numbers: which joint angles there are, how far a body can turn them, and what a mirror does to them."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from likeness.arrays import Float64s

Sides = tuple[float, float]


class Angle(NamedTuple):
    """One degree of freedom: its anatomical limits and the usual deviation from a key posture, in degrees (lift: in meters)."""

    low: float
    high: float
    deviation: float


# pitch and roll tilt the pelvis forward and to the own left; bend, lean and twist do so between pelvis and chest
CENTRAL = {
    "pitch": Angle(-200, 200, 6),
    "roll": Angle(-110, 110, 4),
    "bend": Angle(-50, 75, 8),
    "lean": Angle(-35, 35, 6),
    "twist": Angle(-50, 50, 9),
    "nod": Angle(-40, 45, 9),
    "look": Angle(-65, 65, 18),
    "lift": Angle(0, 0.9, 0),
}
# at 0 the limbs hang straight down; swing and hip lift them forward, raise and spread sideways, turn and rotate roll them outward
SIDED = {
    "swing": Angle(-60, 215, 15),
    "raise": Angle(2, 175, 9),
    "turn": Angle(-85, 90, 15),
    "elbow": Angle(2, 145, 14),
    "hip": Angle(-50, 130, 8),
    "spread": Angle(-8, 95, 5),
    "rotate": Angle(-25, 55, 6),
    "knee": Angle(2, 150, 9),
}
ANGLES = (*CENTRAL, *(f"{side}_{name}" for side in ("right", "left") for name in SIDED))
_ALL = [*CENTRAL.values(), *SIDED.values(), *SIDED.values()]
LOW, HIGH, DEVIATION = (np.array([getattr(angle, field) for angle in _ALL]) for field in Angle._fields)
_RIGHT, _LEFT = len(CENTRAL), len(CENTRAL) + len(SIDED)
_MIRRORED = np.array([-1.0 if name in ("roll", "lean", "twist", "look") else 1.0 for name in CENTRAL])


def posture(values: Mapping[str, float | Sides]) -> Float64s:
    """Angles (24), in the order of `ANGLES`: of the limbs a number for both sides or (right, left), 0 where not given."""
    central = [values.get(name, 0.0) for name in CENTRAL]
    sided = np.array([np.broadcast_to(values.get(name, 0.0), 2) for name in SIDED], dtype=float)
    return np.concatenate([np.array(central, dtype=float), sided[:, 0], sided[:, 1]])


def mirrored(angles: Float64s) -> Float64s:
    """The posture (24) seen in a mirror: right and left change places."""
    return np.concatenate([angles[:_RIGHT] * _MIRRORED, angles[_LEFT:], angles[_RIGHT:_LEFT]])
