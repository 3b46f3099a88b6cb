"""How many scans a JPEG has, whatever its bytes try to hide."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from likeness.io.jpeg_scans import count_scans, has_more_scans


def _jpeg(photo: Callable[..., Image.Image], **options) -> bytes:
    buffer = io.BytesIO()
    photo(64, 48).save(buffer, "JPEG", **options)
    return buffer.getvalue()


def test_usual_files(photo) -> None:
    assert count_scans(_jpeg(photo)) == 1
    assert count_scans(_jpeg(photo, progressive=True)) == 10  # the script of libjpeg for color
    assert count_scans(_jpeg(lambda *size: photo(*size).convert("L"), progressive=True)) == 6


@pytest.mark.parametrize("scans", [2, 7, 300])
def test_as_many_as_were_written_and_pillow_decodes_them(progressive_jpeg, scans: int) -> None:
    content = progressive_jpeg(40, 24, scans)
    assert count_scans(content) == scans
    with Image.open(io.BytesIO(content)) as image:
        assert np.ptp(np.asarray(image)) == 0


def test_scans_of_an_embedded_picture_and_what_follows_the_end_do_not_count(photo, progressive_jpeg) -> None:
    embedded = progressive_jpeg(16, 16, 300)
    content = _jpeg(photo, comment=embedded)
    assert content.count(b"\xff\xda") > 300
    assert count_scans(content) == 1
    assert not has_more_scans(content, 1)
    assert has_more_scans(embedded, 299)
    assert not has_more_scans(embedded, 300)
    assert not has_more_scans(b"\x89PNG" + embedded)
    assert count_scans(_jpeg(photo) + embedded) == 1


def test_fill_bytes_restarts_and_a_marker_that_means_nothing_hide_no_scans(progressive_jpeg) -> None:
    content = progressive_jpeg(16, 16, 20)
    assert count_scans(content.replace(b"\xff\xda", b"\xff\xff\xff\xda")) == 20
    assert count_scans(content.replace(b"\xff\xda", b"\xff\xd0\xff\xda")) == 20
    # a decoder out of step passes over such a marker alone, not over the 16,384 bytes that seem to belong to it
    second = content.index(b"\xff\xda", content.index(b"\xff\xda") + 2)
    assert count_scans(content[:second] + b"\xff\x02\x40\x00" + content[second:]) == 20


@pytest.mark.parametrize("content", [b"", b"\xff\xd8", b"\xff\xd8\xff", b"\xff\xd8\xff\xda", b"\xff\xd8\xff\xe0\xff\xff"])
def test_what_breaks_off(content: bytes) -> None:
    assert count_scans(content) == content.count(b"\xff\xda")
