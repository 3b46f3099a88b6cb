"""The contact sheet shows every viewpoint and as many colors as it can."""

import numpy as np

from experiments.renders.cars import CAMERA_HEIGHTS, VIEWPOINTS, contact_sheet, render_scene, sample_scenes
from experiments.renders.cars.contact_sheet import varied_rows


def test_rows_are_varied_and_not_repeated() -> None:
    frame = sample_scenes(400, seed=1)
    rows = varied_rows(frame, 10)
    assert rows.index.is_unique
    assert set(rows.viewpoint) == set(VIEWPOINTS)
    assert set(rows.camera_height) == set(CAMERA_HEIGHTS)
    assert rows.car_color.nunique() == 10
    assert len(varied_rows(frame.head(3), 10)) == 3


def test_sheet_holds_the_pictures_on_white() -> None:
    sheet = np.asarray(contact_sheet(columns=2, size=48))
    frame = sample_scenes(2000, seed=0)
    first = varied_rows(frame[frame.body_type == "sedan"], 2).iloc[0].to_dict()
    np.testing.assert_array_equal(sheet[20:68, 128:176], render_scene(first, 48))
    assert (sheet[:5] == 255).all()
