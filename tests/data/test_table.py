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


def test_attributes_leave_out_the_path_and_the_digest(tmp_path: Path) -> None:
    frame = pd.DataFrame({"color": ["red"], "path": ["1.png"], "likeness:sha256": ["0" * 64], "sha256": ["0" * 64], "yaw": [1.5]})
    assert ImageTable("cars", tmp_path, frame).attributes == ["color", "sha256", "yaw"]


def test_no_path_column(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"table 'cars' has no column 'path' but \['file'\]; name the column"):
        ImageTable("cars", tmp_path, pd.DataFrame({"file": ["1.png"]}))


def test_no_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="table 'cars' has no images; choose"):
        ImageTable("cars", tmp_path, pd.DataFrame({"path": []}))


def test_names_of_columns_are_texts_and_each_is_there_once() -> None:
    table = ImageTable("photos", Path(), pd.DataFrame({"path": ["a.jpg"], 2024: ["x"]}))
    assert [table.frame[name][0] for name in table.attributes] == ["x"]
    with pytest.raises(InputError, match="The table 'photos' has the column '2024' twice; rename one of them"):
        ImageTable("photos", Path(), pd.DataFrame([["a.jpg", 1, 2]], columns=["path", 2024, "2024"]))
