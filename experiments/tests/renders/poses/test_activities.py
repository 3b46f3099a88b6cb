"""Activities: postures within the limits, and what makes each activity."""

import numpy as np
import pytest

from experiments.renders.poses import ACTIVITIES, JOINTS
from experiments.renders.poses.activities import sample_posture
from experiments.renders.poses.angles import ANGLES, HIGH, LOW
from experiments.renders.poses.skeleton import pose, sample_body
from likeness.arrays import Float64s


def joints(activity: str, n: int = 60) -> dict[str, Float64s]:
    """Places (n, 3) of every joint in `n` postures of one body, the pelvis at the origin."""
    rng = np.random.default_rng(3)
    body = sample_body(rng)
    places = np.stack([pose(body, sample_posture(activity, rng)).joints for _ in range(n)])
    return {joint: places[:, i] for i, joint in enumerate(JOINTS)}


@pytest.mark.parametrize("activity", ACTIVITIES)
def test_postures_stay_within_the_limits_and_differ(activity: str) -> None:
    rng = np.random.default_rng(1)
    angles = np.stack([sample_posture(activity, rng) for _ in range(80)])
    mirrored_low = np.where(np.isin(ANGLES, ["roll", "lean", "twist", "look"]), -HIGH, LOW)
    assert (angles >= np.minimum(LOW, mirrored_low)).all()
    assert (angles <= HIGH).all()
    assert (angles[:, [ANGLES.index("left_swing"), ANGLES.index("right_hip")]].std(axis=0) > 5).all()


def test_what_the_activities_look_like() -> None:
    standing, reaching, sitting, handstand = (joints(name) for name in ("standing", "reaching", "sitting", "gymnastics"))
    highest = np.maximum(reaching["left_wrist"][:, 2], reaching["right_wrist"][:, 2])
    assert (highest > reaching["head_top"][:, 2]).mean() > 0.55
    assert (standing["left_wrist"][:, 2] < standing["head_top"][:, 2]).mean() > 0.9
    assert (standing["left_ankle"][:, 2] < -0.6).mean() > 0.9
    assert (sitting["left_knee"][:, 2] > -0.35).mean() > 0.85, "the thighs are level"
    assert (handstand["head_top"][:, 2] < 0).mean() > 0.25, "many are upside down"


def test_right_and_left_are_used_alike() -> None:
    for activity in ("throwing", "kicking"):
        places = joints(activity, 400)
        higher = (places["right_ankle"][:, 2] > places["left_ankle"][:, 2]).mean()
        assert 0.4 < higher < 0.6
