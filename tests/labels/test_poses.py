import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.labels import JOINTS, PoseLabels, joints_of, pose_distances


@pytest.fixture
def poses() -> np.ndarray:
    return np.random.default_rng(0).uniform(0, 200, (12, 5, 2))


def test_by_hand() -> None:
    a = [[[0, 0], [10, 10]]]
    b = [[[3, 4], [10, 10]], [[0, 0], [10, 22]], [[6, 8], [5, 22]]]
    np.testing.assert_array_equal(pose_distances(a, b), np.array([[5, 12, 23]], np.float32))
    np.testing.assert_array_equal(pose_distances([[[0, 0]]], [[[3, 4]], [[0, 1]]]), [[5, 1]])
    assert pose_distances(np.zeros((0, 3, 2)), np.zeros((4, 3, 2))).shape == (0, 4)


def test_against_a_loop_also_of_labels(poses: np.ndarray) -> None:
    found = pose_distances(poses[:7], poses[7:])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.linalg.norm(poses[:7, None] - poses[None, 7:], axis=3).sum(axis=2), rtol=1e-6)
    labels = PoseLabels(poses)
    rows, columns = np.array([3, 0, 3]), np.array([11, 3])
    np.testing.assert_array_equal(labels.between(rows, columns), pose_distances(poses, poses)[np.ix_(rows, columns)])
    assert labels.between(rows, columns)[0, 1] == 0
    assert labels.between(np.array([], dtype=np.int64), columns).shape == (0, 2)
    assert (len(labels), labels.unit) == (12, "px")


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (np.zeros((2, 28)), np.zeros((2, 28)), r"The poses have shape \(2, 28\); give the coordinates of each joint, \(n, joints, 2\)"),
        (np.zeros((2, 14, 2)), np.zeros((2, 13, 2)), r"The poses have 14 and 13 joints; give the same ones for both"),
        (np.zeros((2, 3, 2)), [[[0, 0], [1, np.nan], [2, 2]]], r"Image 0 has no coordinates for joint 1; remove images with joints"),
        ([[[0, 0], [1, 1]], [[np.inf, 0], [1, 1]]], np.zeros((2, 2, 2)), r"Image 1 has no coordinates for joint 0"),
    ],
)
def test_errors(a: object, b: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pose_distances(a, b)


def test_joints_are_those_with_two_columns_in_the_order_of_leeds() -> None:
    assert len(JOINTS) == len(set(JOINTS)) == 14
    columns = ["path", "tail_y", "tail_x", "neck_y", "neck_x", "right_ankle_x", "right_ankle_y", "left_hip_x", "x", "y", "_x"]
    assert joints_of(pd.DataFrame(columns=columns)) == ["right_ankle", "neck", "tail"]
    assert joints_of(pd.DataFrame({"path": ["a"]})) == []
