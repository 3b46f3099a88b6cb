"""HEIC files: whatever their name is, decoded in a process of their own."""

import io
from pathlib import Path

import pytest
from PIL import Image

from foreign_files import HEIC, LEFT, RIGHT, jpeg
from likeness.io import check_images, read_image
from likeness.io.heif_images import is_heif


def avif() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), RIGHT).save(buffer, "AVIF")
    return buffer.getvalue()


def test_known_by_content() -> None:
    assert is_heif(HEIC)
    assert not any(map(is_heif, (b"", b"ftypheic", avif(), jpeg(), b"\0\0\0\x18ftypqt  ")))


@pytest.mark.parametrize("name", ["a.heic", "a.HIF", "a.jpg"])  # phones and messengers name them as they like
def test_the_picture(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(HEIC)
    image = read_image(tmp_path / name)
    assert (image.mode, image.size) == ("RGB", (64, 48))
    assert image.getpixel((2, 2)) == pytest.approx(LEFT, abs=3)
    assert image.getpixel((60, 40)) == pytest.approx(RIGHT, abs=3)


def test_nothing_here_opens_them_in_this_process_and_pixels_have_a_limit() -> None:
    ((_, _, refused),) = check_images([("a.heic", HEIC)], max_pixels=1_000)
    assert str(refused) == "The image 'a.heic' is 64 x 48 pixels, and 1,000 are allowed; make it smaller."
    with pytest.raises(OSError, match="cannot identify"):
        Image.open(io.BytesIO(HEIC))
