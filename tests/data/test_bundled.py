"""The bundled dataset, and the way from a name to a table."""

import hashlib
from pathlib import Path

import pytest

from likeness.data import bundled, bundled_images, read_dataset
from likeness.errors import InputError

COLUMNS = [
    "path",
    "body_type",
    "car_color",
    "background_color",
    "viewpoint",
    "camera_height",
    "distance_name",
    "sun_side",
    "sun_height",
    "yaw",
    "elevation",
    "distance",
    "sun_azimuth",
    "sun_elevation",
    "car_hue",
    "car_saturation",
    "car_value",
    "background_hue",
    "background_saturation",
    "background_value",
    "sha256",
]


def test_synthetic_cars_are_whole() -> None:
    table = bundled_images()
    assert len(table) == 2000
    assert list(table.frame.columns) == COLUMNS
    assert table.attributes == COLUMNS[1:-1]
    assert all(path.is_file() for path in table.paths())
    assert not table.frame.isna().any().any()
    assert table.frame["sha256"][17] == hashlib.sha256(table.paths()[17].read_bytes()).hexdigest()


def test_the_shipped_images_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "assets_dir", lambda: tmp_path)
    with pytest.raises(InputError, match=r"bundled images are not in .*; install the package again, or make them with `likeness render`"):
        bundled_images()
    (tmp_path / "synthetic_cars").mkdir()
    (tmp_path / "synthetic_cars" / "attributes.csv").write_text("path\nimages/0.webp\n")
    with pytest.raises(InputError, match=r"bundled image '0\.webp' is missing"):
        bundled_images()


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
        ("nowhere", "There is no dataset 'nowhere'; give 'cars', synthetic-poses, synthetic-rooms, captioned-cars, a folder"),
        ("nowhere.csv", "There is no file 'nowhere.csv'"),
    ],
)
def test_no_such_source(source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_dataset(source)


def test_a_picture_is_no_dataset(tmp_path: Path) -> None:
    (tmp_path / "1.png").touch()
    with pytest.raises(InputError, match=r"'1\.png' is not one of \.csv"):
        read_dataset(tmp_path / "1.png")
