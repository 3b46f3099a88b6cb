"""Furniture and fixtures stand on the floor, lean on the wall, and have the sizes of their kind."""

import numpy as np
import pytest

from experiments.renders.rooms.fixtures import FIXTURES
from experiments.renders.rooms.furniture import FURNITURE

CLOTH, WOOD = np.array([0.2, 0.3, 0.9]), np.array([0.5, 0.35, 0.2])
CORNERS = [np.zeros(4), np.full(4, 0.999), np.array([0.5, 0.2, 0.8, 0.3])]


@pytest.mark.parametrize("kind", [*FURNITURE, *FIXTURES])
@pytest.mark.parametrize("u", CORNERS)
def test_pieces_stand_on_the_floor_before_the_wall_and_fixtures_hang_flat_on_it(kind: str, u: np.ndarray) -> None:
    solid = (FURNITURE | FIXTURES)[kind](CLOTH, WOOD, u)
    low, high = solid.triangles.reshape(-1, 3).min(axis=0), solid.triangles.reshape(-1, 3).max(axis=0)
    assert low[1] > -1e-9
    assert ((solid.colors >= 0) & (solid.colors <= 1)).all()
    if kind in FIXTURES:
        assert high[1] < 0.2
        assert high[2] < 2.4
    else:
        assert -1e-9 <= low[2] < 0.09
        assert (high - low < (2.6, 2.9, 2.2)).all()


def test_kinds_differ_in_height_and_fabrics_take_the_color_of_the_room() -> None:
    tall = {kind: build(CLOTH, WOOD, CORNERS[2]).triangles[..., 2].max() for kind, build in FURNITURE.items()}
    assert tall["rug"] < 0.05 < tall["table"] < tall["wardrobe"]
    assert tall["chair"] < tall["lamp"]
    for kind in ("bed", "sofa", "chair", "rug"):
        colors = FURNITURE[kind](CLOTH, WOOD, CORNERS[0]).colors
        assert (colors == CLOTH).all(axis=1).any(), kind
