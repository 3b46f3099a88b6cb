"""Images in archives and tables, read where they lie: the same pixels as of plain files."""

import contextlib
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from PIL import Image

from foreign_files import HEIC, write_pdf, write_video
from likeness.comparisons import version_changes
from likeness.data import ImageTable, find_files, first_rows
from likeness.duplicates import exact_copies, image_sizes
from likeness.io import (
    Part,
    UnreadableImageError,
    archive_entries,
    archive_names,
    confine,
    content,
    image_remark,
    image_size,
    part_path,
    read_image,
)

NAMES = [f"cats/{number}.{ending}" for number, ending in enumerate(["jpg", "png", "webp", "jpg", "png"] * 8)]


def pictures() -> list[bytes]:
    found = []
    for number, name in enumerate(NAMES):
        pixels = np.random.default_rng(number).integers(0, 256, (12, 16 + number, 3), dtype=np.uint8)
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "JPEG" if name.endswith("jpg") else name.rpartition(".")[2].upper())
        found.append(buffer.getvalue())
    return found


def zipped(folder: Path, compression: int) -> list[str]:
    with zipfile.ZipFile(folder / "a.zip", "w", compression) as archive:
        for name, each in zip(NAMES, pictures(), strict=True):
            archive.writestr(name, each)
    return [part_path("a.zip", Part(entry=name)) for name in NAMES]


def tarred(folder: Path, mode: str, ending: str, kind: int = tarfile.PAX_FORMAT) -> list[str]:
    with tarfile.open(folder / f"a{ending}", f"w:{mode}", format=kind) as archive:
        for name, each in zip(NAMES, pictures(), strict=True):
            member = tarfile.TarInfo(name)
            member.size = len(each)
            archive.addfile(member, io.BytesIO(each))
    return [part_path(f"a{ending}", Part(entry=name)) for name in NAMES]


def celled(folder: Path, write: Callable[[pa.Table, Path], Any], name: str, struct: bool) -> list[str]:
    images = [{"bytes": each, "path": path} for path, each in zip(NAMES, pictures(), strict=True)] if struct else pictures()
    write(pa.table({"n": list(range(len(NAMES))), "my image": images}), folder / name)
    return [part_path(name, Part(column="my image", row=row)) for row in range(len(NAMES))]


def ipc(kind: Any, **options: Any) -> Callable[[pa.Table, Path], None]:
    def write(table: pa.Table, file: Path) -> None:
        with pa.OSFile(str(file), "wb") as sink, kind(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            writer.write_table(table, max_chunksize=7)

    return write


def grouped(**options: Any) -> Callable[[pa.Table, Path], None]:
    return lambda table, file: parquet.write_table(table, file, row_group_size=7, **options)


def from_pandas(table: pa.Table, file: Path) -> None:
    table.to_pandas().to_parquet(file)


def from_feather(table: pa.Table, file: Path) -> None:
    from pyarrow import feather

    feather.write_feather(table, str(file), chunksize=7)


KINDS: dict[str, Callable[[Path], list[str]]] = {
    "zip, stored": lambda folder: zipped(folder, zipfile.ZIP_STORED),
    "zip, deflated": lambda folder: zipped(folder, zipfile.ZIP_DEFLATED),
    "tar": lambda folder: tarred(folder, "", ".tar"),
    "tar, GNU": lambda folder: tarred(folder, "", ".tar", tarfile.GNU_FORMAT),
    "tar.gz": lambda folder: tarred(folder, "gz", ".tar.gz"),
    "tgz": lambda folder: tarred(folder, "gz", ".tgz"),
    "Parquet, bytes": lambda folder: celled(folder, grouped(), "a.parquet", struct=False),
    "Parquet, structs": lambda folder: celled(folder, grouped(compression="zstd"), "a.parquet", struct=True),
    "Parquet, by pandas": lambda folder: celled(folder, from_pandas, "a.parquet", struct=True),
    "Arrow, stream": lambda folder: celled(folder, ipc(pa.ipc.RecordBatchStreamWriter), "a.arrow", struct=True),
    "Arrow, file": lambda folder: celled(folder, ipc(pa.ipc.RecordBatchFileWriter), "a.arrow", struct=False),
    "Arrow, packed": lambda folder: celled(folder, ipc(pa.ipc.RecordBatchStreamWriter, compression="zstd"), "a.arrow", struct=False),
    "Feather": lambda folder: celled(folder, from_feather, "a.feather", struct=True),
}


@pytest.fixture(params=KINDS)
def paths(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    return [tmp_path / name for name in KINDS[request.param](tmp_path)]


def same(path: Path, row: int) -> None:
    with Image.open(io.BytesIO(pictures()[row])) as expected:
        np.testing.assert_array_equal(np.asarray(read_image(path)), np.asarray(expected.convert("RGB")))
        assert image_size(path) == expected.size
    assert image_remark(path) == ""


def test_pixels_are_those_of_plain_files(paths: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for small in (False, True):  # also where a few bytes are kept
        if small:
            content._opened.cache_clear()
            for module, limits in ((archive_entries, {"_STEP": 512, "_READ": 64}), (content, {"_BLOCK": 600, "_KEPT": 1500})):
                for name, value in limits.items():
                    monkeypatch.setattr(module, name, value)
        for row in [*range(len(paths)), *np.random.default_rng(0).permutation(len(paths)).tolist()]:
            same(paths[row], row)


def test_many_threads_read_at_once(paths: list[Path]) -> None:
    content._opened.cache_clear()
    rows = np.random.default_rng(0).integers(0, len(paths), 200).tolist()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda row: same(paths[row], row), rows))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_process_shares_no_place_in_a_file(paths: list[Path]) -> None:
    same(paths[0], 0)
    child = os.fork()
    if not child:
        status = 1
        try:
            for row in reversed(range(len(paths))):
                same(paths[row], row)
            status = 0
        finally:
            os._exit(status)
    for row in range(len(paths)):
        same(paths[row], row)
    assert os.waitpid(child, 0)[1] == 0


def test_a_file_replaced_meanwhile_is_seen(tmp_path: Path) -> None:
    for color in ("red", "blue"):
        buffer = io.BytesIO()
        Image.new("RGB", (8, 8), color).save(buffer, "PNG")
        with zipfile.ZipFile(tmp_path / "new.zip", "w") as archive:
            archive.writestr("a.png", buffer.getvalue())
        os.replace(tmp_path / "new.zip", tmp_path / "a.zip")
        assert read_image(tmp_path / "a.zip#entry=a.png").getpixel((0, 0)) == ((255, 0, 0) if color == "red" else (0, 0, 255))


def refused(path: Path, message: str) -> None:
    for read in (read_image, image_size):
        with pytest.raises(UnreadableImageError, match=message):
            read(path)
    assert image_remark(path) == ""


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    for name, message in (
        (zipped(tmp_path, zipfile.ZIP_STORED)[0].replace("0.jpg", "gone.jpg"), r"'gone\.jpg' cannot be read: 'a\.zip' has no cats/gone\.jpg"),
        (tarred(tmp_path, "gz", ".tgz")[0].replace("0.jpg", "gone.jpg"), r"'a\.tgz' has no cats/gone\.jpg"),
        (celled(tmp_path, grouped(), "a.parquet", struct=True)[0].replace("row=0", "row=40"), "has no row 40"),
        ("a.parquet#column=other&row=0", "has no column 'other'"),
        (celled(tmp_path, ipc(pa.ipc.RecordBatchFileWriter), "a.arrow", struct=True)[0].replace("my image", "x"), "has no column 'x'"),
        ("a.parquet#column=n&row=0", "its cell has neither the bytes nor the path of an image"),
    ):
        refused(tmp_path / name, message)
    for name in ("gone.zip#entry=a.jpg", "gone.parquet#column=a&row=1", "gone.jpg#xywh=1,2,3,4"):
        with pytest.raises(FileNotFoundError):
            read_image(tmp_path / name)


@pytest.mark.parametrize("kind", ["zip, deflated", "tar", "tar.gz", "Parquet, structs", "Arrow, file", "Arrow, stream"])
def test_damage_is_an_error_of_the_image(kind: str, tmp_path: Path) -> None:
    """Wherever bytes are lost or changed: an image, or one sentence."""
    names = KINDS[kind](tmp_path)
    file = next(tmp_path.glob("a.*"))
    whole, draw = file.read_bytes(), np.random.default_rng(0)
    for number in range(24):
        damaged = bytearray(whole[: draw.integers(1, len(whole))] if number % 2 else whole)
        for place in draw.integers(0, len(damaged), 8 * (number % 3)):
            damaged[place] = draw.integers(256)
        file.write_bytes(damaged)
        os.utime(file, ns=(number, number))
        for name in names[::13]:
            with contextlib.suppress(UnreadableImageError):
                read_image(tmp_path / name)


def test_bombs_do_not_go_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_entries, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(content, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(archive_entries, "_FROM_BYTES", 1 << 22)
    zeros = bytes(1 << 24)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.png", zeros)
    whole = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "lying.zip").write_bytes(whole.replace(len(zeros).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    for name in ("a.tar", "a.tgz"):
        with tarfile.open(tmp_path / name, "w:gz" if name == "a.tgz" else "w") as archive:
            for each in ("a.png", "b.png"):
                member = tarfile.TarInfo(each)
                member.size = len(zeros)
                archive.addfile(member, io.BytesIO(zeros))
    parquet.write_table(pa.table({"a": [zeros]}), tmp_path / "a.parquet")
    for name in ("a.zip#entry=a.png", "a.tar#entry=b.png", "a.parquet#column=a&row=0"):
        refused(tmp_path / name, "it has more than 1 MB")
    refused(tmp_path / "a.tgz#entry=b.png", "it unpacks to more than images do")
    refused(tmp_path / "lying.zip#entry=a.png", "damaged|known format")


def test_entries_that_are_no_files_of_the_archive(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for kind, name, target in ((tarfile.SYMTYPE, "link.png", "/etc/hostname"), (tarfile.DIRTYPE, "folder", ""), (tarfile.LNKTYPE, "gone", "x")):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            archive.addfile(member)
        member = tarfile.TarInfo("own.png")
        member.size = len(pictures()[1])
        archive.addfile(member, io.BytesIO(pictures()[1]))
        member = tarfile.TarInfo("same.png")
        member.type, member.linkname = tarfile.LNKTYPE, "own.png"
        archive.addfile(member)
    assert archive_names(tmp_path / "a.tar") == ["own.png", "same.png"]
    same(tmp_path / "a.tar#entry=same.png", 1)
    refused(tmp_path / "a.tar#entry=link.png", "has no link.png")


def test_an_encrypted_archive_and_formats_that_need_a_file_are_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.png", pictures()[1])
        archive.writestr("clip.mp4", b"")
        archive.writestr("x.heic", HEIC)
    whole = bytearray((tmp_path / "a.zip").read_bytes())
    refused(tmp_path / "a.zip#entry=clip.mp4", "it is a raw file, PDF or video in an archive, which must be unpacked first")
    assert read_image(tmp_path / "a.zip#entry=x.heic").size == image_size(tmp_path / "a.zip#entry=x.heic")
    whole[6], whole[whole.index(b"PK\x01\x02") + 8] = 1, 1  # the flags of the first entry
    (tmp_path / "b.zip").write_bytes(whole)
    refused(tmp_path / "b.zip#entry=a.png", r"'b\.zip' is damaged or encrypted")


def test_cells_may_name_files_beside_the_table(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(pictures()[1])
    table = pa.table({"a": [{"bytes": None, "path": "images/a.png"}], "b": ["images/a.png"], "c": [{"bytes": None, "path": None}]})
    parquet.write_table(table, tmp_path / "a.parquet")
    for column in "ab":
        same(tmp_path / f"a.parquet#column={column}&row=0", 1)
    refused(tmp_path / "a.parquet#column=c&row=0", "neither the bytes nor the path")


def test_confined_processes_read_what_they_may(tmp_path: Path) -> None:
    for folder in ("in", "out"):
        (tmp_path / folder).mkdir()
        zipped(tmp_path / folder, zipfile.ZIP_STORED)
    (tmp_path / "out" / "a.png").write_bytes(pictures()[1])
    parquet.write_table(pa.table({"a": [str(tmp_path / "out" / "a.png"), "../out/a.png"]}), tmp_path / "in" / "a.parquet")
    same(tmp_path / "out" / f"a.zip#entry={NAMES[1]}", 1)  # and is not remembered
    confine([tmp_path / "in"])
    same(tmp_path / "in" / f"a.zip#entry={NAMES[1]}", 1)
    for name in (f"out/a.zip#entry={NAMES[1]}", "in/a.parquet#column=a&row=0", "in/a.parquet#column=a&row=1"):
        with pytest.raises(PermissionError):
            read_image(tmp_path / name)


def test_regions_of_everything(tmp_path: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    for name in ("a.png", "b.parquet", "c.zip"):
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "PNG")
        if name == "a.png":
            (tmp_path / name).write_bytes(buffer.getvalue())
        elif name == "b.parquet":
            parquet.write_table(pa.table({"a": [buffer.getvalue()]}), tmp_path / name)
        else:
            with zipfile.ZipFile(tmp_path / name, "w") as archive:
                archive.writestr("x/a.png", buffer.getvalue())
    for path in ("a.png#", "b.parquet#column=a&row=0&", "c.zip#entry=x/a.png&"):
        for box in ("xywh=5,6,7,8", "xywh=percent:12.5,20,17.5,26.666666667"):
            assert image_size(tmp_path / f"{path}{box}") == (7, 8)
            np.testing.assert_array_equal(np.asarray(read_image(tmp_path / f"{path}{box}")), pixels[6:14, 5:12])


def test_regions_of_pictures_that_are_decoded_apart(tmp_path: Path) -> None:
    from likeness.data import large_picture

    write_video(tmp_path / "a.mp4")
    write_pdf(tmp_path / "a.pdf")
    (tmp_path / "a.heic").write_bytes(HEIC)
    for path in ("a.mp4#t=1", "a.pdf#page=2", "a.heic"):
        whole = np.asarray(read_image(tmp_path / path))
        for reduced in (16_000_000, whole.shape[0] * whole.shape[1] // 4):
            part = tmp_path / part_path(path, Part(box=(2, 4, 10, 8)))
            np.testing.assert_array_equal(np.asarray(read_image(part, most_pixels=reduced)), whole[4:12, 2:12])
        assert image_size(part) == (10, 8)
        assert image_size(tmp_path / path) == whole.shape[1::-1]
        assert len(large_picture(part)) > 50
        refused(tmp_path / part_path(path, Part(box=(9000, 4, 10, 8))), "its region 9000,4,10,8 is empty or outside of the image")


def test_rows_of_one_image_and_equal_bytes_are_known_wherever_they_lie(tmp_path: Path) -> None:
    one, another = pictures()[1], pictures()[4]
    for name, each in (("own.png", one), ("other.png", another)):
        (tmp_path / name).write_bytes(each)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x/a.png", one)
        archive.writestr("x/b.png", another)
    parquet.write_table(pa.table({"a": [another, one]}), tmp_path / "a.parquet")
    listed = ["own.png", "other.png", "a.zip#entry=x/a.png", "a.zip#entry=x/b.png", "a.parquet#column=a&row=0", "a.parquet#column=a&row=1"]
    table = ImageTable("all", tmp_path, pd.DataFrame({"path": listed}))
    assert [group.tolist() for group in exact_copies(table).groups] == [[0, 2, 5], [1, 3, 4]]
    assert image_sizes(table, [0, 2])[:, 2].tolist() == [len(one), len(one)]
    regions = [part_path(path, Part(box=(1, 2, 3 + row % 2, 4))) for row, path in enumerate(listed)]
    cut = ImageTable("all", tmp_path, pd.DataFrame({"path": regions}))
    assert [group.tolist() for group in exact_copies(cut).groups] == [[0, 2], [1, 3]]
    twice = [
        *regions,
        f"./{regions[0]}",
        regions[3].replace("xywh=1,2", "xywh=pixel:1.0,2.00"),
        "gone.zip#entry=a",
        "./gone.zip#entry=a",
        "gone.zip#entry=b",
    ]
    assert first_rows(twice, tmp_path, find_files(twice, tmp_path)[1]).tolist() == [0, 1, 2, 3, 4, 5, 0, 3, 8, 8, 10]
    moved = version_changes(table, ImageTable("all", tmp_path, pd.DataFrame({"path": [listed[2], listed[4]]}))).counts()
    assert moved.set_index("change")["images"].to_dict() == {"same": 2, "changed": 0, "renamed": 0, "came": 0, "went": 4}
