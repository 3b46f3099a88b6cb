"""Pictures for galleries: few are decoded at once, and none that takes minutes."""

import io
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from foreign_files import HEIC, write_pdf, write_video
from likeness.data import thumbnail, thumbnails, upright_picture
from likeness.io import images


def _save(path: Path, size: tuple[int, int] = (40, 20), **options) -> Path:
    Image.new("RGB", size, (200, 0, 0)).save(path, **options)
    return path


def test_the_longer_side_has_the_size_and_orientation_counts_of_heic_pages_and_seconds_too(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    _save(tmp_path / "a.jpg", (400, 200), exif=exif)
    (tmp_path / "a.heic").write_bytes(HEIC)
    write_pdf(tmp_path / "a.pdf")
    write_video(tmp_path / "a.mp4")
    for path, size in {"a.jpg": (32, 64), "a.heic": (64, 48), "a.pdf#page=2": (32, 64), "a.mp4#t=1": (64, 48)}.items():
        with Image.open(io.BytesIO(thumbnail(tmp_path / path, 64))) as picture:
            assert picture.size == size
    # a page and a JPEG are decoded at a reduced size where that is enough: at a third of 1,024 x 768, at a fourth
    assert upright_picture(tmp_path / "a.pdf#page=1", 200).size == (342, 256)
    path = _save(tmp_path / "b.jpg", (1600, 800))
    assert (upright_picture(path).size, upright_picture(path, 200).size) == ((1600, 800), (400, 200))


def test_what_is_damaged_or_not_there_is_told_as_an_error_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"damaged")
    for name in ("a.pdf", "a.pdf#page=1", "gone.mp4#t=0"):
        with pytest.raises(OSError, match=r"'a\.pdf.*' is damaged|No such file"):
            thumbnail(tmp_path / name)


def test_no_more_are_decoded_at_once_than_there_are_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thumbnails, "_few", threading.BoundedSemaphore(1))
    convert, inside, both = images.to_rgb, [], threading.Event()

    def wait(image: Image.Image) -> Image.Image:
        inside.append(image)
        if len(inside) == 2:
            both.set()
        both.wait(0.5)
        inside.pop()
        return convert(image)

    monkeypatch.setattr(images, "to_rgb", wait)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(thumbnail, [_save(tmp_path / "a.png"), _save(tmp_path / "b.png")]))
    assert not both.is_set()
