"""The contact sheet shows the first pictures, with their layouts on request."""

import numpy as np

from experiments.renders.rooms import SURFACE_RGB, contact_sheet, draw, sample_rooms
from experiments.renders.rooms.contact_sheet import tinted

FIRST = draw(sample_rooms(1).iloc[0].to_dict(), 40)


def test_sheet_holds_the_pictures_on_white() -> None:
    sheet = np.asarray(contact_sheet(columns=2, size=40, rows=2))
    assert sheet.shape == (104, 104, 3)
    np.testing.assert_array_equal(sheet[8:48, 8:48], FIRST.pixels)
    assert (sheet[:8] == 255).all()


def test_tints_follow_the_layout() -> None:
    sheet = np.asarray(contact_sheet(columns=1, size=40, rows=1, layouts=True))[8:48, 8:48]
    np.testing.assert_array_equal(sheet, tinted(FIRST))
    border = (sheet == 255).all(axis=2)
    change = FIRST.layout[:, 1:] != FIRST.layout[:, :-1]
    assert border[:, 1:][change].all()
    assert border.mean() < 0.2
    expected = (0.6 * FIRST.pixels + 0.4 * SURFACE_RGB[FIRST.layout]).astype(int)
    assert abs(sheet.astype(int) - expected)[~border].max() <= 1
