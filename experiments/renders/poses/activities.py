"""Twelve activities as key postures, and postures drawn between and around them."""

import numpy as np

from experiments.renders.poses.angles import DEVIATION, HIGH, LOW, Sides, mirrored, posture
from likeness.arrays import Float64s

Key = dict[str, float | Sides]

# limbs as one number for both sides or (right, left); see `angles` for what each means
KEYS: dict[str, list[Key]] = {
    "standing": [
        {"swing": 4, "raise": 9, "elbow": 14, "spread": 4},
        {"swing": -18, "raise": 38, "turn": -62, "elbow": 96, "spread": 10},
        {"swing": (35, 28), "raise": (16, 14), "turn": (-58, -62), "elbow": (112, 98), "spread": 7},
        {"swing": (5, 2), "raise": (82, 10), "turn": (74, 0), "elbow": (85, 14), "spread": 5, "lean": 6},
        {"spread": 19, "raise": 24, "elbow": 18},
    ],
    "walking": [
        {"hip": (30, -20), "knee": (6, 18), "swing": (-26, 28), "elbow": (14, 26), "raise": 8, "pitch": 3},
        {"hip": (14, 4), "knee": (48, 6), "swing": (4, 8), "elbow": 22, "raise": 9, "pitch": 3},
    ],
    "running": [
        {"hip": (72, -12), "knee": (88, 48), "swing": (-48, 52), "elbow": (88, 98), "raise": 12, "pitch": 10, "bend": 8, "twist": 12},
        {"hip": (34, -34), "knee": (32, 96), "swing": (-30, 34), "elbow": (80, 92), "raise": 14, "pitch": 12, "bend": 6, "lift": 0.08},
    ],
    "sitting": [
        {"hip": 86, "knee": 88, "spread": 8, "swing": 38, "elbow": 40, "raise": 12, "bend": 6},
        {"hip": 90, "knee": 82, "spread": 16, "swing": 62, "elbow": 62, "turn": -25, "bend": 36, "pitch": 6, "raise": 10},
        {"hip": (96, 80), "knee": (18, 84), "spread": 10, "swing": -32, "elbow": 12, "raise": 22, "bend": -6, "pitch": -6},
        {"hip": 88, "knee": (92, 76), "swing": (30, 158), "raise": (16, 28), "elbow": (70, 20), "spread": 6},
    ],
    "squatting": [
        {"hip": 122, "knee": 132, "spread": 22, "pitch": 18, "bend": 26, "swing": 78, "elbow": 24, "raise": 8, "rotate": 14},
        {"hip": (86, -2), "knee": (88, 96), "swing": (42, 10), "elbow": (58, 24), "raise": 10, "bend": 10},
        {"hip": 82, "knee": 88, "spread": 30, "rotate": 24, "pitch": 14, "bend": 14, "swing": 70, "raise": 26, "elbow": 14},
    ],
    "reaching": [
        {"swing": 172, "raise": 14, "elbow": 8, "bend": -6, "nod": -14},
        {"swing": (166, 6), "raise": (10, 10), "elbow": (10, 16), "lean": 10, "nod": -16},
        {"swing": 112, "raise": 8, "elbow": 14, "pitch": 6, "hip": (16, -14)},
        {"raise": (152, 20), "lean": 18, "elbow": 10, "spread": (2, 16)},
        {"raise": 138, "elbow": 12, "spread": 18},
    ],
    "throwing": [
        {"raise": (92, 14), "turn": (74, 0), "elbow": (96, 20), "swing": (-10, 84), "twist": -36, "hip": (-16, 38), "knee": (16, 26), "bend": -8},
        {"raise": (24, 24), "swing": (132, -20), "elbow": (24, 66), "twist": 30, "bend": 24, "pitch": 10, "hip": (-22, 34), "knee": (40, 26)},
        {"raise": (104, 66), "swing": (-26, 40), "elbow": (16, 20), "lean": -18, "twist": -24, "hip": (4, 24), "knee": (34, 10), "spread": 16},
        {"swing": (-46, 60), "raise": (16, 24), "elbow": (14, 40), "bend": 34, "pitch": 20, "hip": (-14, 66), "knee": (48, 70)},
    ],
    "kicking": [
        {"hip": (98, -4), "knee": (10, 8), "pitch": -14, "swing": (-18, 52), "raise": (36, 30), "elbow": 30},
        {"spread": (82, 6), "hip": (12, 0), "roll": 20, "raise": (44, 70), "elbow": (40, 30), "lean": 12, "knee": (8, 8)},
        {"hip": (-36, 22), "knee": (92, 14), "swing": (30, -28), "raise": (34, 56), "elbow": 26, "pitch": 8, "twist": -14},
        {"hip": (92, 0), "knee": (104, 10), "swing": 62, "raise": 14, "elbow": 108, "turn": -20, "pitch": -5},
    ],
    "jumping": [
        {"raise": 122, "spread": 36, "elbow": 12, "lift": 0.42},
        {"hip": 98, "knee": 112, "swing": 66, "elbow": 28, "raise": 16, "bend": 24, "lift": 0.60},
        {"hip": (74, -36), "knee": (10, 30), "raise": (70, 82), "swing": (30, 0), "elbow": 12, "lift": 0.52},
        {"swing": 160, "raise": 16, "hip": -16, "knee": 54, "bend": -16, "elbow": 12, "lift": 0.45},
        {"hip": 88, "knee": 8, "spread": 42, "swing": 80, "raise": 30, "bend": 28, "elbow": 6, "lift": 0.70},
    ],
    "bending": [
        {"pitch": 62, "bend": 48, "hip": 62, "knee": 6, "swing": 104, "raise": 8, "elbow": 8},
        {"pitch": 38, "bend": 30, "hip": 40, "knee": 10, "swing": 44, "elbow": 34, "turn": -20, "raise": 14},
        {"pitch": 48, "bend": 42, "hip": 98, "knee": 72, "swing": 92, "elbow": 14, "raise": 8, "spread": 12},
        {"lean": 34, "roll": 8, "raise": (158, 10), "elbow": (14, 10), "spread": 16},
        {"bend": -42, "pitch": -12, "hip": -14, "knee": 18, "swing": 176, "raise": 16, "elbow": 12, "nod": -24},
    ],
    "lunging": [
        {"hip": (86, -26), "knee": (88, 14), "swing": (-20, 30), "elbow": 42, "raise": 12},
        {"hip": (60, 8), "spread": (34, 48), "rotate": (20, 10), "knee": (84, 5), "pitch": 14, "swing": 50, "raise": 20, "elbow": 60, "turn": -20},
        {"hip": (80, -22), "knee": (80, 8), "raise": 90, "elbow": 6, "twist": 8},
        {"hip": (84, -24), "knee": (78, 8), "swing": (96, -40), "elbow": 8, "raise": 10, "pitch": 12},
        {"hip": (88, -24), "knee": (86, 10), "swing": 168, "raise": 12, "elbow": 8, "bend": -10},
    ],
    "gymnastics": [
        {"pitch": 180, "swing": 176, "raise": 8, "elbow": 4, "hip": 2, "nod": -26},
        {"pitch": 172, "swing": 178, "raise": 10, "elbow": 6, "hip": (56, -46), "knee": (8, 14), "nod": -26},
        {"pitch": 20, "roll": 96, "raise": (158, 150), "spread": (40, 58), "elbow": 5},
        {"pitch": 72, "hip": (72, -20), "swing": 40, "raise": 84, "elbow": 6, "knee": (4, 8), "nod": -28},
        {"pitch": -92, "bend": -46, "swing": 196, "elbow": 8, "raise": 8, "hip": -20, "knee": 78, "spread": 8},
        {"pitch": 76, "swing": 84, "elbow": 8, "raise": 10, "hip": -4, "knee": 4, "nod": -22},
        {"hip": (92, -48), "knee": (4, 12), "raise": (110, 96), "elbow": 5, "lift": 0.55},
        {"pitch": -150, "hip": 112, "knee": 96, "bend": 44, "swing": 70, "elbow": 46, "raise": 12, "lift": 0.85},
    ],
}
ACTIVITIES = tuple(KEYS)
STRAY = 0.30  # greatest share that a key of any activity takes in half of the postures
_POSTURES = {name: np.stack([posture(key) for key in keys]) for name, keys in KEYS.items()}
_EVERY = np.concatenate(list(_POSTURES.values()))


def sample_posture(activity: str, rng: np.random.Generator) -> Float64s:
    """Joint angles (24) of one posture of an activity.

    A point between two keys of the activity, nearer to one of them; in half of the draws drawn towards a key of any
    activity; deviations normal about it; clipped to the anatomical limits; mirrored in half of the draws.
    """
    keys = _POSTURES[activity]
    first, second = keys[rng.integers(len(keys))], keys[rng.integers(len(keys))]
    share, stray, towards_stray, mirror = rng.random(4)
    angles = first + 0.5 * share**2 * (second - first)
    if towards_stray < 0.5:
        angles = angles + STRAY * stray * (_EVERY[rng.integers(len(_EVERY))] - angles)
    angles = np.clip(angles + DEVIATION * rng.normal(size=len(angles)), LOW, HIGH)
    return mirrored(angles) if mirror < 0.5 else angles
