"""Poses: the sum of the distances between joints (Kim et al., CVPR 2019, section 4.3, after Kwak et al., CVPR 2016)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.labels.kind import LabelKind, LabelOptions, number_columns
from likeness.labels.protocol import Distances, Rows
from likeness.progress import Progress

# Of Leeds Sports Pose, in its order.
JOINTS = (
    *("right_ankle", "right_knee", "right_hip", "left_hip", "left_knee", "left_ankle"),
    *("right_wrist", "right_elbow", "right_shoulder", "left_shoulder", "left_elbow", "left_wrist"),
    *("neck", "head_top"),
)


def pose_distances(a: Any, b: Any) -> Distances:
    """Sums over joints of Euclidean distances (n, m) between poses a (n, j, 2) and b (m, j, 2), in the unit of the coordinates.

    InputError: mismatched shapes, or coordinates that are not finite, because a hidden joint has no distance.
    """
    from scipy.spatial.distance import cdist

    first, second = _checked(a), _checked(b)
    if first.shape[1:] != second.shape[1:]:
        raise InputError(f"The poses have {first.shape[1]} and {second.shape[1]} joints; give the same ones for both.")
    total = np.zeros((len(first), len(second)))
    for joint in range(first.shape[1]):
        total += cdist(first[:, joint], second[:, joint])
    return total.astype(np.float32)


def _checked(poses: Any) -> NDArray[np.float64]:
    joints: NDArray[np.float64] = np.asarray(poses, dtype=np.float64)
    if joints.ndim != 3:
        raise InputError(f"The poses have shape {joints.shape}; give the coordinates of each joint, (n, joints, 2).")
    missing = np.argwhere(~np.isfinite(joints).all(axis=2))
    if missing.size:
        raise InputError(f"Image {missing[0][0]} has no coordinates for joint {missing[0][1]}; remove images with joints that are not visible.")
    return joints


def joints_of(frame: pd.DataFrame) -> list[str]:
    """Names of the joints in a table: those with a column "NAME_x" and one "NAME_y"; the ones of `JOINTS` first, in their order."""
    columns = {str(column) for column in frame.columns}
    found = [column[:-2] for column in map(str, frame.columns) if column.endswith("_x") and f"{column[:-2]}_y" in columns]
    return [*(name for name in JOINTS if name in found), *(name for name in found if name not in JOINTS)]


@dataclass(frozen=True)
class PoseLabels:
    """`pose_distances` of n images, from coordinates (n, j, 2) of j joints; `unit` is that of the coordinates."""

    joints: NDArray[np.float64]
    unit: str = "px"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", _checked(self.joints))

    def __len__(self) -> int:
        return len(self.joints)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        return pose_distances(self.joints[rows], self.joints[columns])


def _read(table: ImageTable, options: LabelOptions, progress: Progress | None) -> PoseLabels:
    names = list(options.columns) or joints_of(table.frame)
    if not names:
        raise InputError(f"'{table.name}' has no joints, such as columns neck_x and neck_y; choose another kind of label.")
    flat = number_columns(table, tuple(f"{name}_{axis}" for name in names for axis in "xy"))
    return PoseLabels(flat.reshape(len(table), len(names), 2))


KIND = LabelKind("pose", "columns NAME_x and NAME_y of joints", _read, lambda table: {"Pose": {}} if len(joints_of(table.frame)) > 2 else {})
