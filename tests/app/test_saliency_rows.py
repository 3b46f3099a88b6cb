"""Columns, captions and colors of the saliency page."""

import numpy as np
import pytest

from likeness.saliency import Saliency
from pages.saliency import rows as saliency_rows
from pages.saliency.rows import Look

PLAIN = {"percentile": 100.0, "blur": 0.0, "over_image": False}
BLUE, YELLOW = (0, 40, 105), (255, 233, 70)


def _found(name: str, hot: tuple[int, int]) -> Saliency:
    """Two images of 4 x 4 pixels whose only salient pixel is `hot`."""
    sums = np.zeros((2, 4, 4), np.float32)
    sums[:, *hot] = 3
    return Saliency(name, sums, np.full((2, 4, 4, 3), 100, np.uint8), 100.0)


NOTION, RAW = _found("car color", (1, 2)), _found("Raw encoder", (3, 0))


@pytest.mark.parametrize(
    ("found", "maps", "differences", "expected"),
    [
        ([RAW], False, True, ["Image", "Raw encoder"]),
        ([NOTION, RAW], False, True, ["Image", "Car color − Raw encoder"]),
        ([NOTION, RAW], True, False, ["Image", "Raw encoder", "Car color"]),
        ([NOTION, RAW], True, True, ["Image", "Raw encoder", "Car color", "Car color − Raw encoder"]),
    ],
)
def test_each_column_has_a_title(found: list[Saliency], maps: bool, differences: bool, expected: list[str]) -> None:
    look = Look(maps, differences, **PLAIN)
    assert saliency_rows.titles(found, look) == expected
    rows = saliency_rows.rows(found, ["a", "b"], None, look)
    assert [row.name for row in rows] == ["a", "b"]
    assert {len(row.pictures) for row in rows} == {len(expected)}
    assert {picture.caption for row in rows for picture in row.pictures} == {""}


def test_more_attention_is_yellow_less_is_blue_and_equal_is_grey() -> None:
    shown, equal = (saliency_rows.rows([found, RAW], ["a", "b"], None, Look(False, True, **PLAIN))[0].pictures[1].pixels for found in (NOTION, RAW))
    assert (tuple(shown[1, 2]), tuple(shown[3, 0])) == (YELLOW, BLUE)
    assert np.ptp(shown[0, 0].astype(int)) < 5
    assert np.ptp(equal.astype(int), axis=-1).max() < 5


def test_captions_say_how_much_lies_on_the_car() -> None:
    masks = np.zeros((3, 4, 4), bool)
    masks[0, :2] = True  # the notion's pixel is on the first car, not on the second
    rows = saliency_rows.rows([NOTION, RAW], ["a", "b", "c"], masks, Look(True, True, **PLAIN))
    captions = ["car: 50% of the picture", "0% on the car", "100% on the car", "100% of the yellow on the car"]
    assert [picture.caption for picture in rows[0].pictures] == captions
    assert rows[1].pictures[2].caption == "0% on the car"
    assert [row.name for row in rows] == ["a", "b"]  # of a stopped run what is done
