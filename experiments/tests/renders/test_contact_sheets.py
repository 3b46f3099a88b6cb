"""Contact sheets show the pictures, varied cars, and skeletons or layouts on request."""

import numpy as np

from experiments.renders import cars, poses, rooms
from experiments.renders.cars.contact_sheet import varied_rows
from experiments.renders.rooms.contact_sheet import tinted


def test_cars_are_varied_and_not_repeated() -> None:
    frame = cars.sample_scenes(400, seed=1)
    rows = varied_rows(frame, 10)
    assert rows.index.is_unique
    assert set(rows.viewpoint) == set(cars.VIEWPOINTS)
    assert set(rows.camera_height) == set(cars.CAMERA_HEIGHTS)
    assert rows.car_color.nunique() == 10
    assert len(varied_rows(frame.head(3), 10)) == 3


def test_cars_stand_on_white() -> None:
    sheet = np.asarray(cars.contact_sheet(columns=2, size=48))
    frame = cars.sample_scenes(2000, seed=0)
    first = varied_rows(frame[frame.body_type == "sedan"], 2).iloc[0].to_dict()
    np.testing.assert_array_equal(sheet[20:68, 128:176], cars.render_scene(first, 48))
    assert (sheet[:5] == 255).all()


def test_poses_stand_on_white() -> None:
    sheet = np.asarray(poses.contact_sheet(columns=2, size=48))
    frame = poses.sample_poses(2000, seed=0)
    first = frame[frame.activity == "standing"].iloc[0].to_dict()
    np.testing.assert_array_equal(sheet[8:56, 120:168], poses.draw(first, 48).pixels)
    assert (sheet[:8] == 255).all()


def test_skeletons_are_drawn_from_joint_to_joint() -> None:
    plain, drawn = (np.asarray(poses.contact_sheet(columns=1, size=64, joints=joints)).astype(int) for joints in (False, True))
    frame = poses.sample_poses(2000, seed=0)
    joints = poses.draw(frame[frame.activity == "standing"].iloc[0].to_dict(), 64).joints
    column, row = (joints[1] + joints[0]) / 2 + (120, 8)  # the middle of the right shank
    changed = (plain != drawn).any(axis=2)
    assert changed[int(row) - 1 : int(row) + 2, int(column) - 1 : int(column) + 2].any()
    assert 0.01 < changed.mean() < 0.2


FIRST = rooms.draw(rooms.sample_rooms(1).iloc[0].to_dict(), 40)


def test_rooms_stand_on_white() -> None:
    sheet = np.asarray(rooms.contact_sheet(columns=2, size=40, rows=2))
    assert sheet.shape == (104, 104, 3)
    np.testing.assert_array_equal(sheet[8:48, 8:48], FIRST.pixels)
    assert (sheet[:8] == 255).all()


def test_tints_follow_the_layout() -> None:
    sheet = np.asarray(rooms.contact_sheet(columns=1, size=40, rows=1, layouts=True))[8:48, 8:48]
    np.testing.assert_array_equal(sheet, tinted(FIRST))
    border = (sheet == 255).all(axis=2)
    change = FIRST.layout[:, 1:] != FIRST.layout[:, :-1]
    assert border[:, 1:][change].all()
    assert border.mean() < 0.2
    expected = (0.6 * FIRST.pixels + 0.4 * rooms.SURFACE_RGB[FIRST.layout]).astype(int)
    assert abs(sheet.astype(int) - expected)[~border].max() <= 1
