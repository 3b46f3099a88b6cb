"""Uploads: limits, collisions, hostile names and archives."""

import io
import stat
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from foreign_files import HEIC
from hostile_images import decoder_of_13
from likeness.data import read_dataset, save_uploads, thumbnail, upload_archive, uploads
from likeness.data.upload_archive import UploadLimits
from likeness.errors import InputError
from likeness.io import foreign_images
from likeness.io.decoder_pool import DecoderPool


def saved(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def image(color: int = 0, kind: str = "PNG") -> bytes:
    return saved(Image.new("RGB", (8, 8), (color, 0, 0)), kind)


def noise(seed: int) -> bytes:
    return saved(Image.frombytes("RGB", (400, 400), np.random.default_rng(seed).bytes(480_000)))


def archive(*members: tuple[str | zipfile.ZipInfo, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def test_images_are_saved_as_they_came(cache: Path) -> None:
    table = save_uploads([("a.png", image(1)), ("b.jpg", image(2, "JPEG"))], "My pictures")
    assert [path.read_bytes() for path in table.paths()] == [image(1), image(2, "JPEG")]
    assert table.name == "My pictures"
    assert table.root.parent == cache / "uploads"
    assert list(read_dataset(table.root).frame["path"]) == ["a.png", "b.jpg"]
    # the same files give the same folder, and others another
    first = save_uploads([("a.png", image(1)), ("b.png", image(2))])
    assert save_uploads([("b.png", image(2)), ("a.png", image(1))]).root == first.root
    assert save_uploads([("a.png", image(3)), ("b.png", image(2))]).root != first.root
    # names that collide are numbered
    table = save_uploads([("a.png", image(1)), ("A.png", image(2)), ("a.png", image(3))])
    assert set(table.frame["path"]) == {"a.png", "A (2).png", "a (3).png"}
    assert {path.read_bytes() for path in table.paths()} == {image(1), image(2), image(3)}


def test_a_zip_keeps_its_folders_as_classes() -> None:
    others = ["notes.txt", "__MACOSX/cat/._1.png", "cat/.2.png", "@eaDir/1.png/SYNOPHOTO_THUMB_M.png", "a/$RECYCLE.BIN/2.png"]
    content = archive(("cat/1.png", image(1)), ("dog/1.png", image(2)), *((name, image(4)) for name in others))
    table = save_uploads([("pets.jpg", content), ("more.png", image(3))])  # known as a ZIP file by its content
    assert dict(zip(table.frame["path"], table.frame["class"], strict=True)) == {"cat/1.png": "cat", "dog/1.png": "dog", "more.png": "(none)"}


@pytest.mark.parametrize("name", ["../../evil.png", "/etc/evil.png", "..\\..\\evil.png", "C:\\evil.png", "a/../../evil.png", "./evil.png"])
@pytest.mark.parametrize("zipped", [False, True])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str, zipped: bool) -> None:
    files = [("x.zip", archive((name, image())))] if zipped else [(name, image())]
    table = save_uploads(files, folder=tmp_path / "deep" / "uploads")
    assert all(path.resolve().is_relative_to(table.root.resolve()) for path in table.paths())
    assert len(list(tmp_path.rglob("*.png"))) == 1
    assert table.root.is_relative_to(tmp_path / "deep" / "uploads")


@pytest.mark.parametrize("zipped", [False, True])
def test_names_that_a_file_system_would_refuse(zipped: bool) -> None:
    names = ["ü" * 300 + ".png", "a\0b\n<>:?*.png"]
    if zipped:
        names = ["/".join(["deep" * 50] * 40) + "/1.png", *names[:1]]
    files = [(name, image(i)) for i, name in enumerate(names)]
    table = save_uploads([("x.zip", archive(*files))] if zipped else files)
    assert sorted(path.read_bytes() for path in table.paths()) == sorted(content for _, content in files)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        *(("CON.png", "_CON.png"), ("lpt1.tar.png", "_lpt1.tar.png"), (".hidden.png", "hidden.png"), (".png", "png.png"), ("", "image.png")),
        *(("photo", "photo.png"), ("photo.exe", "photo.png"), ("photo.PNG", "photo.PNG"), ("fdp\u202egnp.png", "fdp_gnp.png")),
        *(("<img src=x onerror=alert(1)>.png", "_img src=x onerror=alert(1)_.png"), ("a. .png", "a.png"), ("\ud800.png", "_.png")),
    ],
)
def test_a_name_keeps_what_every_file_system_and_reader_takes(name: str, kept: str) -> None:
    assert list(save_uploads([(name, image())]).frame["path"]) == [kept]


def test_the_type_follows_from_the_content() -> None:
    table = save_uploads([("a.png", image(1, "JPEG")), ("b.gif", image(2, "WEBP")), ("c.jpeg", image(3, "JPEG")), ("d.zip.png", image(4, "TIFF"))])
    assert set(table.frame["path"]) == {"a.jpg", "b.webp", "c.jpeg", "d.zip.tif"}


def test_a_zip_with_a_broken_image_is_read_without_it() -> None:
    content = bytearray(archive(("cat/1.png", image(1)), ("cat/2.png", image(2)), ("3.png", image(3)), compression=zipfile.ZIP_STORED))
    content[content.index(image(2)) + 40] ^= 255  # its checksum is wrong now
    table = save_uploads([("pets.zip", bytes(content))])
    assert list(table.frame["path"]) == ["3.png", "cat/1.png"]
    ((row, path, reason),) = ((failure.row, failure.path, failure.reason) for failure in table.failed)
    assert (row, path) == (1, "cat/2.png")
    assert "cannot be read: its content is not a valid" in reason
    # an entry that does not unpack
    content = bytearray(archive(("1.png", image(1)), ("2.bmp", image(2, "BMP"))))
    begin = content.index(b"2.bmp") + 5
    content[begin : begin + 8] = b"\xff" * 8
    table = save_uploads([("a.zip", bytes(content))])
    assert list(table.frame["path"]) == ["1.png"]
    assert [failure.path for failure in table.failed] == ["2.bmp"]


def test_no_more_of_an_entry_is_unpacked_than_tells_that_it_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_UPLOAD_BYTES", 10)
    with pytest.raises(InputError, match="the limit for one image"):
        save_uploads([("a.png", image())])
    with zipfile.ZipFile(io.BytesIO(archive(("a.png", bytes(1_000))))) as packed:
        assert len(upload_archive._unpacked(packed, packed.infolist()[0], 10)) == 11


def test_heic_and_avif() -> None:
    table = save_uploads([("IMG_1.HEIC", HEIC), ("IMG_2.jpg", HEIC), ("b.heic", image(0, "AVIF")), ("c.heic", image(0, "JPEG"))])
    assert list(table.frame["path"]) == ["b.avif", "c.jpg", "IMG_1.HEIC", "IMG_2.heic"]
    assert list(table.frame["year"]) == ["(none)", "(none)", "2024", "2024"]
    assert all(thumbnail(path)[:4] == b"RIFF" for path in table.paths())


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    def refuse(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(InputError, match=r"The upload cannot be saved \(no space left on device\); free space"):
        save_uploads([("a.png", image())])
    assert not list((cache / "uploads").iterdir())


class TestAmongOthers:
    """An image that is refused leaves the others of its upload, and the uploads of others, alone."""

    def test_it_is_listed_and_the_others_arrive(self, progressive_jpeg: Callable[..., bytes], cache: Path) -> None:
        hostile = [("scans.jpg", progressive_jpeg(8_000, 8_000, 256)), ("text.png", b"no image"), ("cut.png", image()[:40])]
        zipped = archive(("cat/1.png", image(1)), ("cat/2.png", b"no image"), ("dog/3.png", image(3)))
        table = save_uploads([("a.png", image(4)), *hostile, ("pets.zip", zipped), ("b.png", image(5))])
        assert set(table.frame["path"]) == {"a.png", "b.png", "cat/1.png", "dog/3.png"}
        assert [(each.row, each.path) for each in table.failed] == [(1, "scans.jpg"), (2, "text.png"), (3, "cut.png"), (5, "cat/2.png")]
        assert "'scans.jpg' is a JPEG of more than 31 scans, which takes too long to decode" in table.failed[0].reason
        assert len(list(cache.glob("uploads/*"))) == 1
        assert save_uploads([("b.png", image(5)), ("pets.zip", zipped), ("a.png", image(4))]).root == table.root

    def test_nobody_waits_for_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        release = tmp_path / "release"
        pool = DecoderPool(2, decoder_of_13(tmp_path, f"while not Path({str(release)!r}).exists(): time.sleep(0.01)"))
        monkeypatch.setattr(foreign_images, "_uploads", pool)
        slow = saved(Image.new("RGB", (13, 13)))
        with ThreadPoolExecutor(1) as other:
            waiting = other.submit(save_uploads, [("slow.png", slow), ("a.png", image(1))], "Other")
            try:
                assert len(save_uploads([(f"{number}.png", image(number)) for number in range(60)], "Mine")) == 60
                assert not waiting.done()
            finally:
                release.touch()
            assert list(waiting.result().frame["path"]) == ["a.png", "slow.png"]
        pool.close()

    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="says how much memory a process has held")
    def test_a_zip_is_never_in_memory_unpacked(self) -> None:
        code = f"""
import re, sys
from pathlib import Path
sys.path[:0] = {[str(folder) for folder in Path(__file__).parents[:2]]!r}
from PIL import Image
from likeness.data import save_uploads
from likeness.io import foreign_images
from likeness.io.decoder_pool import DecoderPool
from test_uploads import archive, saved
foreign_images._uploads = DecoderPool(1)  # how many images are under way depends on the processors
peak = lambda: 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
large = saved(Image.new("RGB", (900, 700)), "BMP")
save_uploads([("one.zip", archive(("1.bmp", large)))], folder=Path(sys.argv[1]))
many = archive(*((f"{{number}}.bmp", large) for number in range(34)))
before = peak()
assert len(save_uploads([("many.zip", many)], folder=Path(sys.argv[1]))) == 34
print((peak() - before) / (34 * len(large)))
"""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
        assert float(done.stdout) < 0.35


DISGUISED = (
    b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    b"<!DOCTYPE html><script>alert(1)</script>",
    b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF",
    b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\nshowpage\n",
    b"P6\n2 2\n255\n" + bytes(12),
    b"\x89PNG\r\n\x1a\n<script>alert(1)</script>",
    b"GIF89a/*<script>alert(1)</script>*/",
)
_HEADER = b"IHDR" + struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
BOMB = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + _HEADER + struct.pack(">I", zlib.crc32(_HEADER))
BOMB += b"\0\0\0\0IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
_LINK = zipfile.ZipInfo("passwords.png")
_LINK.create_system, _LINK.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
LINKED = archive((_LINK, b"/etc/passwd"))


def with_entry(content: bytes, offset: int, value: int) -> bytes:
    """A ZIP file whose directory says another number, of four bytes, of its last entry."""
    place = content.rindex(b"PK\x01\x02") + offset
    return content[:place] + value.to_bytes(4, "little") + content[place + 4 :]


LYING = with_entry(archive(("1.png", image() + bytes(5_000_000))), 24, 100)  # the size it says it unpacks to
OVERLAPPING = with_entry(archive(("1.png", image(1)), ("2.png", image(1)), compression=zipfile.ZIP_STORED), 42, 0)  # where the entry begins
_flagged = bytearray(archive(("1.png", image())))
for _signature, _offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
    _flagged[_flagged.index(_signature) + _offset] |= 1
ENCRYPTED = bytes(_flagged)


class TestRefused:
    @pytest.mark.parametrize(
        ("files", "message"),
        [
            ([], "no images among the uploaded files"),
            ([("a.pdf", b"")], r"'a\.pdf' cannot be read: its content"),
            ([("a.zip", b"no archive")], r"ZIP file 'a\.zip' is damaged"),
            ([("a.zip", archive(("notes.txt", b"x")))], r"ZIP file 'a\.zip' holds no images"),
            ([("a.zip", archive(("1.png", b"x")))], r"'1\.png' cannot be read: its content"),
            ([("a.zip", archive(("1.png", image()))[:-40])], r"ZIP file 'a\.zip' is damaged"),
            ([("a.zip", archive(("inner.zip", archive(("1.png", image())))))], r"ZIP file 'a\.zip' holds no images"),
            *(([("a.png", content)], "its content is not a valid") for content in DISGUISED),
            ([("a.png", BOMB)], r"60,000 x 60,000 pixels, more than the limit|its content"),
            ([("a.zip", LYING)], r"damaged|its content"),
            ([("a.zip", OVERLAPPING)], r"entries that overlap|damaged"),
            ([("a.zip", LINKED)], "holds links instead of images"),
            ([("a.zip", ENCRYPTED)], "damaged, encrypted or packed in an unknown way"),
        ],
    )
    def test_content(self, files: list[tuple[str, bytes]], message: str, cache: Path) -> None:
        with pytest.raises(InputError, match=message):
            save_uploads(files)
        assert not list(cache.glob("uploads/*"))

    @pytest.mark.parametrize(
        ("limits", "files", "message"),
        [
            ({"images": 2}, [(f"{i}.png", image(i)) for i in range(3)], "more than 2 images"),
            ({"images": 2}, [("a.png", image()), *[(f"{i}.png", b"no image") for i in range(2)]], "more than 2 images"),
            ({"images": 2}, [("a.zip", archive(*((f"{i}.png", image(i)) for i in range(3))))], "holds 3 images, more than 2; upload a part"),
            ({"images": 2}, [("a.zip", archive(*((f"{i}.txt", b"") for i in range(11))))], "has more entries than 2 images need"),
            ({"unpacked_mb": 1}, [(f"{i}.png", noise(i)) for i in range(3)], r"more than .* images or 1 MB; upload a part"),
            ({"unpacked_mb": 1}, [("a.zip", archive(("1.png", image() + bytes(5_000_000))))], r"unpacks to .* MB, more than"),
            ({}, [("a.zip", archive(("1.bmp", bytes(70_000_000))))], r"unpacks to .* times its size"),
            ({"pixels": 32}, [("a.png", image())], r"8 x 8 pixels, more than the limit of 32; make it smaller"),
            ({"total_gb": 0.5e-9}, [("a.png", image())], r"Uploads may take .* together, which is used up; delete some, or ask the administrator"),
        ],
    )
    def test_more_than_the_limits(self, limits: dict[str, float], files: list[tuple[str, bytes]], message: str, cache: Path) -> None:
        with pytest.raises(InputError, match=message):
            save_uploads(files, limits=UploadLimits(**limits))
        assert not list(cache.glob("uploads/*"))

    def test_no_room_left_after_this_upload(self, cache: Path) -> None:
        limits = UploadLimits(total_gb=1e-9 * 1.5 * len(image()))
        first = save_uploads([("a.png", image())], limits=limits)
        with pytest.raises(InputError, match="is used up"):
            save_uploads([("b.png", image(2))], limits=limits)
        assert save_uploads([("a.png", image())], limits=limits).root == first.root
        assert list((cache / "uploads").iterdir()) == [first.root]


def test_what_is_served_is_drawn_anew() -> None:
    comment = b"<script>alert(1)</script>"
    content = saved(Image.new("RGB", (8, 8)), "JPEG", comment=comment)
    assert comment in content
    served = thumbnail(save_uploads([("a.jpg", content)]).paths()[0])
    assert (served[:4], served[8:12]) == (b"RIFF", b"WEBP")
    assert comment not in served


class TestATableInTheArchive:
    CAPTIONS = b'image,caption\n1.png,a cat\n2.png,"a dog, asleep"\n1.png,a cat again\n'

    @pytest.mark.parametrize("around", ["", "flickr/"])
    @pytest.mark.parametrize("listed", [CAPTIONS, CAPTIONS.replace(b"1.png", b"Images/1.png").replace(b"2.png", b"./Images/2.png")])
    def test_says_what_the_images_are(self, around: str, listed: bytes) -> None:
        content = archive((f"{around}captions.csv", listed), (f"{around}Images/1.png", image(1)), (f"{around}Images/2.png", image(2)))
        table = save_uploads([("flickr.zip", content)])
        assert "class" not in table.attributes
        own = f"{around}Images/"
        captions = dict(zip(table.frame["path"], table.frame["captions"], strict=True))
        assert captions == {f"{own}1.png": '["a cat", "a cat again"]', f"{own}2.png": '["a dog, asleep"]'}
        assert table.notes[0] == f"Images and attributes are those that the table '{around}captions.csv' in the archive lists."
        again = read_dataset(table.root)
        assert (again.frame.equals(table.frame), again.notes) == (True, table.notes)

    def test_its_rows_are_counted_that_name_no_image_of_the_archive(self, tmp_path: Path) -> None:
        secret = tmp_path / "secret.png"
        secret.write_bytes(image(9))
        listed = f"path,kind\na/1.png,cat\n{secret},x\n../../secret.png,y\nsecret.png,z\n".encode()
        content = archive(("labels.csv", listed), ("a/1.png", image(1)), ("b/2.png", image(2)))
        table = save_uploads([("x.zip", content)], folder=tmp_path / "own" / "up")
        assert list(table.frame["path"]) == ["a/1.png"]
        assert table.notes[0].endswith("lists; images that it does not list (1) and rows without an image in the archive (3) are skipped.")

    def test_images_that_were_renamed_are_found(self) -> None:
        listed = "path,kind\na/b/c/d/é.jpg,deep\nCON.png,device\n".encode()
        content = archive(("labels.csv", listed), ("a/b/c/d/e\u0301.jpg", image(1)), ("CON.png", image(2)))
        table = save_uploads([("x.zip", content)])
        assert {table.file(row).read_bytes(): table.frame["kind"][row] for row in range(2)} == {image(1): "deep", image(2): "device"}

    @pytest.mark.parametrize(
        ("tables", "said"),
        [
            ({"a.csv": b"path\n1.png\n", "b.csv": b"path\n1.png\n"}, "Several tables in the archive list its images ('a.csv', 'b.csv'), so none"),
            ({"a.csv": b"name,x\n1.png,2\n"}, "The table 'a.csv' in the archive is not read: The table 'a.csv' has no column of image paths"),
            ({"a.csv": b"path,x\n7.png,2\n"}, "The table 'a.csv' in the archive is not read: it lists none of the images."),
            ({"a.csv": b""}, "The table 'a.csv' in the archive is not read: it is empty, too large or in a folder beside images"),
            ({"meta/a.csv": b"path\n1.png\n"}, "'meta/a.csv' in the archive is not read: it is empty, too large or in a folder beside images"),
            ({"a.parquet": b"PAR1"}, "The table 'a.parquet' in the archive is not read: Parquet and Arrow files are only read if given directly"),
            ({"a.csv": b"path,\x00\xff\n\xff,\x00"}, "The table 'a.csv' in the archive is not read"),
        ],
    )
    def test_that_is_not_read_is_named(self, tables: dict[str, bytes], said: str) -> None:
        table = save_uploads([("x.zip", archive(*tables.items(), ("1.png", image(1)), ("2.png", image(2))))])
        assert list(table.frame.columns) == ["path"]
        assert said in table.notes[0]
        assert read_dataset(table.root).notes == table.notes
        assert not list(table.root.glob(".likeness.[ct]sv"))

    def test_makes_another_folder_of_the_same_images_and_one_among_several_may_list_them(self) -> None:
        tables = {"classes.csv": b"id,kind\n1,cat\n", "labels.csv": b"path,kind\n1.png,cat\n"}
        assert list(save_uploads([("x.zip", archive(*tables.items(), ("1.png", image(1))))]).frame["kind"]) == ["cat"]
        lists = [("labels.csv", f"path,kind\n1.png,{kind}\n".encode()) for kind in ("cat", "dog")]
        roots = {save_uploads([("x.zip", archive(each, ("1.png", image(1))))]).root for each in lists}
        assert len({*roots, save_uploads([("1.png", image(1))]).root}) == 3
