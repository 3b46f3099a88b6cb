"""Pictures: determinism, layouts that only the room changes, and surfaces seen in the pixels."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.renders.rooms import ATTRIBUTES, LISTS, SURFACES, draw, room_layout, sample_rooms, write_dataset
from experiments.renders.rooms.scene import room_of
from likeness.errors import InputError

Row = dict[Any, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return sample_rooms(40, seed=5).to_dict("records")


def test_files_hold_the_layouts(tmp_path: Path) -> None:
    write_dataset(tmp_path, 3, seed=2, size=48)
    table = pd.read_csv(tmp_path / "attributes.csv")
    assert list(table.columns) == ["path", "layout", *ATTRIBUTES]
    assert list(table.layout[:2]) == ["layouts/00000.png", "layouts/00001.png"]
    for row in table.to_dict("records"):
        layout = Image.open(tmp_path / row["layout"])
        assert layout.mode == "L"
        np.testing.assert_array_equal(np.asarray(layout), draw(row, 48).layout)


def test_layouts_are_those_of_the_empty_room(rows: list[Row]) -> None:
    for row in rows[:6]:
        full, empty = draw(row, 48), draw(row | {"furniture": "nothing", "fixtures": "nothing"}, 48)
        np.testing.assert_array_equal(full.layout, empty.layout)
        np.testing.assert_array_equal(full.layout, room_layout(room_of(row), 48))
        assert full.layout.dtype == np.uint8
        assert not empty.hidden.any()


def test_furniture_hides_a_part_of_the_layout(rows: list[Row]) -> None:
    hidden = np.array([draw(row, 48).hidden.mean() for row in rows])
    assert 0.08 < np.median(hidden) < 0.35
    assert hidden.max() < 0.75


def test_colors_change_pixels_but_no_layout_and_no_place(rows: list[Row]) -> None:
    looks = {"wall_color": "maroon", "center_wall_color": "teal", "floor_color": "black", "ceiling_color": "olive", "furniture_color": "lime"}
    for row in rows[:4]:
        before, after = draw(row, 48), draw(row | looks, 48)
        np.testing.assert_array_equal(before.layout, after.layout)
        np.testing.assert_array_equal(before.hidden, after.hidden)
        assert (before.pixels != after.pixels).mean() > 0.5


def test_surfaces_have_the_color_of_their_word(rows: list[Row]) -> None:
    """A dark floor, a white ceiling and an orange center wall between navy walls are seen where the layout says."""
    looks = {"wall_color": "navy", "center_wall_color": "orange", "floor_color": "black", "ceiling_color": "white"}
    plain = {"wall_pattern": "plain", "floor_pattern": "plain", "furniture": "nothing", "fixtures": "nothing"}
    for row in rows[:5]:
        picture = draw(row | looks | plain, 64)
        mean = {
            name: picture.pixels[picture.layout == value].mean(axis=0) for name, value in SURFACES.items() if (picture.layout == value).sum() > 30
        }
        assert mean["floor"].max() < 75
        assert mean["ceiling"].min() > 110
        assert mean["center wall"][0] > mean["center wall"][2] + 20
        for name in mean.keys() & {"left wall", "right wall"}:
            assert mean[name][2] > mean[name][0] + 10


def test_walls_of_one_color_differ_by_their_light(rows: list[Row]) -> None:
    plain = {"wall_color": "silver", "center_wall_color": "silver", "wall_pattern": "plain", "furniture": "nothing", "fixtures": "nothing"}
    steps = []
    for row in rows[:10]:
        picture = draw(row | plain, 64)
        gray, layout = picture.pixels.mean(axis=2), picture.layout.astype(int)
        border = (layout[:, 1:] != layout[:, :-1]) & (layout[:, 1:] <= 3) & (layout[:, :-1] <= 3)
        inside = (layout[:, 1:] == layout[:, :-1]) & (layout[:, 1:] <= 3)
        change = abs(np.diff(gray, axis=1))
        if border.any():
            steps.append(change[border].mean() / change[inside].mean())
    assert np.median(steps) > 3, "the corner shows"


def test_another_variant_moves_things(rows: list[Row]) -> None:
    row = rows[0] | {"furniture": "bed, wardrobe, plant"}
    assert (draw(row, 48).hidden != draw(row | {"variant": 99}, 48).hidden).any()


@pytest.mark.parametrize("name", LISTS)
def test_unknown_things_are_refused(rows: list[Row], name: str) -> None:
    with pytest.raises(InputError, match=f'The {name} "piano" is unknown: use one of {LISTS[name][0]}, '):
        draw(rows[0] | {name: f"{LISTS[name][0]}, piano"})


def test_other_bad_rows_are_refused(rows: list[Row]) -> None:
    with pytest.raises(InputError, match=r"camera_side=9.0.* is not inside the room: move it"):
        draw(rows[0] | {"camera_side": 9.0})
