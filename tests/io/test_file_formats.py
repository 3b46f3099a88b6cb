"""Formats that are decoded in a process of their own: without their package, confined, and named in any script."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from foreign_files import HEIC, dng, write_pdf, write_video
from likeness.errors import InputError
from likeness.io import TransientError, UnreadableImageError, confine, count_parts, foreign_images, read_image, text_to_name
from likeness.io.decoder_pool import DecoderPool

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
        program = tmp_path / "changed_worker.py"
        program.write_text(f"import sys\nfrom likeness.io import decoder_limits, decoder_worker, pdf_pages\n{before}\ndecoder_worker.main()\n")
        made.append(DecoderPool(1, (str(program),)))
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
        ("[None for _ in iter(int, 1)]", "takes too long to decode; leave it out"),
        ("bytearray(4 << 30)", "takes more memory to decode than is allowed; make it smaller"),
        ("sys.exit(1)", "brought its decoder down; leave it out"),
        ("1 / 0", "is damaged, encrypted or of another kind (division by zero); leave it out"),
    ],
    ids=["time", "memory", "end", "error"],
)
def test_a_hostile_page_ends_in_a_sentence_and_the_next_is_read(folder: Path, pool, instead: str, reason: str) -> None:
    limits = "decoder_limits._SECONDS = decoder_limits._SECONDS_PER_PIXEL = 0"
    change = f"page = pdf_pages.pdf_page\npdf_pages.pdf_page = lambda path, number: {instead} if number == 2 else page(path, number)"
    pool(f"{limits}\n{change}")
    for _ in range(2):
        with pytest.raises(UnreadableImageError) as caught:
            read_image(folder / "a.pdf#page=2")
        assert str(caught.value).startswith(f"The image 'a.pdf' {reason}")
        assert read_image(folder / "a.pdf#page=1").size == (1024, 768)


def test_links_that_lead_out_of_the_folders_are_not_followed(folder: Path) -> None:
    (folder / "open").mkdir()
    for name in ("a.heic", "a.dng", "a.pdf", "a.mp4"):
        (folder / "open" / name).symlink_to(folder / name)
    confine([folder / "open"])
    for name in ("a.heic", "a.dng", "a.pdf", "a.pdf#page=1", "a.mp4", "a.mp4#t=0"):
        with pytest.raises(PermissionError, match="outside of the folders"):
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
    assert "the file lies outside of the folders" in str(answer)


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
