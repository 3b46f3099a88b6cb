"""Folders with metadata as `datasets` reads them with its builder "imagefolder"; and the folder that an export writes."""

import gc
import warnings
from pathlib import Path
from typing import Any

import datasets
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.io import cache_dir
from numbered_pictures import numbers, write_pictures


def theirs(folder: Path) -> list[dict[str, Any]]:
    with warnings.catch_warnings(action="ignore"):  # it leaves files open
        found = list(datasets.load_dataset("imagefolder", data_dir=str(folder), split="train", cache_dir=str(cache_dir() / "hf")))
        gc.collect()
    return found


CSV = "file_name,caption,score\na.png,an eye,1.5\nsub/b.png,,2.0\n"
LINES = '{"file_name": "a.png", "caption": "an eye", "score": 1.5}\n{"file_name": "sub/b.png", "score": 2.0, "objects": {"bbox": [[1, 2, 3, 4]]}}\n'


@pytest.mark.parametrize(("name", "text"), [("metadata.csv", CSV), ("metadata.jsonl", LINES)])
def test_columns_are_those_that_datasets_reads(tmp_path: Path, name: str, text: str) -> None:
    folder = write_pictures(tmp_path / "photos", "a.png", "sub/b.png")
    (folder / name).write_text(text)
    table = lk.read(folder)
    assert numbers(table) == [0, 1]
    found = theirs(folder)
    ours = dict(zip(table.frame["caption"].fillna(""), numbers(table), strict=True))
    assert {row["caption"] or "": row["image"].getpixel((0, 0))[0] for row in found} == ours
    assert sorted(row["score"] for row in found) == table.frame["score"].tolist() == [1.5, 2.0]
    assert table.notes == ("Read as an imagefolder; 'folder:photos' takes all of its images, and the names of its folders.",)
    if name == "metadata.jsonl":
        assert lk.read(folder / name).frame.equals(table.frame)


def test_all_images_are_rows_and_metadata_may_stand_in_subfolders(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "photos", "train/a.png", "train/b.png", "test/a.png")
    (folder / "train" / "metadata.csv").write_text("file_name,breed\na.png,pug\n")
    (folder / "test" / "metadata.csv").write_text("file_name,breed\n./a.png,husky\n")
    frame = lk.read(folder).frame
    assert frame["split"].tolist() == ["test", "train", "train"]
    assert frame["breed"].fillna("").tolist() == ["husky", "pug", ""]
    assert lk.read(folder, caption_column="breed").frame["caption"].tolist()[:2] == ["husky", "pug"]
    (folder / "metadata.csv").write_text("file_name,breed\ntrain/a.png,pug\n")
    with pytest.raises(InputError, match=r"The metadata of 'photos' lists 'train/a\.png' twice"):
        lk.read(folder)


def test_an_export_of_links_is_an_imagefolder(tmp_path: Path) -> None:
    table = lk.read(write_pictures(tmp_path / "own", "cat/a.png", "dog/b.png"))
    lk.export(table, "links", tmp_path / "out", label="class", link="copy")
    found = theirs(tmp_path / "out")
    assert sorted((row["class"], row["image"].getpixel((0, 0))[0]) for row in found) == [("cat", 0), ("dog", 1)]
    again = lk.read(tmp_path / "out")
    assert (numbers(again), again.frame["class"].tolist()) == ([0, 1], ["cat", "dog"])
    assert lk.read(tmp_path / "out" / "metadata.csv").frame["class"].tolist() == ["cat", "dog"]


def test_damage(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "photos", "a.png")
    (folder / "metadata.jsonl").write_text('{"file_name": "a.png"')
    with pytest.raises(InputError, match=r"A line of 'metadata\.jsonl' is not valid JSON"):
        lk.read(folder)
    assert len(lk.read(folder, as_="folder")) == 1
