"""Maps compared, and maps as pictures."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.saliency import Saliency, blurred, difference, difference_picture, difference_shares, enlarged, figure, map_picture, mass_share, overlay


def test_maps_get_lighter_with_attention_and_differences_are_blue_grey_yellow() -> None:
    colors = map_picture(np.linspace(0, 1, 101)[None])
    lightness = colors[0] @ np.array([0.299, 0.587, 0.114])
    assert colors.dtype == np.uint8
    assert colors.shape == (1, 101, 3)
    assert (np.diff(lightness) > 0).all()
    np.testing.assert_array_equal(map_picture(np.array([[0.5]])), difference_picture(np.array([[0.0]])))
    blue, gray, yellow = difference_picture(np.array([[[-1.0, 0, 1]]]))[0, 0].astype(int)
    assert blue[2] > blue[0] + 50
    assert np.ptp(gray) < 5
    assert min(yellow[:2]) > yellow[2] + 100
    large = enlarged(np.arange(6, dtype=np.uint8).reshape(1, 1, 2, 3), 2)
    assert large[0, :, :, 0].tolist() == [[0, 0, 3, 3], [0, 0, 3, 3]]


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *[(lambda value=value: difference_picture(np.array([[value]])), "colors are for -1 to 1; scale them first") for value in (1.2, -1.1, np.nan)],
        *[(lambda value=value: map_picture(np.array([[value]])), "colors are for 0 to 1") for value in (1.2, -0.1, np.nan)],
        *[(lambda rows=rows: figure(rows, ["image", "map"]), "do not fit 2 titles") for rows in ([], [[np.zeros((2, 2, 3), np.uint8)]])],
        (lambda: blurred(np.zeros((2, 21, 21)), -1), "cannot be blurred by -1 pixels"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


PIXELS = np.zeros((1, 2, 2, 3), np.uint8)


def _saliency(sums: list[list[float]], name: str = "a", pixels: np.ndarray = PIXELS) -> Saliency:
    return Saliency(name, np.array([sums], dtype=np.float32), pixels, percentile=100)


def test_positive_is_where_the_first_looks_more_with_shares_of_both_signs() -> None:
    a, b = _saliency([[0, 1], [2, 4]]), _saliency([[1, 3], [5, 1]], "b")
    assert difference(a, b)[0] == pytest.approx(np.array([[0, 0.25 - 0.5], [0.5 - 1, 1]]))
    assert difference(b, a) == pytest.approx(-difference(a, b))
    assert not difference(a, a).any()
    differences = np.array([[[0.5, -0.2], [-0.6, 0.1]]])
    more, less = difference_shares(differences, np.array([[[True, True], [False, False]]]))
    assert more == pytest.approx([0.5 / 0.6])
    assert less == pytest.approx([0.2 / 0.8])


def test_unusable_maps_and_masks_are_refused() -> None:
    a = _saliency([[0, 1], [2, 4]])
    small = Saliency("small", np.zeros((1, 1, 2), np.float32), PIXELS[:, :1])
    with pytest.raises(InputError, match=r"'a' and 'small' have shapes \(1, 2, 2\) and \(1, 1, 2\); compare spaces of one encoder"):
        difference(a, small)
    with pytest.raises(InputError, match="'a' and 'b' show different images"):
        difference(a, _saliency([[0, 1], [2, 4]], "b", PIXELS + 1))
    with pytest.raises(InputError, match=r"shape \(1, 2, 2\) and the masks \(1, 2, 3\)"):
        mass_share(np.ones((1, 2, 2)), np.ones((1, 2, 3), bool))
    with pytest.raises(InputError, match=r"negative values, down to -0\.3"):
        mass_share(np.array([[[1, -0.3]]]), np.ones((1, 1, 2), bool))


def test_share_by_hand_and_of_a_map_without_preference() -> None:
    maps = np.array([[[1.0, 2], [3, 4]], [[0, 0], [0, 5]], [[0, 0], [0, 0]]])
    masks = np.array([[[True, False], [False, True]]] * 3)
    assert mass_share(maps, masks) == pytest.approx([0.5, 1, np.nan], nan_ok=True)
    masks = np.random.default_rng(0).random((4, 20, 30)) < 0.3
    assert mass_share(np.full((4, 20, 30), 0.2, np.float32), masks) == pytest.approx(masks.mean((1, 2)))
    assert mass_share(np.ones((4, 20, 30)), ~masks) == pytest.approx(1 - masks.mean((1, 2)))
