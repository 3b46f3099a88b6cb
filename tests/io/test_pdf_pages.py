"""Pages of PDF files as images."""

from pathlib import Path

import pytest

from foreign_files import LEFT, RIGHT, empty_pdf, write_pdf
from likeness.io import UnreadableImageError, count_parts, read_image


def test_each_page_is_an_image_of_the_same_longer_side(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf")
    assert count_parts([tmp_path / "a.pdf"]) == [2]
    first, second = (read_image(tmp_path / f"a.pdf#page={page}") for page in (1, 2))
    assert (first.size, second.size) == ((1024, 768), (512, 1024))
    for page in (first, second):
        assert page.getpixel((10, 10)) == pytest.approx(LEFT, abs=5)
        assert page.getpixel((page.width - 10, page.height - 10)) == pytest.approx(RIGHT, abs=5)
    assert read_image(tmp_path / "a.pdf").tobytes() == first.tobytes()


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf")
    for page in (0, 3):
        with pytest.raises(UnreadableImageError, match=rf"'a\.pdf' has no page {page}; it has 2\."):
            read_image(tmp_path / f"a.pdf#page={page}")


@pytest.mark.parametrize("size", [(14_000, 1), (14_000, 14_000), (1_000_000, 1_000_000), (1, 1)])
def test_odd_pages(tmp_path: Path, size: tuple[int, int]) -> None:
    (tmp_path / "a.pdf").write_bytes(empty_pdf(*size))
    image = read_image(tmp_path / "a.pdf")
    assert max(image.size) == 1024
    assert image.getpixel((0, 0)) == (255, 255, 255)
