"""From a pose to a dressed figure: parts, what each band of them is made of, and triangles."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.renders.poses.loft import BANDS, SIDES, ellipsoid, limb, rings, skin
from experiments.renders.poses.skeleton import JOINTS, Body, Pose
from likeness.arrays import Float64s

SHIRTS = ("tank top", "t-shirt", "long sleeves")
TROUSERS = ("trousers", "shorts", "skirt")
HAIRS = ("short", "long", "ponytail", "bun", "bald")
MATERIALS = ("skin", "hair", "shirt", "stripe", "trousers", "shoes", "eyes")
_SKIN, _HAIR, _SHIRT, _STRIPE, _TROUSERS, _SHOES, _EYES = range(len(MATERIALS))

# thicknesses in shares of the height; limbs at the six places of `loft.INNER`
_ARM = np.array([0.030, 0.033, 0.030, 0.027, 0.024, 0.022])
_FOREARM = np.array([0.023, 0.025, 0.024, 0.020, 0.016, 0.0145])
_HAND = np.array([0.010, 0.0115, 0.012, 0.011, 0.010, 0.008])
_LEG = np.array([0.052, 0.054, 0.050, 0.044, 0.038, 0.035])
_SHANK = np.array([0.034, 0.034, 0.036, 0.031, 0.023, 0.020])
_FOOT = np.array([0.024, 0.025, 0.025, 0.025, 0.024, 0.018])
_NECK = np.array([0.034, 0.031, 0.029, 0.028, 0.028, 0.028])
_SLEEVE, _TROUSER = 0.006, np.array([0.004, 0.005, 0.006, 0.008, 0.011, 0.015])
# half width and half depth of the ten rings of the trunk, from the crotch to the base of the neck
_TRUNK_WIDTH = np.array([0.028, 0.070, 0.094, 0.088, 0.076, 0.083, 0.095, 0.104, 0.088, 0.036])
_TRUNK_DEPTH = np.array([0.030, 0.056, 0.064, 0.060, 0.054, 0.059, 0.067, 0.063, 0.046, 0.034])


class Clothes(NamedTuple):
    """shirt in SHIRTS, trousers in TROUSERS, hair in HAIRS; a striped shirt has every second band of the trunk in a second color."""

    shirt: str
    trousers: str
    hair: str
    striped: bool


class Figure(NamedTuple):
    """Triangles (t, 3, 3) in meters and the material (t) of each, an index of MATERIALS."""

    triangles: Float64s
    material: npt.NDArray[np.int64]


def dress(body: Body, pose: Pose, clothes: Clothes) -> Figure:
    """The figure in the coordinates of its pose."""
    parts, bands = [_trunk(body, pose)], [_trunk_bands(clothes)]
    for add in (_head, _arms, _legs):
        for part, band in add(body, pose, clothes):
            parts.append(part)
            bands.append(band)
    eyes = _eyes(body, pose)
    material = np.concatenate([np.repeat(np.array(bands).ravel(), 2 * SIDES), np.full(len(eyes), _EYES)])
    return Figure(np.concatenate([skin(np.stack(parts)), eyes]), material)


Parts = list[tuple[Float64s, list[int]]]


def _trunk(body: Body, pose: Pose) -> Float64s:
    """The trunk's rings; at the waist and the ribs its axes are halfway between those of the frames they join."""
    pelvis, waist, chest = (pose.frames[name] for name in ("pelvis", "waist", "chest"))
    first, second, third = body.trunk
    low = [shift * body.height * pelvis[:, 2] for shift in (-0.058, -0.034, 0.0)]
    middle = [0.7 * first * pelvis[:, 2], pose.waist + 0.25 * second * waist[:, 2], pose.waist + 0.85 * second * waist[:, 2]]
    high = [pose.ribs + share * third * chest[:, 2] for share in (0.25, 0.62, 0.86, 1.0)]
    axes = np.stack([pelvis] * 3 + [0.75 * pelvis + 0.25 * waist, waist, 0.5 * waist + 0.5 * chest] + [chest] * 4)
    hips, shoulders = body.hip / (0.053 * body.height), body.shoulder / (0.104 * body.height)
    width = body.height * body.girth * _TRUNK_WIDTH * np.interp(np.arange(10), [0, 3, 6, 9], [hips, hips, shoulders, shoulders])
    depth = body.height * body.girth * _TRUNK_DEPTH
    return rings(np.stack(low + middle + high), depth[:, None] * axes[:, :, 0], width[:, None] * axes[:, :, 1])


def _trunk_bands(clothes: Clothes) -> list[int]:
    stripe = _STRIPE if clothes.striped else _SHIRT
    neck = _SKIN if clothes.shirt == "tank top" else _SHIRT
    return [_TROUSERS] * 3 + [_SHIRT, stripe, _SHIRT, stripe, _SHIRT, neck]


def _head(body: Body, pose: Pose, clothes: Clothes) -> Parts:
    frame, size = pose.frames["head"], body.head
    neck = pose.joints[JOINTS.index("neck")]
    center = neck + 0.60 * size * frame[:, 2]
    parts: Parts = [
        (limb(neck + 0.45 * size * frame[:, 2], frame, 0.5 * size, body.height * body.girth * _NECK[::-1]), [_SKIN] * BANDS),
        (ellipsoid(center, frame, (0.33 * size, 0.275 * size, 0.41 * size)), [_SKIN] * BANDS),
        (ellipsoid(center + frame @ np.array([0.31, 0, -0.06]) * size, frame, (0.06 * size, 0.04 * size, 0.08 * size)), [_SKIN] * BANDS),
    ]
    if clothes.hair != "bald":
        cap = center + frame @ np.array([-0.075, 0, 0.075]) * size
        parts.append((ellipsoid(cap, frame, (0.335 * size, 0.31 * size, 0.40 * size)), [_HAIR] * BANDS))
    if clothes.hair == "long":
        fall = np.array([0.29, 0.31, 0.31, 0.30, 0.27, 0.20]) * size
        parts.append((limb(center + frame @ np.array([-0.17, 0, 0]) * size, frame, 0.75 * size, fall, 0.48), [_HAIR] * BANDS))
    if clothes.hair == "ponytail":
        tail = np.array([0.07, 0.10, 0.11, 0.10, 0.07, 0.03]) * size
        parts.append((limb(center + frame @ np.array([-0.42, 0, 0.12]) * size, frame, 0.75 * size, tail), [_HAIR] * BANDS))
    if clothes.hair == "bun":
        parts.append((ellipsoid(center + frame @ np.array([-0.30, 0, 0.36]) * size, frame, (0.15 * size,) * 3), [_HAIR] * BANDS))
    return parts


def _arms(body: Body, pose: Pose, clothes: Clothes) -> Parts:
    covered = {"tank top": 0, "t-shirt": 5, "long sleeves": BANDS}[clothes.shirt]
    lower = _SHIRT if clothes.shirt == "long sleeves" else _SKIN
    thick, parts = body.height * body.girth, []
    for side in ("right", "left"):
        shoulder, elbow, wrist = (pose.joints[JOINTS.index(f"{side}_{joint}")] for joint in ("shoulder", "elbow", "wrist"))
        arm, forearm = pose.frames[f"{side}_arm"], pose.frames[f"{side}_forearm"]
        sleeve = _SLEEVE * (np.arange(6) < covered - 1)
        parts.append((limb(shoulder, arm, body.upper_arm, thick * (_ARM + sleeve)), [_SHIRT] * covered + [_SKIN] * (BANDS - covered)))
        parts.append((limb(elbow, forearm, body.forearm, thick * (_FOREARM + _SLEEVE * (lower == _SHIRT))), [lower] * BANDS))
        parts.append((limb(wrist - 0.012 * body.height * forearm[:, 2], forearm, 0.070 * body.height, body.height * _HAND, 2.0), [_SKIN] * BANDS))
    return parts


def _legs(body: Body, pose: Pose, clothes: Clothes) -> Parts:
    covered = {"trousers": BANDS, "shorts": 6, "skirt": 2}[clothes.trousers]
    lower = _TROUSERS if clothes.trousers == "trousers" else _SKIN
    thick, parts = body.height * body.girth, []
    for side in ("right", "left"):
        hip, knee, ankle = (pose.joints[JOINTS.index(f"{side}_{joint}")] for joint in ("hip", "knee", "ankle"))
        leg, shank, foot = (pose.frames[f"{side}_{part}"] for part in ("leg", "shank", "foot"))
        cloth = 0.8 * _TROUSER * (np.arange(6) < covered - 1)
        parts.append((limb(hip, leg, body.thigh, thick * (_LEG + cloth)), [_TROUSERS] * covered + [_SKIN] * (BANDS - covered)))
        parts.append((limb(knee, shank, body.shank, thick * (_SHANK + _TROUSER * (lower == _TROUSERS))), [lower] * BANDS))
        heel = ankle + foot @ np.array([-0.016, 0.0, -0.018]) * body.height
        along = np.column_stack([foot[:, 2], foot[:, 1], -foot[:, 0]])  # a limb that runs forward, not down
        parts.append((limb(heel, along, 0.105 * body.height, body.height * _FOOT, 0.85), [_SHOES] * BANDS))
    if clothes.trousers == "skirt":
        parts.append((_skirt(body, pose), [_TROUSERS] * BANDS))
    return parts


def _skirt(body: Body, pose: Pose) -> Float64s:
    """A cone from the waist to a hem that goes round both thighs."""
    pelvis, size = pose.frames["pelvis"], body.height * body.girth
    joint = {name: pose.joints[JOINTS.index(name)] for name in ("right_hip", "right_knee", "left_hip", "left_knee")}
    right, left = (joint[f"{side}_hip"] + 0.62 * (joint[f"{side}_knee"] - joint[f"{side}_hip"]) for side in ("right", "left"))
    across = left - right
    across = across / 2 + 0.072 * size * across / (np.linalg.norm(across) + 1e-9)
    down = (left + right) / 2 - pose.waist
    ahead = np.cross(across, -down)
    ahead *= 0.080 * size / (np.linalg.norm(ahead) + 1e-9)
    share = np.linspace(0, 1, BANDS + 1)[:, None]
    round_share = np.sqrt(share)  # the cloth widens over the hips first
    forward = (1 - round_share) * 0.060 * size * pelvis[:, 0] + round_share * ahead
    sideways = (1 - round_share) * 0.082 * size * pelvis[:, 1] + round_share * across
    return rings(pose.waist + share * down, forward, sideways)


def _eyes(body: Body, pose: Pose) -> Float64s:
    """Two dark diamonds (4, 3, 3) on the face."""
    frame, size = pose.frames["head"], body.head
    center = pose.joints[JOINTS.index("neck")] + 0.60 * size * frame[:, 2]
    diamond = np.array([[0, 0, 1], [0, -1, 0], [0, 0, -1], [0, 1, 0]]) * 0.050
    triangles = []
    for sign in (-1, 1):
        corners = center + size * (diamond + np.array([0.318, 0.105 * sign, 0.05])) @ frame.T
        triangles += [corners[[0, 1, 2]], corners[[0, 2, 3]]]
    return np.stack(triangles)
