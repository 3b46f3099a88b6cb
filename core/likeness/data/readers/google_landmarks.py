"""Google Landmarks v2 (Weyand et al., Google Landmarks Dataset v2, CVPR 2020), version 2.1, in its official layout."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from likeness.data.protocols import check_split, retrieval_sets
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable

_FILES = {"train": "train.csv", "clean": "train_clean.csv", "query": "retrieval_solution_v2.1.csv", "gallery": "index_image_to_landmark.csv"}
LAYOUT = OfficialLayout("Google Landmarks v2", "https://github.com/cvdfoundation/google-landmark", tuple(_FILES.values()), distinct=False)
_ID, _IDS, _LANDMARK = "(?P<id>[0-9a-z]{16})", "(?P<ids>[0-9a-z]{16}(?: +[0-9a-z]{16})*)", "(?P<landmark>[0-9]+)"
_LINES = {
    "train": re.compile(f"{_ID},.*,{_LANDMARK}"),
    "clean": re.compile(f"{_LANDMARK},{_IDS}"),
    "query": re.compile(rf"{_ID},(?:None|{_IDS}),(?P<usage>\w+)"),
    "gallery": re.compile(f"{_ID},{_LANDMARK}"),
}


def read_google_landmarks(folder: str | Path, split: str = "test") -> ImageTable:
    """Google Landmarks v2, for retrieval.

    Attributes: `landmark`, the number of a training image's landmark ("142820") or of an index image's ("index 7"), which are numbered apart; a query
    has that of most of its relevant images. `relevant`, by which the paper evaluates: the ids of a query's relevant index images. `usage` of a
    query: "Private" or "Public", the paper's test and validation. Both are empty for other images. `split`: "train", "query" or "gallery".

    Files, by their names on the dataset's page, for the splits that need them: `train.csv`, `train_clean.csv`, `index_image_to_landmark.csv` and,
    beside that, `retrieval_solution_v2.1.csv`, whose ids are those of `index.csv` and `test.csv`; images as `train/a/b/c/abc0123456789def.jpg`, and
    so in `index/` and `test/`. Splits: "query", the test images that the solution does not ignore, which search "gallery", the index (761,757
    images); "test", both; "train" (4,132,914), or of these "clean", 81,313 landmarks as most papers train on; "all": "train" and "test".
    """
    check_split(split, ("test", "train", "clean", "query", "gallery", "all"))
    sets = (split,) if split == "clean" else retrieval_sets(split)
    root = LAYOUT.root(folder)
    rows = [row for each in sets for row in (_queries(root) if each == "query" else _rows(root, each))]
    frame = pd.DataFrame(rows, columns=["path", "landmark", "relevant", "usage", "split"], dtype=object)
    return LAYOUT.table(root, frame, split, root / _FILES[sets[-1]])


def _rows(root: Path, part: str) -> Iterator[tuple[str, ...]]:
    place, name, before = ("index", "gallery", "index ") if part == "gallery" else ("train", "train", "")
    for _, found in _lines(root, part):
        for id in found["ids"].split() if part == "clean" else (found["id"],):
            yield _path(place, id), before + found["landmark"], "", "", name


def _queries(root: Path) -> Iterator[tuple[str, ...]]:
    landmarks = {path: landmark for path, landmark, *_ in _rows(root, "gallery")}
    for line, found in _lines(root, "query"):
        relevant = [_path("index", id) for id in (found["ids"] or "").split()]
        known = Counter(landmarks[path] for path in relevant if path in landmarks)
        if relevant and not known:
            raise LAYOUT.malformed(root / _FILES["query"], f"line {line}", found[0], f"images of '{_FILES['gallery']}'")
        if known:
            yield _path("test", found["id"]), known.most_common(1)[0][0], found["ids"], found["usage"], "query"


def _lines(root: Path, part: str) -> Iterator[tuple[int, re.Match[str]]]:
    file = LAYOUT.find(root, _FILES[part])
    lines = LAYOUT.lines(file)
    has_titles = bool(lines) and _LINES[part].fullmatch(lines[0][1]) is None
    return LAYOUT.matches(file, lines[has_titles:], _LINES[part], "the cells that line 1 names, with ids of 16 letters and digits")


def _path(folder: str, id: str) -> str:
    return f"{folder}/{id[0]}/{id[1]}/{id[2]}/{id}.jpg"


DATASET = Dataset("google-landmarks", LAYOUT.name, "Landmarks: test photos search an index of 761,757 images.", read_google_landmarks, LAYOUT)
