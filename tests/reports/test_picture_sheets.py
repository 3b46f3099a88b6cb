"""Sheets of small pictures under a bound."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from likeness.errors import InputError
from likeness.reports import ReportOptions
from likeness.reports.picture_sheets import ACROSS, PictureSheets, picture_sheets

Photo = Callable[..., Image.Image]


def _saved(folder: Path, photo: Photo, count: int, width: int = 200, height: int = 150) -> list[Path]:
    paths = [folder / f"{number}.png" for number in range(count)]
    for number, path in enumerate(paths):
        photo(width, height, number).resize((width, height)).save(path)
    return paths


def _tile(sheets: PictureSheets, row: int) -> Image.Image:
    place = row % ACROSS**2
    left, top = sheets.side * (place % ACROSS), sheets.side * (place // ACROSS)
    width, height = sheets.sizes[row]
    with Image.open(BytesIO(sheets.files[row // ACROSS**2])) as sheet:
        return sheet.convert("RGB").crop((left, top, left + width, top + height))


def test_each_picture_stands_in_its_place(tmp_path: Path) -> None:
    colors = [(5 * (n % 50), 255 - 5 * (n % 50), 40 + n // 2) for n in range(300)]
    paths = [tmp_path / f"{number}.png" for number in range(300)]
    for path, color in zip(paths, colors, strict=True):
        Image.new("RGB", (40, 30), color).save(path)
    sheets = picture_sheets(paths, 1_000_000, ReportOptions())
    assert len(sheets.files) == 2
    for row in (0, 17, 255, 256, 299):
        found = np.asarray(_tile(sheets, row), float)
        assert found.shape == (30, 40, 3)
        assert np.abs(found.mean(axis=(0, 1)) - colors[row]).max() < 6


def test_pictures_are_as_large_as_the_bound_allows(tmp_path: Path, photo: Photo) -> None:
    paths = _saved(tmp_path, photo, 60)
    found = {most: picture_sheets(paths, most, ReportOptions()) for most in (600_000, 100_000, 30_000)}
    assert all(sum(map(len, sheets.files)) <= most for most, sheets in found.items())
    large, middle, small = found.values()
    assert 128 == large.side > middle.side > small.side
    assert tuple(large.sizes[0]) == (128, 96)  # its sides in proportion


def test_small_images_stay_as_they_are_and_one_that_is_gone_has_no_picture(tmp_path: Path, photo: Photo) -> None:
    sheets = picture_sheets(_saved(tmp_path, photo, 5, 32, 32), 1_000_000, ReportOptions())
    assert sheets.sizes.tolist() == [[32, 32]] * 5
    assert sheets.side < 48
    paths = _saved(tmp_path, photo, 3)
    paths[1].write_bytes(b"no image")
    sheets = picture_sheets(paths, 1_000_000, ReportOptions())
    assert sheets.sizes[1].tolist() == [0, 0]
    assert (sheets.sizes[[0, 2]] > 0).all()


def test_what_cannot_fit_is_refused_and_a_stop_ends_the_work(tmp_path: Path, photo: Photo) -> None:
    paths = _saved(tmp_path, photo, 40)
    with pytest.raises(InputError, match="show fewer images"):
        picture_sheets(paths, 200, ReportOptions())
    with pytest.raises(InputError, match="stopped"):
        picture_sheets(paths, 1_000_000, ReportOptions(should_stop=lambda: True))
