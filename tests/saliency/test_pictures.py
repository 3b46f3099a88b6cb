import numpy as np
import pytest

from likeness.errors import InputError
from likeness.saliency import blurred, difference_picture, enlarged, figure, map_picture, overlay


def test_maps_get_lighter_with_attention_and_differences_are_blue_grey_yellow() -> None:
    colors = map_picture(np.linspace(0, 1, 101)[None])
    lightness = colors[0] @ np.array([0.299, 0.587, 0.114])
    assert colors.dtype == np.uint8
    assert colors.shape == (1, 101, 3)
    assert (np.diff(lightness) > 0).all()
    np.testing.assert_array_equal(map_picture(np.array([[0.5]])), difference_picture(np.array([[0.0]])))
    blue, grey, yellow = difference_picture(np.array([[[-1.0, 0, 1]]]))[0, 0].astype(int)
    assert blue[2] > blue[0] + 50
    assert np.ptp(grey) < 5
    assert min(yellow[:2]) > yellow[2] + 100


@pytest.mark.parametrize("values", [np.array([[1.2]]), np.array([[-1.1]]), np.array([[np.nan]])])
def test_values_outside_are_refused(values: np.ndarray) -> None:
    with pytest.raises(InputError, match="colors stand for -1 to 1; scale them first"):
        difference_picture(values)
    with pytest.raises(InputError, match="colors stand for 0 to 1"):
        map_picture(values)


def test_an_overlay_goes_from_the_grey_image_to_the_colors() -> None:
    pixels = np.array([[[[255, 0, 0], [0, 0, 255]]]], dtype=np.uint8)
    colors = np.array([[[[0, 40, 105], [255, 233, 70]]]], dtype=np.uint8)
    np.testing.assert_array_equal(overlay(pixels, colors, 0), [[[[76] * 3, [29] * 3]]])
    np.testing.assert_array_equal(overlay(pixels, colors, 1), colors)
    np.testing.assert_array_equal(overlay(pixels, colors, np.array([[[0.0, 1.0]]])), [[[[76] * 3, [255, 233, 70]]]])
    assert overlay(pixels, colors, 0.5)[0, 0, 0].tolist() == [38, 58, 91]


def test_blur_keeps_mass_and_stays_within_each_map() -> None:
    maps = np.zeros((2, 21, 21))
    maps[0, 10, 10] = 1
    soft = blurred(maps, 1.5)
    assert soft[0].sum() == pytest.approx(1)
    assert 0 < soft[0, 10, 12] < soft[0, 10, 10] < 0.2
    assert not soft[1].any()
    assert blurred(maps, 0) is maps
    assert blurred(np.full((1, 4, 4), 0.3), 2) == pytest.approx(np.full((1, 4, 4), 0.3))
    with pytest.raises(InputError, match="can't be blurred by -1 pixels"):
        blurred(maps, -1)


def test_enlarged_by_hand() -> None:
    large = enlarged(np.arange(6, dtype=np.uint8).reshape(1, 1, 2, 3), 2)
    assert large.shape == (1, 2, 4, 3)
    assert large[0, :, :, 0].tolist() == [[0, 0, 3, 3], [0, 0, 3, 3]]


def test_a_figure_holds_every_picture_where_its_title_is() -> None:
    colors = [(10, 200, 30), (200, 10, 30), (30, 10, 200), (99, 180, 250)]
    tiles = [np.full((20, 60, 3), color, np.uint8) for color in colors]
    sheet = np.asarray(figure([tiles[:2], tiles[2:]], ["image", "map"], ["7", "12"]))
    places = [np.argwhere((sheet == color).all(-1)) for color in colors]
    corners = [tuple(place.min(0)) for place in places]
    assert [len(place) for place in places] == [20 * 60] * 4
    assert corners[0][0] == corners[1][0] < corners[2][0] == corners[3][0]
    assert corners[0][1] == corners[2][1] < corners[1][1] == corners[3][1]
    for column in (0, 1):
        above = sheet[: corners[0][0], corners[column][1] : corners[column][1] + 60]
        assert above.min() < 100
    assert sheet[corners[0][0] :, : corners[0][1]].min() < 100


@pytest.mark.parametrize("rows", [[], [[np.zeros((2, 2, 3), np.uint8)]]])
def test_a_figure_without_a_picture_per_title_is_refused(rows: list) -> None:
    with pytest.raises(InputError, match="can't stand under 2 titles"):
        figure(rows, ["image", "map"])
