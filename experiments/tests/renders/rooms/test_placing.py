"""Pieces stay in the room, clear of the camera and of each other."""

import numpy as np

from experiments.renders.rooms import sample_rooms
from experiments.renders.rooms.furniture import FURNITURE
from experiments.renders.rooms.placing import furnish
from experiments.renders.rooms.scene import room_of

ROOMS = [room_of(row) for row in sample_rooms(25, seed=8).to_dict("records")]
CLOTH = np.array([0.3, 0.4, 0.5])


def test_pieces_stay_in_the_room_and_clear_of_the_camera() -> None:
    for i, room in enumerate(ROOMS):
        things = furnish(room, list(FURNITURE), ["window", "door", "picture"], CLOTH, np.random.default_rng(i))
        points = np.concatenate([things.furniture.triangles, things.fixtures.triangles]).reshape(-1, 3)
        assert len(points) > 100
        assert abs(points[:, 1]).max() <= room.width / 2 + 1e-6
        assert points[:, 0].max() <= room.depth + 1e-6
        assert -1e-9 <= points[:, 2].min() <= points[:, 2].max() < room.height
        eye = np.array([0, room.camera_side, room.camera_height])
        assert np.linalg.norm(things.furniture.triangles.reshape(-1, 3) - eye, axis=1).min() > 0.4


def test_two_pieces_never_overlap() -> None:
    for i, room in enumerate(ROOMS):
        rng = np.random.default_rng(i)
        both = furnish(room, ["wardrobe", "sofa"], [], CLOTH, rng).furniture.triangles
        one = furnish(room, ["wardrobe"], [], CLOTH, np.random.default_rng(i)).furniture.triangles
        if 0 < len(one) < len(both):
            first, second = one.reshape(-1, 3), both[len(one) :].reshape(-1, 3)
            apart = np.maximum(first.min(axis=0) - second.max(axis=0), second.min(axis=0) - first.max(axis=0))
            assert apart.max() > 0
