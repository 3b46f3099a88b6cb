"""Google Landmarks v2 on a miniature copy of its layout."""

from pathlib import Path

import pytest
from tests.data.conftest import LANDMARKS, landmark_id

from likeness.data import read_official_parts
from likeness.data.readers.google_landmarks import read_google_landmarks
from likeness.errors import InputError

DATASET = "google-landmarks"
A, B, C, OTHER = (landmark_id(id) for id in LANDMARKS["index"])


def test_queries_search_the_index(root: Path) -> None:
    frame = read_google_landmarks(root).frame
    assert frame["path"].tolist()[:3] == [
        "test/e/0/0/e001e001e001e001.jpg",
        "test/e/0/0/e003e003e003e003.jpg",  # the others are ignored
        "index/a/0/b/a0b1a0b1a0b1a0b1.jpg",
    ]
    assert frame["split"].tolist() == ["query"] * 2 + ["gallery"] * 4
    assert frame["landmark"].tolist() == ["index 7", "index 7", "index 7", "index 7", "index 8", "index 9"]
    assert frame["relevant"].tolist() == [f"{A} {B}", f"{C} {A} {B}", "", "", "", ""]
    assert frame["usage"].tolist() == ["Private", "Public", "", "", "", ""]
    assert set(read_google_landmarks(root, "gallery").frame["landmark"]) == {"index 7", "index 8", "index 9"}
    assert len(read_google_landmarks(root, "query")) == 2


def test_all_that_trains_and_what_is_clean_of_it(root: Path) -> None:
    frame = read_google_landmarks(root, "train").frame
    assert frame["landmark"].tolist() == ["7", "7", "142820"]
    assert frame["path"][2] == "train/1/c/3/1c3d1c3d1c3d1c3d.jpg"
    clean = read_google_landmarks(root, "clean").frame
    assert clean[["path", "landmark"]].equals(frame.loc[[0, 2], ["path", "landmark"]].reset_index(drop=True))
    assert set(clean["split"]) == {"train"}
    both, count = read_official_parts(f"google-landmarks:{root}")
    assert not set(both.frame["landmark"][:count]) & set(both.frame["landmark"][count:])  # landmark 7 of the one is not that of the other


def test_each_split_needs_its_own_lists_only(root: Path) -> None:
    for name in ("train.csv", "retrieval_solution_v2.1.csv", "index.csv", "test.csv"):
        (root / name).unlink()
    assert len(read_google_landmarks(root, "clean")) == 2
    assert len(read_google_landmarks(root, "gallery")) == 4
    with pytest.raises(InputError, match=r"lacks 'retrieval_solution_v2\.1\.csv'; get it from the dataset published at https://github\.com/cvd"):
        read_google_landmarks(root)
    with pytest.raises(InputError, match="There is no split 'index'; choose from test, train, clean, query, gallery, all"):
        read_google_landmarks(root, "index")


def test_a_list_without_titles_and_with_the_ends_of_lines_of_windows(root: Path) -> None:
    file = root / "index_image_to_landmark.csv"
    lines = file.read_text().splitlines()
    file.write_text("\ufeff" + "\r\n".join(lines[1:]) + "\r\n", encoding="utf-8")
    assert len(read_google_landmarks(root, "gallery")) == 4


def test_an_unfinished_download(root: Path) -> None:
    """Tars that are not there yet, and a list that ends in the middle of a line."""
    for path in (root / "index").rglob(f"{OTHER}.jpg"):
        path.unlink()
    assert len(read_google_landmarks(root, "gallery")) == 4
    for path in (root / "index").rglob("*.jpg"):
        path.unlink()
    said = (
        r"None of the 4 images that 'index_image_to_landmark\.csv' lists .* \(the first is 'index/a/0/b/a0b1a0b1a0b1a0b1\.jpg'\); unpack the images"
    )
    with pytest.raises(InputError, match=said):
        read_google_landmarks(root, "gallery")
    file = root / "train.csv"
    file.write_text(file.read_text(encoding="utf-8")[:-12], encoding="utf-8")
    with pytest.raises(InputError, match=r"In 'train\.csv' of Google Landmarks v2, line 4 is '1c3d1c3d1c3d1c3d,\"https://"):
        read_google_landmarks(root, "train")
