"""A picture and its copies are alike pixel by pixel, other pictures are not; and the suggested line follows that."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageEnhance

import likeness as lk
from likeness.data import read_cars
from likeness.duplicates import ALIKE, ALTERATIONS, look_alike, near_copies, pixel_correlation, precise_threshold, suggest_threshold
from likeness.io import read_image


def _saved(quality: int) -> Callable[[Image.Image], Image.Image]:
    def save(image: Image.Image) -> Image.Image:
        content = io.BytesIO()
        image.save(content, "JPEG", quality=quality)
        return Image.open(content).convert("RGB")

    return save


def _smaller(image: Image.Image) -> Image.Image:
    return image.resize((image.width * 2 // 3, image.height * 2 // 3))


def _cropped(image: Image.Image) -> Image.Image:
    left, top = round(0.03 * image.width), round(0.03 * image.height)
    return image.crop((left, top, image.width - left, image.height - top))


WAYS = {"saved": _saved(70), "smaller": _smaller, "cropped": _cropped}  # none of which the line is measured by


def _cars(folder: Path, count: int, planted: int) -> lk.Space:
    """Some of the shipped cars, and copies of the first of them, called as their original and how they came about."""
    folder.mkdir()
    paths = read_cars().paths()[:: 2000 // count][:count]
    for number, path in enumerate(paths):
        image = read_image(path)
        image.save(folder / f"{number:04d}.png")
        if number < planted:
            way = list(WAYS)[number % len(WAYS)]
            WAYS[way](image).save(folder / f"{number:04d}_{way}.png")
    return lk.embed(lk.read(folder), "cars")


def _judged(space: lk.Space, threshold: float) -> tuple[int, int]:
    """Pairs from a threshold on, and how many of them are planted copies."""
    names = [Path(path).stem.partition("_")[0] for path in space.table.frame["path"]]
    pairs = near_copies(space, threshold).rows
    return len(pairs), sum(names[first] == names[second] for first, second in pairs.tolist())


def test_copies_are_alike_and_flat_pictures_too(photo: Callable[..., Image.Image]) -> None:
    first, second = photo(90, 60, seed=1), photo(90, 60, seed=2)
    soft = [each.resize((9, 6)).resize((90, 60)) for each in (first, second)]
    for alter in (*ALTERATIONS.values(), *WAYS.values()):
        assert pixel_correlation(soft[0], alter(soft[0])) > ALIKE
        assert pixel_correlation(alter(soft[0]), soft[0]) == pytest.approx(pixel_correlation(soft[0], alter(soft[0])))
    assert pixel_correlation(soft[0], soft[0]) == pytest.approx(1)
    assert pixel_correlation(*soft) < 0.6
    assert pixel_correlation(soft[0], Image.eval(soft[0], lambda value: 255 - value)) < 0
    assert pixel_correlation(Image.new("RGB", (5, 5), "red"), Image.new("RGB", (8, 5), "blue")) == pytest.approx(1)
    assert pixel_correlation(soft[0], ImageEnhance.Contrast(soft[0]).enhance(1.3)) > ALIKE


def test_pictures_that_cannot_be_read_are_left_out(tmp_path: Path, photo: Callable[..., Image.Image]) -> None:
    for number in range(3):
        photo(40, 30, seed=number // 2).save(tmp_path / f"{number}.png")
    table = lk.read(tmp_path)
    (tmp_path / "2.png").write_bytes(b"no picture")
    alike, is_read = look_alike(table, np.array([[0, 1], [0, 2]]))
    assert (alike.tolist(), is_read.tolist()) == ([True, False], [True, False])


@pytest.mark.parametrize(
    ("alike", "expected"),
    [
        ("11110", (0.6 + 0.5) / 2),
        ("11111", 0.3),
        ("00000", 0.9 + 1e-4),
        ("01111", 0.9 + 1e-4),  # four of five are not nearly all
        ("1" * 40 + "0" * 2, None),
        ("1" * 400 + "0" * 20 + "1", None),  # of the last ten above the line, most are to be copies
    ],
)
def test_the_line_lies_where_nearly_all_above_it_are_copies(alike: str, expected: float | None) -> None:
    is_copy = np.array([sign == "1" for sign in alike])
    similarities = (np.linspace(0.9, 0.5, len(alike)) if expected is None else 0.9 - 0.1 * np.arange(len(alike))).astype(np.float32)
    found = precise_threshold(similarities, is_copy, 0.3)
    if expected is not None:
        assert found == pytest.approx(expected, abs=1e-6)
        return
    above = similarities >= found
    last = alike.index("0") - 1
    assert np.flatnonzero(above)[-1] == last
    assert is_copy[above].mean() >= 0.95


@pytest.mark.parametrize("planted", [0, 24])
def test_planted_copies_of_cars_are_found_and_nothing_else_is(tmp_path: Path, planted: int) -> None:
    space = _cars(tmp_path / "cars", 400, planted)
    found = suggest_threshold(space)
    pairs, right = _judged(space, found.threshold)
    assert right >= 0.9 * pairs
    assert right >= 0.85 * planted
    assert pairs <= 1.1 * planted
    if not planted:
        assert "looks like a copy" in found.message or not found.pairs


def test_photos_without_copies_have_none(tmp_path: Path, shared: Path) -> None:
    """Photos of a set whose most similar pairs are of one scene, and no copies."""
    with zipfile.ZipFile(shared / "data" / "flickr8k_700.zip") as archive:
        for name in sorted(name for name in archive.namelist() if name.endswith(".jpg"))[:150]:
            (tmp_path / Path(name).name).write_bytes(archive.read(name))
    space = lk.embed(lk.read(tmp_path), "photos")
    found = suggest_threshold(space, images=30)
    assert not len(near_copies(space, found.threshold))
    assert found.alike == 0


def test_a_notions_line_is_measured_by_altered_copies_alone(tmp_path: Path) -> None:
    space = _cars(tmp_path / "cars", 60, 0).refit(lk.Notion("paint", "a {} car", ["red", "blue", "white"]))
    assert suggest_threshold(space, images=10).pairs == 0
