"""Postures as vectors: their order, their limits, their mirror image."""

import numpy as np

from experiments.renders.poses.angles import ANGLES, CENTRAL, HIGH, LOW, SIDED, mirrored, posture


def test_postures_by_name_within_limits_and_mirrored() -> None:
    angles = dict(zip(ANGLES, posture({"pitch": 3, "knee": 40, "swing": (10, -20)}), strict=True))
    assert angles["pitch"] == 3
    assert (angles["right_knee"], angles["left_knee"]) == (40, 40)
    assert (angles["right_swing"], angles["left_swing"]) == (10, -20)
    assert sum(value != 0 for value in angles.values()) == 5
    assert len(ANGLES) == len(LOW) == len(HIGH) == len(CENTRAL) + 2 * len(SIDED)
    assert (LOW < HIGH).all()
    assert HIGH[ANGLES.index("left_knee")] == HIGH[ANGLES.index("right_knee")] == SIDED["knee"].high
    angles = np.random.default_rng(0).normal(size=len(ANGLES))
    np.testing.assert_array_equal(mirrored(mirrored(angles)), angles)
    assert mirrored(angles)[ANGLES.index("lean")] == -angles[ANGLES.index("lean")]
    assert mirrored(angles)[ANGLES.index("left_hip")] == angles[ANGLES.index("right_hip")]
