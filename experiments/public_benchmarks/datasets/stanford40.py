"""Stanford 40 Actions (Yao et al., Human Action Recognition by Learning Bases of Action Attributes and Parts, ICCV 2011) in its official layout."""

import re
from pathlib import Path

import pandas as pd

from likeness.data import Dataset, ImageTable, OfficialLayout, check_split

LAYOUT = OfficialLayout("Stanford 40 Actions", "https://vision.stanford.edu/Datasets/40actions.html", ("ImageSplits",))
_IMAGE = re.compile(r"(?P<action>[A-Za-z][A-Za-z_]*)_\d+\.jpe?g", re.IGNORECASE)
_PARTS = ("train", "test")


def read_stanford40(folder: str | Path, split: str = "test") -> ImageTable:
    """Photos of people with the `action` that they do, in words ("blowing bubbles"): 4,000 that train, 5,532 for the test.

    Files: `ImageSplits/train.txt`, `ImageSplits/test.txt`, a file name a line, and `JPEGImages/`. The action stands in the name
    ("blowing_bubbles_012.jpg").

    Args:
        folder: the dataset's folder, or the one it lies in.
        split: "test", "train" or "all".

    Raises:
        InputError: a missing or damaged file, an unknown or empty split, or no image at all.
    """
    check_split(split)
    root = LAYOUT.root(folder)
    rows = []
    for part in _PARTS if split == "all" else (split,):
        index = LAYOUT.find(root, f"ImageSplits/{part}.txt")
        for line, name in LAYOUT.lines(index):
            match = _IMAGE.fullmatch(name)
            if match is None:
                raise LAYOUT.malformed(index, f"line {line}", name, "an action, a number and .jpg, such as 'riding_a_bike_001.jpg'")
            rows.append((f"JPEGImages/{name}", match["action"].replace("_", " ").lower()))
    return LAYOUT.table(root, pd.DataFrame(rows, columns=["path", "action"], dtype=object), split, index)


_HELP = "Photos of people in 40 actions; 5,532 are evaluated."
DATASET = Dataset("stanford40", LAYOUT.name, _HELP, read_stanford40, LAYOUT)
