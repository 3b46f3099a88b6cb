"""ZIP and tar archives, and shards that webdataset wrote."""

import gc
import io
import json
import tarfile
import warnings
import zipfile
from pathlib import Path

import pytest
import webdataset

import likeness as lk
from likeness.data import UploadLimits, save_uploads
from likeness.errors import InputError
from likeness.io import cache_dir
from numbered_pictures import encoded, numbers, picture

NAMES = ["cat/0.png", "cat/1.png", "dog/2.png", "dog/10.png"]


def write_zip(file: Path, *others: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, name in enumerate(NAMES):
            archive.writestr(name, encoded(number))
        for name, content in others:
            archive.writestr(name, content)
    return file


def write_tar(file: Path, *others: tarfile.TarInfo) -> Path:
    with tarfile.open(file, "w:gz" if file.name.endswith("gz") else "w") as archive:
        for number, name in enumerate(NAMES):
            member = tarfile.TarInfo(name)
            member.size = len(encoded(number))
            archive.addfile(member, io.BytesIO(encoded(number)))
        for other in others:
            archive.addfile(other, io.BytesIO(encoded(9)))
    return file


@pytest.mark.parametrize("name", ["pets.zip", "pets.tar", "pets.tar.gz", "pets.tgz", "PETS.ZIP"])
def test_an_archive_is_read_as_the_folder_in_it_and_nothing_is_unpacked(tmp_path: Path, name: str) -> None:
    table = lk.read((write_zip if name.lower().endswith("zip") else write_tar)(tmp_path / name))
    assert table.name == name.partition(".")[0]
    assert table.frame["class"].tolist() == ["cat", "cat", "dog", "dog"]
    assert numbers(table) == [0, 1, 2, 3]
    assert not any(cache_dir().rglob("*.png"))
    assert len(lk.embed(table, "cars-small")) == 4


def test_entries_that_lead_elsewhere_or_are_no_images_are_no_rows(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(encoded(7))
    up, absolute, link = (tarfile.TarInfo(name) for name in ("../secret.png", f"{tmp_path}/inner/secret.png", "link.png"))
    up.size = absolute.size = len(encoded(9))
    link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path / "secret.png")
    table = lk.read(write_tar(tmp_path / "x.tar", up, absolute, link))
    assert [(failure.row, failure.path) for failure in table.failed] == [(-1, "../secret.png")]
    assert sorted(numbers(table)) == [0, 1, 2, 3, 9]  # the absolute one is what the archive holds
    hidden = [("__MACOSX/cat/._0.png", b"x"), (".hidden.png", b"x"), ("notes.txt", b"a"), ("..\\up.png", b"x")]
    table = lk.read(write_zip(tmp_path / "x.zip", *hidden))
    assert len(table) == 4
    assert [failure.path for failure in table.failed] == ["..\\up.png"]


def test_a_table_in_it_is_read(tmp_path: Path) -> None:
    file = write_zip(tmp_path / "x.zip", ("captions.csv", b"photo,caption\ncat/0.png,a cat\n2.png,a dog\n/etc/passwd,none\n"))
    assert lk.read(file).attributes == ["class"]
    assert "has no column of image paths" in lk.read(file).notes[0]
    table = lk.read(file, path_column="photo")
    assert (numbers(table), table.frame["caption"].tolist()) == ([0, 2], ["a cat", "a dog"])
    assert "rows without an image in the archive (1)" in table.notes[0]


def test_more_than_a_visitor_may_upload(tmp_path: Path) -> None:
    file = write_zip(tmp_path / "x.zip")
    assert len(lk.read(file)) == 4
    with pytest.raises(InputError, match="holds 4 images, more than 3"):
        save_uploads([("x.zip", file.read_bytes())], limits=UploadLimits(images=3))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        *[(name, "is an archive of an unsupported kind; unpack it and pass the folder, or pack .* as a ZIP") for name in ("x.tar.bz2", "x.7z")],
        *[(name, r"cannot be read as archives \(.*\); write it again") for name in ("x.zip", "x.tar", "x.tgz")],
    ],
)
def test_damaged_and_unsupported_ones(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(InputError, match=f"'{name}' {message}"):
        lk.read(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("a.txt", "")
    with pytest.raises(InputError, match=r"'none\.zip' holds no images"):
        lk.read(tmp_path / "none.zip")


class TestWebdataset:
    @pytest.fixture
    def shards(self, tmp_path: Path) -> Path:
        """Three shards of two rows, as webdataset writes them."""
        folder = tmp_path / "data"
        folder.mkdir()
        with webdataset.ShardWriter(str(folder / "shard-%03d.tar"), maxcount=2, verbose=0) as sink:
            for number in range(5):
                about = {"width": 40, "tags": ["x", "y"], "box": [1, 2], "path": "own"}
                sink.write({"__key__": f"{number:04d}", "png": picture(number), "cls": number % 2, "txt": f"number {number}", "json": about})
        return folder

    def check(self, table: lk.data.ImageTable, count: int = 5) -> None:
        assert numbers(table) == list(range(count))
        frame = table.frame
        assert frame["class"].tolist() == [str(number % 2) for number in range(count)]
        assert frame["caption"].tolist() == [f"number {number}" for number in range(count)]
        assert frame["width"].tolist() == [40] * count
        assert frame["tags"].map(json.loads).tolist() == [["x", "y"]] * count
        assert frame["path (attribute)"].tolist() == ["own"] * count
        assert "box" not in frame

    def test_a_folder_a_file_and_braces(self, shards: Path) -> None:
        self.check(lk.read(shards))
        self.check(lk.read(f"{shards}/shard-{{000..002}}.tar"))
        self.check(lk.read(shards / "shard-000.tar"), 2)
        with pytest.raises(InputError, match=r"'shard-003\.tar'"):
            lk.read(f"{shards}/shard-{{000..003}}.tar")
        with pytest.raises(InputError, match="There is nothing at"):
            lk.read(f"{shards}/none-{{000..003}}.tar")

    def test_splits_are_those_of_the_names(self, shards: Path) -> None:
        for number, split in enumerate(("train-0", "train-1", "val-0")):
            (shards / f"shard-{number:03d}.tar").rename(shards / f"{split}.tar")
        assert lk.read(shards).frame["split"].tolist() == ["train"] * 4 + ["val"]

    def test_what_webdataset_reads_is_what_is_read(self, shards: Path) -> None:
        with warnings.catch_warnings(action="ignore"):  # it leaves files open
            theirs = webdataset.WebDataset(f"{shards}/shard-{{000..002}}.tar", shardshuffle=False).decode("pil").to_tuple("png", "cls")
            read = [(image.getpixel((0, 0))[0], label) for image, label in theirs]
            del theirs
            gc.collect()
        table = lk.read(shards)
        assert read == list(zip(numbers(table), table.frame["class"].astype(int), strict=True))
