"""Raw files of cameras: the preview in them, upright."""

from pathlib import Path

import pytest

from foreign_files import LEFT, dng, exif, jpeg
from likeness.io import UnreadableImageError, read_image


@pytest.mark.parametrize(
    ("orientation", "size", "corner"), [(1, (64, 48), (2, 2)), (3, (64, 48), (61, 45)), (6, (48, 64), (45, 2)), (8, (48, 64), (2, 61))]
)
def test_the_preview_is_turned_upright(tmp_path: Path, orientation: int, size: tuple[int, int], corner: tuple[int, int]) -> None:
    (tmp_path / "a.DNG").write_bytes(dng(orientation))
    image = read_image(tmp_path / "a.DNG")
    assert (image.mode, image.size) == ("RGB", size)
    assert image.getpixel(corner) == pytest.approx(LEFT, abs=3)


def test_an_orientation_of_the_preview_itself_counts_alone(tmp_path: Path) -> None:
    own = exif()
    own[0x0112] = 6
    (tmp_path / "a.dng").write_bytes(dng(6, jpeg(exif=own)))
    assert read_image(tmp_path / "a.dng").getpixel((45, 2)) == pytest.approx(LEFT, abs=3)


@pytest.mark.parametrize("content", [b"", b"no image", dng()[:200], dng(preview=b"no image")], ids=["empty", "text", "cut off", "preview"])
def test_damage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.nef").write_bytes(content)
    with pytest.raises(UnreadableImageError, match=r"'a\.nef' (is damaged|holds no preview)"):
        read_image(tmp_path / "a.nef")
