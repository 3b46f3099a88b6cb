"""The contact sheet shows the pictures of each activity, with their skeletons on request."""

import numpy as np

from experiments.renders.poses import contact_sheet, draw, sample_poses


def test_sheet_holds_the_pictures_on_white() -> None:
    sheet = np.asarray(contact_sheet(columns=2, size=48))
    frame = sample_poses(2000, seed=0)
    first = frame[frame.activity == "standing"].iloc[0].to_dict()
    np.testing.assert_array_equal(sheet[8:56, 120:168], draw(first, 48).pixels)
    assert (sheet[:8] == 255).all()


def test_skeletons_are_drawn_from_joint_to_joint() -> None:
    plain, drawn = (np.asarray(contact_sheet(columns=1, size=64, joints=joints)).astype(int) for joints in (False, True))
    frame = sample_poses(2000, seed=0)
    joints = draw(frame[frame.activity == "standing"].iloc[0].to_dict(), 64).joints
    column, row = (joints[1] + joints[0]) / 2 + (120, 8)  # the middle of the right shank
    changed = (plain != drawn).any(axis=2)
    assert changed[int(row) - 1 : int(row) + 2, int(column) - 1 : int(column) + 2].any()
    assert 0.01 < changed.mean() < 0.2
