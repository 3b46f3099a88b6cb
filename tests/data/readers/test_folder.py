"""Folders of images as tables."""

import os
from pathlib import Path

import pytest

from likeness.data import read_folder
from likeness.data.readers.folder import natural_key
from likeness.errors import InputError


def touch(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def test_images_in_natural_order_others_left_out(tmp_path: Path) -> None:
    touch(tmp_path, "10.png", "2.PNG", "1.jpeg", "notes.txt", "no_suffix", ".hidden.png", "labels.csv")
    table = read_folder(tmp_path)
    assert list(table.frame["path"]) == ["1.jpeg", "2.PNG", "10.png"]
    assert table.attributes == []
    assert table.root == tmp_path
    assert table.name == tmp_path.name


def test_subfolders_are_classes(tmp_path: Path) -> None:
    touch(tmp_path, "cat/2.png", "cat/1.png", "dog/old/3.png", ".cache/4.png", "__MACOSX/cat/1.png")
    table = read_folder(str(tmp_path), name="Pets")
    assert list(table.frame["path"]) == ["cat/1.png", "cat/2.png", "dog/old/3.png"]
    assert list(table.frame["class"]) == ["cat", "cat", "old"]
    assert table.name == "Pets"


def test_images_beside_class_folders(tmp_path: Path) -> None:
    table = read_folder(touch(tmp_path, "cat/1.png", "0.png"))
    assert dict(zip(table.frame["path"], table.frame["class"], strict=True)) == {"0.png": "(none)", "cat/1.png": "cat"}


def test_linked_folders_are_followed_once(tmp_path: Path) -> None:
    touch(tmp_path / "elsewhere", "1.png")
    touch(tmp_path / "images", "0.png")
    (tmp_path / "images" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "loop").symlink_to(tmp_path / "images")
    assert list(read_folder(tmp_path / "images").frame["path"]) == ["0.png", "linked/1.png"]


def test_unusual_names(tmp_path: Path) -> None:
    names = ["größe 1.png", "a,b;c.png", "x\ny.png", "%41.png"]
    assert sorted(read_folder(touch(tmp_path, *names)).frame["path"]) == sorted(names)


def test_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_folder(touch(tmp_path, "photos/1.png") and "~/photos").root == tmp_path / "photos"


@pytest.mark.parametrize(
    "ordered",
    [["a1", "a2", "a10"], ["1", "2", "a"], ["img9b", "img10a"], ["A", "b", "C"], ["x", "x1", "x1y", "x2"], ["7", "007a"], ["a/2", "a/10", "a10/1"]],
)
def test_natural_order(ordered: list[str]) -> None:
    assert sorted([*ordered[1:], ordered[0]], key=natural_key) == ordered


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no folder '.*nowhere'; check the spelling"):
        read_folder(tmp_path / "nowhere")


def test_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a file, not a folder; give the folder"):
        read_folder(touch(tmp_path, "1.png") / "1.png")


def test_no_images(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no images \(\.avif, .*\), nor do its subfolders"):
        read_folder(touch(tmp_path, "notes.txt", ".hidden.png"))


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_subfolder_that_may_not_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path, "1.png", "closed/2.png")
    scan = os.scandir

    def refuse(path: str):
        if str(path).endswith("closed"):  # the tests may run as root, whom no permission stops
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError, match=r"closed' cannot be listed \(permission denied\); allow reading it"):
        read_folder(tmp_path)
