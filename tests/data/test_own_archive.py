"""A ZIP file that a person names in place of a folder."""

import zipfile
from pathlib import Path

import pytest
from PIL import Image

import likeness as lk
from likeness.data import own_archive
from likeness.data.upload_archive import UploadLimits
from likeness.errors import InputError


def _pack(file: Path, *others: tuple[str, bytes], shade: int = 0) -> Path:
    with zipfile.ZipFile(file, "w") as archive:
        for number, kind in enumerate(["cat", "dog"]):
            with archive.open(f"{kind}/{number}.png", "w") as picture:
                Image.new("RGB", (8, 8), (shade, 100 * number, 0)).save(picture, "PNG")
        for name, content in others:
            archive.writestr(name, content)
    return file


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    return _pack(tmp_path / "pets.zip", ("cat/broken.png", b"no image"))


def test_it_reads_like_the_folder_in_it(pets: Path) -> None:
    table = lk.read(pets)
    assert table.name == "pets"
    assert list(table.frame["class"]) == ["cat", "dog"]
    assert [failure.path for failure in table.failed] == ["cat/broken.png"]
    assert all(path.is_file() for path in table.paths())
    space = lk.embed(str(pets), "cars-small")
    assert (len(space), [failure.path for failure in space.table.failed]) == (2, ["cat/broken.png"])


def test_it_is_unpacked_once_and_again_when_it_changes(pets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = lk.read(pets)
    with monkeypatch.context() as patch:
        patch.setattr(own_archive, "save_uploads", None)
        again = lk.read(str(pets))
    assert again.frame.equals(first.frame)
    assert (again.root, again.failed, again.name) == (first.root, first.failed, first.name)
    _pack(pets, shade=50)
    assert lk.read(pets).root != first.root
    for file in own_archive.archives_dir().glob("*.json"):
        file.write_text("damaged")
    assert len(lk.read(pets)) == 2


def test_a_table_in_it_is_read(tmp_path: Path) -> None:
    file = _pack(tmp_path / "x.zip", ("captions.csv", b"photo,caption\n0.png,a cat\n1.png,a dog\n"))
    assert lk.read(file).attributes == ["class"]
    assert "has no column of image paths" in lk.read(file).notes[0]
    table = lk.read(file, path_column="photo")
    assert table.attributes == ["caption"]
    assert list(table.frame["caption"]) == ["a cat", "a dog"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *[(name, "is an archive of an unsupported kind; unpack it and pass the folder, or pack .* as a ZIP") for name in ("x.tar.gz", "x.7z")],
        ("x.zip", "is damaged"),
    ],
)
def test_what_is_not_unpacked(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(InputError, match=f"'{name}' {said}"):
        lk.read(tmp_path / name)
    assert not list(own_archive.archives_dir().glob("*.json"))


def test_one_that_holds_too_much(pets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_archive, "_LIMITS", UploadLimits(images=2))
    with pytest.raises(InputError, match=r"'pets\.zip' holds 3 files of .* MB, more than the limits \(2 files, 512 MB\); unpack it yourself"):
        lk.read(pets)
