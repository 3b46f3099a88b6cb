"""The way from what a person names to a table."""

from pathlib import Path

import pytest

from likeness.data import read_dataset
from likeness.errors import InputError


def test_each_kind_of_source(tmp_path: Path) -> None:
    (tmp_path / "1.png").touch()
    (tmp_path / "labels.csv").write_text("where\n1.png\n")
    assert read_dataset("cars").name == "Synthetic Cars"
    assert read_dataset(tmp_path).name == tmp_path.name
    assert read_dataset(str(tmp_path), name="Mine").name == "Mine"
    assert read_dataset(tmp_path / "labels.csv", path_column="where", name="Listed").name == "Listed"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "No images are named; give 'cars'"),
        ("  ", "No images are named; give 'cars'"),
        ("nowhere", "There is no dataset 'nowhere'; give cars, caltech101, captioned-cars, synthetic-poses, synthetic-rooms, a folder"),
        ("nowhere.csv", "There is no file 'nowhere.csv'"),
    ],
)
def test_no_such_source(source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_dataset(source)
