import io

import numpy as np
import pytest
from PIL import Image

from likeness.plots.linked_map import MapPanel, coloring_of
from likeness.plots.linked_map.coloring import Coloring
from likeness.plots.linked_map.still import saved_style, still_png

CORNERS = np.array([[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
SCALE = 0.92 * 200  # px a unit of the frame [-1, 1]
BLUE, ORANGE, GREEN, MAGENTA = (37, 89, 176), (223, 145, 26), (43, 150, 103), (222, 80, 252)


def picture(positions: np.ndarray, coloring: Coloring, panels: int = 1, selected: np.ndarray | None = None) -> Image.Image:
    png = still_png([MapPanel("One", positions), MapPanel("Two", -positions)][:panels], coloring, len(positions), selected)
    assert len(png) < 150_000
    return Image.open(io.BytesIO(png)).convert("RGB")


def at(image: Image.Image, x: float, y: float, panel: int = 0) -> np.ndarray:
    return np.array(image.getpixel((round(panel * 412 + 200 + SCALE * x), round(26 + 200 - SCALE * y))))


def near(color: np.ndarray, wanted: tuple[int, int, int], tolerance: int = 45) -> bool:
    return bool(np.abs(color - wanted).max() <= tolerance)


@pytest.mark.parametrize("n", [400, 60_000])
def test_the_points_lie_where_the_map_shows_them_in_their_colors(n: int) -> None:
    classes = np.arange(n) % 4
    spread = 0.1 * np.random.default_rng(0).random((n, 2)) * (np.arange(n) > 3)[:, None]
    image = picture(CORNERS[classes] * (1 - spread), coloring_of("class", np.array(list("abcd"))[classes]), panels=2)
    inner = 0.95
    for corner, color in zip(CORNERS, [BLUE, ORANGE, GREEN, MAGENTA], strict=True):
        assert near(at(image, *(inner * corner)), color)
        assert near(at(image, *(-inner * corner), panel=1), color)
    assert tuple(at(image, 0, 0)) == (255, 255, 255)


def test_rows_outside_the_selection_fade_a_later_row_lies_over_an_earlier_one_and_many_mix() -> None:
    image = picture(CORNERS, coloring_of("class", list("abcd")), selected=np.array([2]))
    assert near(at(image, -1, -1), GREEN)
    assert at(image, -1, 1).min() > 150
    assert tuple(at(image, -1, 1)) != (255, 255, 255)
    positions = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [-1.0, -1.0]])
    assert near(at(picture(positions, coloring_of("class", list("abaa"))), 0, 0), ORANGE)
    # dense classes mix to their mean
    n = 40_000
    positions = np.zeros((n, 2))
    positions[-2:] = [[1, 1], [-1, -1]]
    mixed = at(picture(positions, coloring_of("class", np.array(["a", "b"])[np.arange(n) % 2])), 0, 0)
    # a quarter of the pixel of the page is covered, since it is drawn at twice the size
    assert near(mixed, tuple(int(255 * 0.75 + 0.25 * (a + b) / 2) for a, b in zip(BLUE, ORANGE, strict=True)), 12)


def test_rows_without_a_place_and_white_points() -> None:
    positions = np.array([[np.nan, np.nan], [1.0, 1.0], [-1.0, -1.0]])
    image = picture(positions, coloring_of("color", ["red", "white", "white"], "colors", {"red": "#ff0000", "white": "#ffffff"}))
    assert at(image, 1, 1).max() < 240
    assert not any(near(at(image, x, y), (255, 0, 0)) for x, y in ((0, 0), (1, 1), (-1, -1)))


def test_scales_have_a_picture_and_the_style_names_one_output_only() -> None:
    for kind, height in (("number", 454), ("angle", 454), ("none", 426)):
        assert picture(CORNERS, coloring_of("height", np.arange(4.0), kind)).size == (400, height)  # type: ignore[arg-type]
    style = saved_style("abc", "QUJD")
    assert style.startswith('<style class="likeness-still-abc">')
    assert style.count("url(data:image/png;base64,QUJD)") == 1
    assert ".jp-OutputArea-output:not(:has(*))" in style
