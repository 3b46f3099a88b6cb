"""Formats that are decoded in a process of their own: raw files and HEIC, damage of each, without their package, confined, named in any script."""

import io
import os
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from foreign_files import HEIC, LEFT, RIGHT, dng, empty_pdf, exif, jpeg, pdf_of, write_pdf, write_video
from hostile_images import changed_decoder
from likeness.errors import InputError
from likeness.io import TransientError, UnreadableImageError, check_images, confine, count_parts, foreign_images, read_image, text_to_name
from likeness.io.decoder_pool import DecoderPool
from likeness.io.file_formats import is_heif
from likeness.io.file_parts import MOST_PARTS

_NOTHING_INSTALLED = "sys.modules.update(dict.fromkeys(('pi_heif', 'pillow_heif', 'rawpy', 'pypdfium2', 'cv2')))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.heic").write_bytes(HEIC)
    (tmp_path / "a.dng").write_bytes(dng())
    write_pdf(tmp_path / "a.pdf")
    write_video(tmp_path / "a.mp4")
    return tmp_path


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Lets files be decoded by another program: `pool("what is run before it")`."""
    made = []

    def make(before: str) -> None:
        made.append(DecoderPool(1, changed_decoder(tmp_path, before)))
        monkeypatch.setattr(foreign_images, "_files", made[-1])

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("a.heic", "pi-heif", "photos"),
        ("a.dng", "rawpy", "photos"),
        ("a.pdf#page=1", "pypdfium2", "photos"),
        ("a.mp4#t=0", "opencv-python-headless", "videos"),
    ],
)
def test_a_package_that_is_missing_is_named_and_may_come_later(folder: Path, pool, name: str, package: str, extra: str) -> None:
    pool(_NOTHING_INSTALLED)
    with pytest.raises(TransientError) as caught:
        read_image(folder / name)
    assert not isinstance(caught.value, UnreadableImageError)
    file = name.partition("#")[0]
    assert str(caught.value) == f"The image '{file}' needs the package {package}; install it with `pip install 'likeness[{extra}]'`."


def test_parts_that_cannot_be_counted(folder: Path, pool) -> None:
    pool(_NOTHING_INSTALLED)
    assert all(isinstance(count, InputError) for count in count_parts([folder / "a.pdf", folder / "a.mp4"]))


@pytest.mark.parametrize(
    ("instead", "reason"),
    [
        ("[None for _ in iter(int, 1)]", "takes too long to decode; remove it"),
        ("bytearray(4 << 30)", "takes too much memory to decode; make it smaller"),
        ("sys.exit(1)", "crashed its decoder; remove it"),
        ("1 / 0", "is damaged, encrypted or of another kind (division by zero); remove it"),
    ],
    ids=["time", "memory", "end", "error"],
)
def test_a_hostile_page_ends_in_a_sentence_and_the_next_is_read(folder: Path, pool, instead: str, reason: str) -> None:
    limits = "decoder_limits._SECONDS = decoder_limits._SECONDS_PER_PIXEL = 0"
    change = f"page = file_formats.pdf_page\nfile_formats.pdf_page = lambda path, number: {instead} if number == 2 else page(path, number)"
    pool(f"{limits}\n{change}")
    for _ in range(2):
        with pytest.raises(UnreadableImageError) as caught:
            read_image(folder / "a.pdf#page=2")
        assert str(caught.value).startswith(f"The image 'a.pdf' {reason}")
        assert read_image(folder / "a.pdf#page=1").size == (1024, 768)


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


def avif() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), RIGHT).save(buffer, "AVIF")
    return buffer.getvalue()


def test_heic_is_known_by_content() -> None:
    assert is_heif(HEIC)
    assert not any(map(is_heif, (b"", b"ftypheic", avif(), jpeg(), b"\0\0\0\x18ftypqt  ")))


@pytest.mark.parametrize("name", ["a.heic", "a.HIF", "a.jpg"])  # phones and messengers name them as they like
def test_the_picture_of_heic(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(HEIC)
    image = read_image(tmp_path / name)
    assert (image.mode, image.size) == ("RGB", (64, 48))
    assert image.getpixel((2, 2)) == pytest.approx(LEFT, abs=3)
    assert image.getpixel((60, 40)) == pytest.approx(RIGHT, abs=3)


def test_nothing_here_opens_heic_in_this_process_and_pixels_have_a_limit() -> None:
    ((_, _, refused),) = check_images([("a.heic", HEIC)], max_pixels=1_000)
    assert str(refused) == "The image 'a.heic' is 64 x 48 pixels, more than the limit of 1,000; make it smaller."
    with pytest.raises(OSError, match="cannot identify"):
        Image.open(io.BytesIO(HEIC))


_NO_IMAGE = "its content is not a valid JPEG"
DAMAGE = [
    *[("a.heic", content, _NO_IMAGE) for content in (HEIC[:100], HEIC[:600], HEIC[:300] + bytes(300) + HEIC[600:])],
    *[("a.nef", content, "(is damaged|has no readable preview)") for content in (b"", b"no image", dng()[:200], dng(preview=b"no image"))],
    *[("a.pdf", content, "is damaged, encrypted or of another kind") for content in (b"", b"no PDF", b"%PDF-1.7\n")],
    *[("a.mp4", content, "is (not a|a damaged) video") for content in (b"", b"no video", b"\0\0\0\x18ftypmp42" + bytes(5000))],
]


@pytest.mark.parametrize(("name", "content", "said"), DAMAGE)
def test_damage_is_told_and_parts_of_it_cannot_be_counted(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnreadableImageError, match=rf"'{name}' .*{said}"):
        read_image(tmp_path / name)
    if name in ("a.pdf", "a.mp4"):
        assert isinstance(count_parts([tmp_path / name])[0], InputError)


def test_links_that_lead_out_of_the_folders_are_not_followed(folder: Path) -> None:
    (folder / "open").mkdir()
    for name in ("a.heic", "a.dng", "a.pdf", "a.mp4"):
        (folder / "open" / name).symlink_to(folder / name)
    confine([folder / "open"])
    for name in ("a.heic", "a.dng", "a.pdf", "a.pdf#page=1", "a.mp4", "a.mp4#t=0"):
        with pytest.raises(PermissionError, match="outside the folders"):
            read_image(folder / "open" / name)


def test_the_process_itself_is_confined(folder: Path) -> None:
    (folder / "open").mkdir()
    confine([folder / "open"])
    pool = DecoderPool(1)
    try:
        request = foreign_images.Request("a.pdf", b"", 1_000_000, "picture", str(folder / "a.pdf"))
        (answer,) = pool.ask([request], foreign_images.Client())
    finally:
        pool.close()
    assert "the file is outside the folders" in str(answer)


def test_what_is_gone_is_told_as_that(tmp_path: Path) -> None:
    for name in ("a.heic", "a.dng", "a.pdf#page=1", "a.mp4#t=0"):
        with pytest.raises(FileNotFoundError):
            read_image(tmp_path / name)


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8")
@pytest.mark.parametrize("name", ["фото", "写真 1", "ملف", "caf\N{REPLACEMENT CHARACTER}E9", "a#t=1", "x\ny"])
def test_names_in_any_script(folder: Path, name: str) -> None:
    for suffix, part in ((".heic", ""), (".dng", ""), (".pdf", "#page=2"), (".mp4", "#t=1")):
        file = folder / text_to_name(name + suffix)
        os.rename(folder / f"a{suffix}", file)
        assert min(read_image(Path(f"{file}{part}")).size) >= 48


def _far(content: bytes, place: int, number: int = 2_000_000_000) -> bytes:
    return content[:place] + struct.pack(">I", number) + content[place + 4 :]


def _heic_bomb() -> bytes:
    place = HEIC.index(b"ispe") + 8  # version and flags first
    return _far(_far(HEIC, place), place + 4)


def _raw_bomb() -> bytes:
    """The sensor's and the preview's sides, 32 bits each, are two thousand million."""
    content = dng()
    for tag in (0x100, 0x101):
        for side in (64, 48, 32):
            entry = struct.pack("<HHII", tag, 4, 1, side)
            content = content.replace(entry, struct.pack("<HHII", tag, 4, 1, 2_000_000_000))
    return content


def _video_bomb(folder: Path) -> bytes:
    """An AVI whose headers tell of two thousand million frames of 65,535 x 65,535 pixels."""
    content = write_video(folder / "whole.avi", codec="MJPG").read_bytes()
    main, stream, image = content.index(b"avih") + 8, content.index(b"strh") + 8, content.index(b"strf") + 8
    for place, number in ((main + 16, 2_000_000_000), (main + 32, 65_535), (main + 36, 65_535), (stream + 32, 2_000_000_000)):
        content = content[:place] + struct.pack("<I", number) + content[place + 4 :]
    return content[: image + 4] + struct.pack("<II", 65_535, 65_535) + content[image + 12 :]


@pytest.mark.parametrize("name", ["a.heic", "a.dng", "a.avi", "many.pdf"])
def test_bombs_of_each_format_end_in_a_sentence_or_in_a_small_picture(tmp_path: Path, name: str) -> None:
    make = {"a.heic": _heic_bomb, "a.dng": _raw_bomb, "a.avi": lambda: _video_bomb(tmp_path), "many.pdf": lambda: empty_pdf(pages=1_000_000)}
    (tmp_path / name).write_bytes(make[name]())
    begin = time.monotonic()
    try:
        image = read_image(tmp_path / name)  # the preview of a raw file, whose sensor nobody asks for
    except InputError:
        image = Image.new("RGB", (1, 1))
    assert max(image.size) <= 1_024
    counted = count_parts([tmp_path / name])[0]
    assert isinstance(counted, InputError) or counted <= MOST_PARTS
    assert time.monotonic() - begin < 60


def test_more_parts_than_are_read_are_told_by_number(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(empty_pdf(pages=1_000_000))
    assert str(count_parts([tmp_path / "a.pdf"])[0]) == "The image 'a.pdf' has 1,000,000 pages or seconds, but the limit is 1 to 20,000; split it."


def test_a_page_runs_no_script_and_reads_no_other_file(tmp_path: Path) -> None:
    Image.new("RGB", (8, 8), (250, 0, 0)).save(tmp_path / "secret.jpg")
    content = pdf_of(
        [
            b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(while(1){})>>/AA<</WC<</S/Launch/F(/bin/true)>>>>>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>/AA<</O<</S/JavaScript/JS(x)>>>>>>",
            b"<</Length 24>>stream\n100 0 0 100 0 0 cm /I Do\nendstream",
            b"<</Type/XObject/Subtype/Image/Width 8/Height 8/ColorSpace/DeviceRGB/BitsPerComponent 8/F(%s)/FFilter/DCTDecode/Length 0>>"
            b"stream\n\nendstream" % bytes(tmp_path / "secret.jpg"),
        ]
    )
    (tmp_path / "a.pdf").write_bytes(content)
    image = read_image(tmp_path / "a.pdf")
    assert image.getextrema()[1][0] >= image.getextrema()[0][0] - 5  # nothing red of the other file
