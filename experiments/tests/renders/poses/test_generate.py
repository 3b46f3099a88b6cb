"""Pictures: determinism, joints on the figure, an exact projection, and a spread of postures worth retrieving."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from experiments.renders.poses import ATTRIBUTES, JOINT_COLUMNS, JOINTS, draw, sample_poses, write_dataset
from experiments.renders.poses.activities import sample_posture
from experiments.renders.poses.generate import HALF_FIELD, act, aim
from experiments.renders.poses.skeleton import sample_body

Row = dict[Any, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return sample_poses(150, seed=5).to_dict("records")


def joints_of(rows: list[Row], size: int = 48) -> np.ndarray:
    return np.stack([draw(row, size).joints / size for row in rows])


def test_files_hold_the_joints(tmp_path: Path) -> None:
    write_dataset(tmp_path, 3, seed=2, size=48)
    table = pd.read_csv(tmp_path / "attributes.csv")
    assert list(table.columns) == ["path", *ATTRIBUTES, *JOINT_COLUMNS]
    for row in table.to_dict("records"):
        picture, joints = draw(row, 48), np.array([row[column] for column in JOINT_COLUMNS]).reshape(14, 2)
        np.testing.assert_allclose(joints, picture.joints, atol=0.0051)
        assert picture.mask.shape == (48, 48)


def test_joints_lie_in_the_frame_and_on_the_figure(rows: list[Row]) -> None:
    inside, on = [], []
    for row in rows[:80]:
        picture = draw(row)
        column, line = np.clip(picture.joints, 0, 127.9).astype(int).T
        inside.append(((picture.joints > 0) & (picture.joints < 128)).all(axis=1))
        grown = np.pad(picture.mask, 1)
        near = np.array([grown[i : i + 3, j : j + 3].any() for i, j in zip(line, column, strict=True)])
        on.append(near)
        assert picture.mask[line, column].mean() >= 0.7
    assert np.mean(inside) > 0.995
    assert np.mean(on) > 0.99


def test_projection_agrees_with_an_independent_pinhole() -> None:
    """The ray through each joint's pixel, in the camera's own axes, against the angle under which the joint is seen."""
    rng, view = np.random.default_rng(8), {"yaw": 40.0, "elevation": 17.0, "fill": 0.8}
    words = {"activity": "throwing", "shirt": "t-shirt", "trousers": "shorts", "hair": "short"}
    actor = act(words, sample_posture("throwing", rng), sample_body(rng), False)
    camera = aim(actor, view, 200, np.array([0.05, -0.03]))
    yaw, elevation = np.radians(40), np.radians(17)
    gaze = -np.array([np.cos(elevation) * np.cos(yaw), np.cos(elevation) * np.sin(yaw), np.sin(elevation)])
    right = np.cross(gaze, (0, 0, 1)) / np.linalg.norm(np.cross(gaze, (0, 0, 1)))
    down = np.cross(gaze, right)
    for joint in actor.joints:
        ray = joint - camera.position
        column = 100 * (1 + 0.05 + ray @ right / (ray @ gaze) / HALF_FIELD)
        line = 100 * (1 - 0.03 + ray @ down / (ray @ gaze) / HALF_FIELD)
        u, v, w = camera.matrix @ np.append(joint, 1)
        assert (u / w, v / w) == pytest.approx((column, line), abs=1e-9)
        assert w == pytest.approx(ray @ gaze)


def test_clothes_and_background_leave_the_joints(rows: list[Row]) -> None:
    looks = {"shirt_color": "red", "trousers_color": "navy", "wall": "checks", "background_color": "teal", "ground": "tiles", "skin": "dark"}
    changed = []
    for row in rows[:6]:
        before, after = draw(row, 64), draw(row | looks, 64)
        np.testing.assert_array_equal(before.joints, after.joints)
        np.testing.assert_array_equal(before.mask, after.mask)
        changed.append((before.pixels != after.pixels).mean())
    assert np.mean(changed) > 0.3


def test_another_variant_is_another_posture(rows: list[Row]) -> None:
    changed = joints_of([row | {"variant": 12345} for row in rows[:10]])
    assert (np.linalg.norm(joints_of(rows[:10]) - changed, axis=2).sum(axis=1) > 0.3).all()


def test_the_lowest_point_touches_the_ground_unless_lifted() -> None:
    rng = np.random.default_rng(2)
    words = {"shirt": "t-shirt", "trousers": "shorts", "hair": "short"}
    for activity in ("standing", "lunging", "jumping", "sitting"):
        actor = act(words | {"activity": activity}, sample_posture(activity, rng), sample_body(rng), False)
        lowest = actor.figure.triangles[..., 2].min()
        assert lowest > 0.1 if activity == "jumping" else lowest == pytest.approx(0, abs=0.3)
        assert (actor.seat is not None) == (activity == "sitting")


def test_postures_are_spread_and_not_all_near_the_mean(rows: list[Row]) -> None:
    """Sums of joint distances, in sides of the picture: far pairs are several times as far as near ones."""
    joints = joints_of(rows)
    distance = np.linalg.norm(joints[:, None] - joints[None], axis=3).sum(axis=2)[np.triu_indices(len(rows), 1)]
    low, middle, high = np.percentile(distance, [5, 50, 95])
    assert high > 2.5 * low
    assert 1.5 < middle < 4
    assert (joints[:, JOINTS.index("head_top"), 1] > joints[:, JOINTS.index("neck"), 1]).mean() > 0.03, "some are upside down"


def test_figures_are_large_enough(rows: list[Row]) -> None:
    joints = joints_of(rows)
    span = np.ptp(joints, axis=1).max(axis=1)
    assert span.min() > 0.3
    assert 0.6 < np.median(span) < 0.9
    assert span.max() < 0.92
