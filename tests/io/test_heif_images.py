"""HEIC files: whatever their name is, decoded in a process of their own."""

import io
from pathlib import Path

import pytest
from PIL import Image

from foreign_files import HEIC, LEFT, RIGHT, jpeg
from likeness.io import UnreadableImageError, check_images, read_image
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


def test_nothing_here_opens_them_in_this_process(tmp_path: Path) -> None:
    (tmp_path / "a.heic").write_bytes(HEIC)
    read_image(tmp_path / "a.heic")
    with pytest.raises(OSError, match="cannot identify"):
        Image.open(io.BytesIO(HEIC))


def test_damage(tmp_path: Path) -> None:
    for place, content in enumerate((HEIC[:100], HEIC[:600], HEIC[:300] + bytes(300) + HEIC[600:])):
        (tmp_path / f"{place}.heic").write_bytes(content)
        with pytest.raises(UnreadableImageError, match="by its content it is not a sound JPEG"):
            read_image(tmp_path / f"{place}.heic")


def test_uploads_are_kept_under_their_format() -> None:
    assert [suffix for *_, suffix in check_images([("a.jpg", HEIC), ("b.heic", avif()), ("c.heic", jpeg())])] == [".heic", ".avif", ".jpg"]


def test_pixels_have_a_limit() -> None:
    ((_, _, refused),) = check_images([("a.heic", HEIC)], max_pixels=1_000)
    assert str(refused) == "The image 'a.heic' is 64 x 48 pixels, and 1,000 are allowed; make it smaller."
