"""Market-1501 (Zheng et al., Scalable Person Re-identification: A Benchmark, ICCV 2015) in its official layout."""

import re
from pathlib import Path

import pandas as pd

from likeness.data.protocols import retrieval_sets
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import UNLABELED, ImageTable

_PAGE = "https://zheng-lab.cecs.anu.edu.au/Project/project_reid.html"
_FOLDERS = {"train": "bounding_box_train", "query": "query", "gallery": "bounding_box_test"}
_COUNTS = {"train": 12_936, "query": 3_368, "gallery": 19_732}
LAYOUT = OfficialLayout("Market-1501", _PAGE, ("bounding_box_test", "bounding_box_train"), distinct=False)  # DukeMTMC-reID has these folders, too
_NAME = re.compile(r"(-1|\d{4})_(c\d)s\d_.+")


def read_market1501(folder: str | Path, split: str = "test") -> ImageTable:
    """Market-1501: people as six cameras see them.

    Attributes, from names such as `0002_c1s1_000451_03.jpg`: `identity` ("0002"; "0000" of distractors, false detections that count as wrong answers;
    `UNLABELED` of junk, "-1" in the names, which metrics leave out, as they should), `camera` ("c1"), and `split`, the official set. In the paper's
    protocol only queries ask, and do not rank images of their own identity and camera: `cameras` of `retrieval_metrics`, and `data.query_attribute`
    and `data.camera_attribute` of a run.

    Files: `bounding_box_train/`, `query/` and `bounding_box_test/`, the gallery; they have no list, so a note says where there are fewer images than
    published. The layout follows the page and public readers (torchreid); the archive was not at hand. Splits: "train" (12,936 images of 751 people);
    "query" (3,368 of 750 others), which search "gallery" (19,732); "test", both; "all".
    """
    sets = retrieval_sets(split)
    root = LAYOUT.root(folder)
    rows = [
        (f"{_FOLDERS[each]}/{found[0]}", UNLABELED if found[1] == "-1" else found[1], found[2], each)
        for each in sets
        for found in LAYOUT.images(LAYOUT.find(root, _FOLDERS[each]), _NAME, "0002_c1s1_000451_03.jpg")
    ]
    frame = pd.DataFrame(rows, columns=["path", "identity", "camera", "split"], dtype=object)
    return LAYOUT.table(root, frame, split, root / _FOLDERS[sets[-1]], {each: _COUNTS[each] for each in sets})


DATASET = Dataset("market1501", LAYOUT.name, "People seen by six cameras: 3,368 queries search 19,732 images.", read_market1501, LAYOUT)
