"""Pictures for galleries: few are decoded at once, and none that takes minutes."""

import io
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image, ImageOps

from likeness.data import thumbnail, thumbnails, upright_picture


def _save(path: Path, size: tuple[int, int] = (40, 20), **options) -> Path:
    Image.new("RGB", size, (200, 0, 0)).save(path, **options)
    return path


def test_the_longer_side_has_the_size_and_orientation_counts(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    with Image.open(io.BytesIO(thumbnail(_save(tmp_path / "a.jpg", (400, 200), exif=exif), 64))) as picture:
        assert picture.size == (32, 64)


def test_a_jpeg_is_decoded_at_a_reduced_size_where_that_is_enough(tmp_path: Path) -> None:
    path = _save(tmp_path / "a.jpg", (1600, 800))
    assert upright_picture(path).size == (1600, 800)
    assert upright_picture(path, 200).size == (400, 200)


def test_a_jpeg_of_many_scans_is_not_decoded(tmp_path: Path, progressive_jpeg) -> None:
    (tmp_path / "a.jpg").write_bytes(progressive_jpeg(16, 16, 101))
    for shown in (thumbnail, upright_picture):
        with pytest.raises(OSError, match=r"'a\.jpg' is damaged"):
            shown(tmp_path / "a.jpg")


def test_no_more_are_decoded_at_once_than_there_are_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thumbnails, "_few", threading.BoundedSemaphore(1))
    transpose, inside, both = ImageOps.exif_transpose, [], threading.Event()

    def wait(image: Image.Image) -> Image.Image:
        inside.append(image)
        if len(inside) == 2:
            both.set()
        both.wait(0.5)
        inside.pop()
        return transpose(image)

    monkeypatch.setattr(ImageOps, "exif_transpose", wait)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(thumbnail, [_save(tmp_path / "a.png"), _save(tmp_path / "b.png")]))
    assert not both.is_set()
