"""Fourteen joints in space from joint angles: the forward kinematics of the figures.

Figure coordinates, in meters: x forward, y to the figure's own left, z up. A body at rest stands upright at the origin of its
pelvis with the limbs hanging.
"""

from typing import NamedTuple

import numpy as np

from experiments.renders.poses.angles import ANGLES
from likeness.arrays import Float64s

# the joints of Leeds Sports Pose, in its order
JOINTS = (
    *("right_ankle", "right_knee", "right_hip", "left_hip", "left_knee", "left_ankle"),
    *("right_wrist", "right_elbow", "right_shoulder", "left_shoulder", "left_elbow", "left_wrist"),
    *("neck", "head_top"),
)
JOINT_COLUMNS = tuple(f"{joint}_{axis}" for joint in JOINTS for axis in "xy")
FOOT_LIMITS = (-25.0, 40.0)  # degrees that a foot turns up and down to lie flat on the ground


class Body(NamedTuple):
    """Lengths in meters; girth multiplies every thickness."""

    thigh: float
    shank: float
    hip: float  # half the distance between the hips
    trunk: tuple[float, float, float]  # hips to waist, waist to ribs, ribs to neck
    shoulder: float  # half the distance between the shoulders
    upper_arm: float
    forearm: float
    head: float  # neck to top
    height: float
    girth: float


class Pose(NamedTuple):
    """joints (14, 3) in meters; frames by the name of the part: rotations (3, 3) whose columns are its forward, left and up."""

    joints: Float64s
    frames: dict[str, Float64s]
    waist: Float64s
    ribs: Float64s


def sample_body(rng: np.random.Generator) -> Body:
    """A random adult or youth of 1.45 to 2.0 m; shares of the height about as in Drillis and Contini (1966), varied by up to 12 %."""
    u = rng.uniform(-1, 1, 8)
    height = 1.72 + 0.27 * u[0]
    thigh, shank, trunk, arm = 0.245 * (1 + 0.05 * u[1]), 0.246 * (1 + 0.05 * u[2]), 0.295 * (1 - 0.05 * u[1]), 1 + 0.05 * u[3]
    shoulder, hip, head = 0.104 * (1 + 0.12 * u[4]), 0.053 * (1 + 0.12 * u[5]), 0.180 * (1 + 0.07 * u[6])
    lengths = np.array([thigh, shank, hip, 0.21 * trunk, 0.33 * trunk, 0.46 * trunk, shoulder, 0.182 * arm, 0.148 * arm, head]) * height
    a = lengths.tolist()
    return Body(a[0], a[1], a[2], (a[3], a[4], a[5]), a[6], a[7], a[8], a[9], height, float(1.08 + 0.22 * u[7]))


def turn(axis: int, degrees: float) -> Float64s:
    """Rotation (3, 3) about axis 0 (x), 1 (y) or 2 (z), counterclockwise seen from the axis' tip."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    if axis == 0:
        return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    if axis == 1:
        return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def pose(body: Body, angles: Float64s) -> Pose:
    """The joints and part frames of a body in a posture, angles (24) as in `ANGLES`; the pelvis stays at the origin."""
    a = dict(zip(ANGLES, angles.tolist(), strict=True))
    frames = {"pelvis": turn(1, a["pitch"]) @ turn(0, -a["roll"])}
    half = turn(2, a["twist"] / 2) @ turn(1, a["bend"] / 2) @ turn(0, -a["lean"] / 2)
    frames["waist"] = frames["pelvis"] @ half
    frames["chest"] = frames["waist"] @ half
    frames["head"] = frames["chest"] @ turn(1, a["nod"]) @ turn(2, a["look"])
    waist = body.trunk[0] * frames["pelvis"][:, 2]
    ribs = waist + body.trunk[1] * frames["waist"][:, 2]
    neck = ribs + body.trunk[2] * frames["chest"][:, 2]
    points = {"neck": neck, "head_top": neck + body.head * frames["head"][:, 2]}
    for side, sign in (("right", -1.0), ("left", 1.0)):
        _add_limbs(body, a, side, sign, frames, points)
    return Pose(np.stack([points[joint] for joint in JOINTS]), frames, waist, ribs)


def _add_limbs(body: Body, a: dict[str, float], side: str, sign: float, frames: dict[str, Float64s], points: dict[str, Float64s]) -> None:
    chest, pelvis = frames["chest"], frames["pelvis"]
    arm = chest @ turn(1, -a[f"{side}_swing"]) @ turn(0, sign * a[f"{side}_raise"]) @ turn(2, sign * a[f"{side}_turn"])
    leg = pelvis @ turn(1, -a[f"{side}_hip"]) @ turn(0, sign * a[f"{side}_spread"]) @ turn(2, sign * a[f"{side}_rotate"])
    forearm, shank = arm @ turn(1, -a[f"{side}_elbow"]), leg @ turn(1, a[f"{side}_knee"])
    points[f"{side}_shoulder"] = points["neck"] + chest @ np.array([0.0, sign * body.shoulder, -0.020 * body.height])
    points[f"{side}_elbow"] = points[f"{side}_shoulder"] - body.upper_arm * arm[:, 2]
    points[f"{side}_wrist"] = points[f"{side}_elbow"] - body.forearm * forearm[:, 2]
    points[f"{side}_hip"] = sign * body.hip * pelvis[:, 1]
    points[f"{side}_knee"] = points[f"{side}_hip"] - body.thigh * leg[:, 2]
    points[f"{side}_ankle"] = points[f"{side}_knee"] - body.shank * shank[:, 2]
    tilt = np.degrees(np.arctan2(-shank[2, 0], shank[2, 2]))  # how far the toes point down when the foot is square to the shank
    foot = shank @ turn(1, -float(np.clip(tilt, *FOOT_LIMITS)))
    frames |= {f"{side}_arm": arm, f"{side}_forearm": forearm, f"{side}_leg": leg, f"{side}_shank": shank, f"{side}_foot": foot}
