"""Forward kinematics against hand-computed places, and the laws of rigid bones."""

import numpy as np
import pandas as pd
import pytest

from experiments.renders.poses import JOINT_COLUMNS, JOINTS
from experiments.renders.poses.angles import ANGLES, HIGH, LOW, Sides, mirrored, posture
from experiments.renders.poses.skeleton import Body, pose, sample_body, turn

BODY = Body(0.45, 0.44, 0.10, (0.1, 0.2, 0.25), 0.2, 0.3, 0.25, 0.32, 1.8, 1.0)
BONES = [(f"{side}_{a}", f"{side}_{b}") for side in ("right", "left") for a, b in (("ankle", "knee"), ("knee", "hip"), ("wrist", "elbow"))]
BONES += [("right_elbow", "right_shoulder"), ("left_elbow", "left_shoulder"), ("right_hip", "left_hip"), ("neck", "head_top")]
BONES += [("right_shoulder", "left_shoulder"), ("neck", "left_shoulder"), ("neck", "right_shoulder")]


def place(joint: str, **angles: float | Sides) -> list[float]:
    return [round(float(x), 6) for x in pose(BODY, posture(angles)).joints[JOINTS.index(joint)]]


def length(joints: np.ndarray, bone: tuple[str, str]) -> float:
    return float(np.linalg.norm(joints[JOINTS.index(bone[0])] - joints[JOINTS.index(bone[1])]))


def test_a_body_at_rest_hangs_straight_and_its_joints_are_those_of_leeds() -> None:
    assert len(JOINTS) == 14
    assert JOINTS[:4] == ("right_ankle", "right_knee", "right_hip", "left_hip")
    assert JOINTS[12:] == ("neck", "head_top")
    assert JOINT_COLUMNS[:3] == ("right_ankle_x", "right_ankle_y", "right_knee_x")
    assert place("left_knee") == [0, 0.10, -0.45]
    assert place("right_ankle") == [0, -0.10, -0.89]
    assert place("neck") == [0, 0, 0.55]
    assert place("head_top") == [0, 0, 0.87]
    assert place("right_wrist") == pytest.approx([0, -0.2, 0.55 - 0.036 - 0.55])


def test_limbs_and_trunk_go_where_their_angles_say() -> None:
    shoulder = 0.55 - 0.036
    assert place("left_elbow", swing=90) == pytest.approx([0.3, 0.2, shoulder]), "forward"
    assert place("left_elbow", **{"raise": 90}) == pytest.approx([0, 0.5, shoulder]), "outward on the left"
    assert place("right_elbow", **{"raise": 90}) == pytest.approx([0, -0.5, shoulder]), "outward on the right"
    assert place("left_wrist", elbow=90) == pytest.approx([0.25, 0.2, shoulder - 0.3]), "the forearm folds forward"
    assert place("left_wrist", **{"raise": 90, "elbow": 90, "turn": 90}) == pytest.approx([0, 0.5, shoulder + 0.25]), "turned outward it points up"
    assert place("right_ankle", knee=90) == pytest.approx([-0.44, -0.10, -0.45]), "the shank folds back"
    assert place("right_knee", hip=(90, 0)) == pytest.approx([0.45, -0.10, 0])
    assert place("left_knee", hip=(90, 0)) == pytest.approx([0, 0.10, -0.45])
    assert place("neck", pitch=90) == pytest.approx([0.55, 0, 0])
    assert place("neck", roll=90) == pytest.approx([0, 0.55, 0])
    assert place("neck", bend=60)[0] > 0.2
    assert place("neck", lean=30)[1] > 0.1
    assert place("left_shoulder", twist=40)[0] < 0 < place("right_shoulder", twist=40)[0]


def test_bones_keep_their_lengths_in_every_posture() -> None:
    rng = np.random.default_rng(0)
    rest = pose(BODY, posture({})).joints
    for _ in range(30):
        joints = pose(BODY, rng.uniform(LOW, HIGH)).joints
        for bone in BONES:
            assert length(joints, bone) == pytest.approx(length(rest, bone), abs=1e-12), bone


def test_tilted_and_mirrored_postures_are_turned_and_mirrored_bodies() -> None:
    angles = np.random.default_rng(1).uniform(LOW, HIGH)
    angles[[ANGLES.index("pitch"), ANGLES.index("roll")]] = 0
    upright = pose(BODY, angles).joints
    angles[ANGLES.index("pitch")] = 33
    np.testing.assert_allclose(pose(BODY, angles).joints, upright @ turn(1, 33).T, atol=1e-12)
    angles = np.random.default_rng(2).uniform(LOW, HIGH)
    swapped = [
        JOINTS.index(f"{'left' if j.startswith('right') else 'right'}_{j.split('_')[1]}" if "_" in j and j != "head_top" else j) for j in JOINTS
    ]
    expected = pose(BODY, angles).joints[swapped] * (1, -1, 1)
    np.testing.assert_allclose(pose(BODY, mirrored(angles)).joints, expected, atol=1e-12)


def test_bodies_are_adults_and_youths_of_varied_build() -> None:
    rng = np.random.default_rng(0)
    bodies = pd.DataFrame([sample_body(rng)._asdict() for _ in range(300)])
    assert bodies.height.between(1.45, 1.99).all()
    assert bodies.height.std() > 0.1
    stature = bodies["shank"] + bodies["thigh"] + bodies["trunk"].map(sum) + bodies["head"] + 0.04 * bodies["height"]
    assert (stature / bodies["height"]).between(0.95, 1.06).all()
    assert (bodies["shoulder"] > bodies["hip"]).all()
