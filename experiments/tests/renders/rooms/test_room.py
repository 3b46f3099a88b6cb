"""Layouts against an independent ray-box intersection, and what each value means."""

import numpy as np

from experiments.renders.rooms import SURFACES, Room, room_layout, sample_rooms
from experiments.renders.rooms.room import visible_surfaces
from experiments.renders.rooms.scene import room_of

PLAIN = Room(width=4.0, depth=4.0, height=3.0, camera_side=0.0, camera_height=1.5, camera_yaw=0.0, camera_pitch=0.0, field=90.0)


def cast(room: Room, size: int) -> np.ndarray:
    """The layout pixel by pixel: rotate the pixel's ray by pitch and yaw, and take the nearest of the distances to five walls."""
    layout = np.empty((size, size), int)
    half = np.tan(np.radians(room.field) / 2)
    yaw, pitch = np.radians(room.camera_yaw), np.radians(room.camera_pitch)
    for row in range(size):
        for column in range(size):
            left, up = half * (1 - 2 * (column + 0.5) / size), half * (1 - 2 * (row + 0.5) / size)
            forward, z = np.cos(pitch) - np.sin(pitch) * up, np.sin(pitch) + np.cos(pitch) * up
            x, y = np.cos(yaw) * forward - np.sin(yaw) * left, np.sin(yaw) * forward + np.cos(yaw) * left
            reach = {
                "center wall": room.depth / x if x > 0 else np.inf,
                "left wall": (room.width / 2 - room.camera_side) / y if y > 0 else np.inf,
                "right wall": (room.width / 2 + room.camera_side) / -y if y < 0 else np.inf,
                "floor": room.camera_height / -z if z < 0 else np.inf,
                "ceiling": (room.height - room.camera_height) / z if z > 0 else np.inf,
            }
            layout[row, column] = SURFACES[min(reach, key=lambda name: reach[name])]
    return layout


def test_layouts_agree_with_rays_at_every_pixel() -> None:
    for row in sample_rooms(12, seed=4).to_dict("records"):
        np.testing.assert_array_equal(room_layout(room_of(row), 24), cast(room_of(row), 24))


def test_each_value_means_what_it_says_where_it_is_visible() -> None:
    """Under 90 degrees, 8 m are in view at a wall 4 m away: a wall of 2 by 3 m takes 10 of 40 columns and 15 of 40 rows."""
    assert SURFACES == {"center wall": 1, "left wall": 2, "right wall": 3, "floor": 4, "ceiling": 5}
    layout = room_layout(PLAIN._replace(width=2.0), 40)
    assert layout.dtype == np.uint8
    assert [layout[20, 20], layout[20, 0], layout[20, 39], layout[39, 20], layout[0, 20]] == [1, 2, 3, 4, 5]
    center = layout == 1
    assert center.any(axis=0).sum() == 10
    assert center.any(axis=1).sum() in (14, 16), "7.5 rows on either side of the middle"
    assert visible_surfaces(PLAIN._replace(width=3.0)) == tuple(SURFACES)
    assert visible_surfaces(PLAIN._replace(depth=1.0, width=8.0, height=9.0, camera_height=4.0)) == ("center wall",)
    assert visible_surfaces(PLAIN._replace(width=9.0)) == ("center wall", "floor", "ceiling")
