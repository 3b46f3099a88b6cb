"""Folders of images as tables."""

import io
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from foreign_files import HEIC, dng, exif, jpeg, write_pdf, write_video
from likeness.data import Failure, read_folder, thumbnail
from likeness.data.readers.folder import natural_key
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.io import confine


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
    assert table.notes == ("The folder holds the table 'labels.csv', which is not read; pass that file instead of the folder to get its columns.",)
    assert table.root == tmp_path
    assert table.name == tmp_path.name
    (note,) = read_folder(touch(tmp_path, "a.csv", "b/c.tsv", ".hidden.csv", "b/e.csv")).notes
    assert note.startswith("The folder holds 4 tables ('")


def test_subfolders_are_classes(tmp_path: Path) -> None:
    touch(tmp_path, "cat/2.png", "cat/1.png", "dog/old/3.png", ".cache/4.png", "__MACOSX/cat/1.png", "0.png")
    table = read_folder(str(tmp_path), name="Pets")
    assert list(table.frame["path"]) == ["0.png", "cat/1.png", "cat/2.png", "dog/old/3.png"]
    assert list(table.frame["class"]) == ["(none)", "cat", "cat", "dog"]
    assert list(table.frame["folder 2"]) == ["(none)", "(none)", "(none)", "old"]
    assert table.name == "Pets"


def test_linked_folders_are_followed_once_and_not_out_of_those_that_may_be_read(tmp_path: Path) -> None:
    touch(tmp_path / "elsewhere", "1.png")
    touch(tmp_path / "images", "0.png")
    (tmp_path / "images" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "loop").symlink_to(tmp_path / "images")
    assert list(read_folder(tmp_path / "images").frame["path"]) == ["0.png", "linked/1.png"]
    confine([tmp_path / "images"])
    assert list(read_folder(tmp_path / "images").frame["path"]) == ["0.png"]


@pytest.mark.parametrize(
    "ordered",
    [["a1", "a2", "a10"], ["1", "2", "a"], ["img9b", "img10a"], ["A", "b", "C"], ["x", "x1", "x1y", "x2"], ["7", "007a"], ["a/2", "a/10", "a10/1"]],
)
def test_natural_order(ordered: list[str]) -> None:
    assert sorted([*ordered[1:], ordered[0]], key=natural_key) == ordered


def test_a_subfolder_that_may_not_be_listed_is_reported_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path, "1.png", "a/closed/2.png", "a/3.png")
    scan = os.scandir

    def refuse(path: str):
        """The tests may run as root, whom no permission stops."""
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    table = read_folder(tmp_path)
    assert list(table.frame["path"]) == ["1.png", "a/3.png"]
    assert table.failed == (Failure(-1, "a/closed", "The folder cannot be listed (permission denied); check its permissions, or move it away."),)
    for name in ("1.png", "a/3.png"):
        (tmp_path / name).unlink()
    with pytest.raises(InputError, match=r"closed' cannot be listed \(permission denied\); check its permissions"):
        read_folder(tmp_path / "a" / "closed")
    with pytest.raises(InputError, match=r"holds no images .*'a/closed' The folder cannot be listed \(permission denied\)"):
        read_folder(tmp_path)
    # by embedding, too
    Image.new("RGB", (8, 8), "red").save(tmp_path / "1.png")
    touch(tmp_path, "@eaDir/1.png/SYNOPHOTO_THUMB_M.jpg", "damaged.png")
    table = embed(read_folder(tmp_path), "cars-small").table
    assert [failure.path for failure in table.failed] == ["a/closed", "damaged.png"]
    assert table.notes == read_folder(tmp_path).notes != ()


def test_what_programs_keep_beside_photos_is_left_out_and_counted(tmp_path: Path) -> None:
    shown = ["2024/1.jpg", "derivatives/2.jpg", "My.photoslibrary/originals/A/3.jpg", "Previews/4.jpg"]
    kept = [
        *("@eaDir/1.jpg/SYNOPHOTO_THUMB_XL.jpg", "2024/@eaDir/1.jpg/SYNOPHOTO_THUMB_XL.jpg", "#recycle/old.jpg", ".Trash-1000/files/old.jpg"),
        *("$RECYCLE.BIN/S-1-5-21/$R1.jpg", ".thumbnails/large/1.png", "__MACOSX/2024/1.jpg", "Catalog Smart Previews.lrdata/0/1.dng"),
        *("My.photoslibrary/resources/derivatives/A/3_1_105_c.jpeg", "Old.photolibrary/Thumbnails/1.jpg"),
    ]
    table = read_folder(touch(tmp_path, *shown, *kept))
    assert sorted(table.frame["path"]) == sorted(shown)
    assert len(table.notes) == 1
    assert table.notes[0].startswith("10 folders that programs keep beside photos (thumbnails, deleted files) were skipped: '@eaDir' (2), ")
    (note,) = read_folder(tmp_path / "2024").notes
    assert note.endswith("1 folder that a program keeps beside photos (thumbnails, deleted files) was skipped: '@eaDir'.")
    assert read_folder(tmp_path / "@eaDir" / "1.jpg").notes == ()  # who names such a folder means it


@pytest.mark.parametrize(
    ("files", "folder", "said"),
    [
        ((), "nowhere", r"There is no folder '.*nowhere'; check the spelling"),
        (("1.png",), "1.png", "is a file, not a folder; pass the folder"),
        (("notes.txt", ".hidden.png"), "", r"holds no images \(\.avif, .*\), nor do its subfolders"),
        (("@eaDir/1.jpg/SYNOPHOTO_THUMB_XL.jpg",), "", r"holds no images .* \('@eaDir' of programs are left out\); choose another"),
    ],
)
def test_what_is_no_folder_of_images(tmp_path: Path, files: tuple[str, ...], folder: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_folder(touch(tmp_path, *files) / folder)


def test_a_row_for_each_second_and_page(tmp_path: Path) -> None:
    (tmp_path / "trips").mkdir()
    write_video(tmp_path / "trips" / "clip.mp4", shades=(0, 240))
    write_pdf(tmp_path / "paper.pdf")
    (tmp_path / "a.dng").write_bytes(dng())
    frame = read_folder(tmp_path).frame
    assert list(frame["path"]) == ["a.dng", "paper.pdf#page=1", "paper.pdf#page=2", "trips/clip.mp4#t=0", "trips/clip.mp4#t=1"]
    assert list(frame["class"]) == ["(none)", "(none)", "(none)", "trips", "trips"]
    assert list(frame["file"]) == ["(none)", "paper.pdf", "paper.pdf", "trips/clip.mp4", "trips/clip.mp4"]
    np.testing.assert_array_equal(frame["second"], [np.nan, np.nan, np.nan, 0, 1])
    np.testing.assert_array_equal(frame["page"], [np.nan, 1, 2, np.nan, np.nan])
    for name in ("trips/clip.mp4", "paper.pdf"):  # what is damaged is one row
        (tmp_path / name).write_bytes(b"damaged")
    frame = read_folder(tmp_path).frame
    assert frame[["path", "class"]].to_numpy().tolist() == [["a.dng", "(none)"], ["paper.pdf", "(none)"], ["trips/clip.mp4", "trips"]]
    assert not {"file", "second", "page"} & set(frame)


def test_when_and_with_what_photos_were_taken_without_their_moving_part(tmp_path: Path) -> None:
    (tmp_path / "a.heic").write_bytes(HEIC)
    (tmp_path / "b.jpg").write_bytes(jpeg(exif=exif("2019:12:31 23:00:00", place=True)))
    (tmp_path / "c.jpg").write_bytes(jpeg())
    camera, none = "Apple iPhone 15", "(none)"
    taken = {"taken": ["2024-05-03 14:22:10", "2019-12-31 23:00:00", none], "year": ["2024", "2019", none], "camera": [camera, camera, none]}
    table = read_folder(tmp_path)
    assert table.frame[table.attributes].to_dict("list") == taken
    placed = read_folder(tmp_path, gps=True)
    assert placed.attributes == ["taken", "year", "camera", "latitude", "longitude"]
    np.testing.assert_allclose(placed.frame["longitude"], [np.nan, -8.25, np.nan])
    for name in ("a.MOV", "d.MOV", "a.mp4"):
        write_video(tmp_path / name, shades=(0,))
    assert [path.partition("#")[0] for path in read_folder(tmp_path).frame["path"]] == ["a.heic", "a.mp4", "b.jpg", "c.jpg", "d.MOV"]


def test_links_that_lead_nowhere_or_in_a_circle_are_rows_that_embedding_lists(tmp_path: Path) -> None:
    for name, to in {"nowhere.jpg": "gone.jpg", "loop.png": "loop.png", "clip.mp4": "gone.mp4", "folder": "folder", "self": ""}.items():
        (tmp_path / name).symlink_to(tmp_path / to)
    (tmp_path / "a.jpg").write_bytes(jpeg(exif=exif()))
    table = read_folder(tmp_path)
    assert list(table.frame["path"]) == ["a.jpg", "clip.mp4", "loop.png", "nowhere.jpg"]
    assert list(table.frame["year"]) == ["2024", "(none)", "(none)", "(none)"]


def test_folders_that_go_while_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path, "1.png", "gone/2.png", "kept/3.png")
    scan = os.scandir

    def remove(path: str):
        if str(path).endswith("gone"):
            (tmp_path / "gone" / "2.png").unlink(missing_ok=True)
            (tmp_path / "gone").rmdir()
        return scan(path)

    monkeypatch.setattr(os, "scandir", remove)
    assert list(read_folder(tmp_path).frame["path"]) == ["1.png", "kept/3.png"]


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8")
def test_names_in_any_script_with_their_seconds(tmp_path: Path) -> None:
    for name in ("фото.mp4", "写真#t=1.mp4", os.fsdecode(b"caf\xe9.mp4")):
        write_video(tmp_path / "a.mp4", shades=(0, 240))
        os.rename(tmp_path / "a.mp4", tmp_path / name)
    table = read_folder(tmp_path)
    names = ["caf\N{REPLACEMENT CHARACTER}E9.mp4", "фото.mp4", "写真#t=1.mp4"]
    assert list(table.frame["path"]) == [f"{name}#t={second}" for name in names for second in range(2)]
    for row, path in enumerate(table.paths()):
        with Image.open(io.BytesIO(thumbnail(path))) as picture:
            assert np.asarray(picture.convert("L")).mean() == pytest.approx(240 * (row % 2), abs=6)
