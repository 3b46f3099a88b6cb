"""The table of images."""

from pathlib import Path

import pandas as pd
import pytest

from likeness.data import ImageTable
from likeness.errors import InputError


def test_rows_are_numbered_from_zero_and_paths_are_absolute(tmp_path: Path) -> None:
    frame = pd.DataFrame({"path": ["a/1.png", "2.png", "3.png"], "color": ["red", "blue", "red"]}, index=[7, 3, 5])
    table = ImageTable("cars", tmp_path, frame.iloc[1:])
    assert len(table) == 2
    assert list(table.frame.index) == [0, 1]
    assert table.paths() == [tmp_path / "2.png", tmp_path / "3.png"]
    assert list(frame.index) == [7, 3, 5]  # the caller's own frame stays as it was


def test_attributes_leave_out_the_path_and_the_digest_and_have_texts_for_names() -> None:
    frame = pd.DataFrame({"color": ["red"], "path": ["1.png"], "likeness:sha256": ["0" * 64], "sha256": ["0" * 64], 2024: ["x"]})
    table = ImageTable("cars", Path(), frame)
    assert table.attributes == ["color", "sha256", "2024"]
    assert table.frame["2024"][0] == "x"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"file": ["1.png"]}, r"table 'cars' has no column 'path', only \['file'\]; pass the name of the column"),
        ({"path": []}, "table 'cars' has no images; choose"),
        ({"path": ["a.jpg"], 2024: [1], "2024": [2]}, "table 'cars' has the column '2024' twice; rename one of them"),
    ],
)
def test_what_is_no_table(columns: dict[object, list[object]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ImageTable("cars", Path(), pd.DataFrame(columns))
