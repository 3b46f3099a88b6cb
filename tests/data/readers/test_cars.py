"""The images that ship."""

import hashlib
from pathlib import Path

import pytest

from likeness.data import read_cars
from likeness.data.readers import cars
from likeness.errors import InputError

COLUMNS = [
    *("path", "body_type", "car_color", "background_color", "viewpoint", "camera_height", "distance_name", "sun_side", "sun_height", "yaw"),
    *("elevation", "distance", "sun_azimuth", "sun_elevation", "car_hue", "car_saturation", "car_value", "background_hue", "background_saturation"),
    *("background_value", "likeness:sha256"),
]


def test_synthetic_cars_are_whole() -> None:
    table = read_cars()
    assert len(table) == 2000
    assert list(table.frame.columns) == COLUMNS
    assert table.attributes == COLUMNS[1:-1]
    assert all(path.is_file() for path in table.paths())
    assert not table.frame.isna().any().any()
    assert table.frame["likeness:sha256"][17] == hashlib.sha256(table.paths()[17].read_bytes()).hexdigest()


def test_the_shipped_images_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cars, "assets_dir", lambda: tmp_path)
    with pytest.raises(InputError, match=r"shipped images are not in .*; reinstall the package"):
        read_cars()
    (tmp_path / "synthetic_cars").mkdir()
    (tmp_path / "synthetic_cars" / "attributes.csv").write_text("path\nimages/0.webp\n")
    with pytest.raises(InputError, match=r"shipped image '0\.webp' is missing"):
        read_cars()
