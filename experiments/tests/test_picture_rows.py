from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from PIL.ImageColor import getrgb

from experiments.picture_rows import picture_rows
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.plots.label_pictures import LEFT
from likeness.plots.look import OKABE_ITO

_PLAIN = [(200, 30, 30), (30, 200, 30), (30, 30, 200), (120, 120, 120)]


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    for place, color in enumerate(_PLAIN):
        Image.new("RGB", (20, 20), color).save(tmp_path / f"{place}.png")
    return ImageTable("plain", tmp_path, pd.DataFrame({"path": [f"{place}.png" for place in range(4)]}))


def colors(picture: Image.Image) -> set[tuple[int, ...]]:
    return {tuple(color) for color in np.asarray(picture).reshape(-1, 3)}


def test_all_pictures_are_there_in_rows_and_only_right_ones_have_a_frame(table: ImageTable) -> None:
    right = np.array([False, True, False, False])
    found = colors(picture_rows(table, {"one": [1, 2], "other": [2, 3]}, query=0, texts=list("abcd"), right=right))
    assert {*_PLAIN, getrgb(LEFT), getrgb(OKABE_ITO[2])} <= found
    none = colors(picture_rows(table, {"one": [2, 3]}, query=0, right=right))
    assert getrgb(OKABE_ITO[2]) not in none
    assert getrgb(LEFT) not in colors(picture_rows(table, {"one": [2, 3]}))
    # every row adds to the height, and the query to the width
    one, two = (picture_rows(table, {name: [1, 2, 3] for name in names}, tile=40) for names in ("a", "ab"))
    assert one.width == two.width < picture_rows(table, {"a": [1, 2, 3]}, query=0, tile=40).width
    assert 40 < two.height - one.height < 100


def test_what_does_not_fit_is_refused(table: ImageTable) -> None:
    for rows, texts, message in (
        ([1], ["x", "y"], "There are 4 images and 2 texts or marks"),
        ([], None, "There are no results"),
        ([4], None, "There is no row 4 in a table of 4 images"),
    ):
        with pytest.raises(InputError, match=message):
            picture_rows(table, {"a": rows}, texts=texts)
