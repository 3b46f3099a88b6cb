"""In-Shop Clothes Retrieval of DeepFashion (Liu et al., DeepFashion, CVPR 2016) in its official layout."""

import re
from pathlib import Path

import pandas as pd

from likeness.data.protocols import retrieval_sets
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable

_PAGE = "https://mmlab.ie.cuhk.edu.hk/projects/DeepFashion/InShopRetrieval.html"
_LIST = "list_eval_partition.txt"
LAYOUT = OfficialLayout("In-Shop Clothes Retrieval", _PAGE, (f"Eval/{_LIST}", _LIST), distinct=False)  # CelebA has a list of this name, too
_LINE = re.compile(r"(?P<path>img/(?P<department>[^/]+)/(?P<kind>[^/]+)/[^/]+/[^/]+?)\s+(?P<item>id_\w+)\s+(?P<set>train|query|gallery)")
_EXPECTED = "an image such as img/WOMEN/Dresses/id_00000002/02_1_front.jpg, its item, and train, query or gallery"


def read_in_shop(folder: str | Path, split: str = "test") -> ImageTable:
    """In-Shop Clothes Retrieval: several photos of each item of a shop.

    Attributes: `item` ("id_00000002", classes of the benchmark); by the folders, `item_kind` ("Blouses Shirts") and `department` ("WOMEN"); `split`,
    the official set. Files: `Eval/list_eval_partition.txt` (or here), with the number of images, titles, and lines "image_name item_id
    evaluation_status"; the images `img/...` lie here or in `Img/`. The format follows docs/dataset/IN_SHOP_DATASET.md of mmfashion; the archive was
    not at hand. Splits: "train" (25,882 images of 3,997 items); "query" (14,218 of 3,985 others), searching "gallery" (12,612); "test", both; "all".
    """
    sets = retrieval_sets(split)
    root = LAYOUT.root(folder)
    index = LAYOUT.find(root, *LAYOUT.indexes)
    images = "Img/" if (root / "Img" / "img").is_dir() else ""
    rows = [
        (
            images + LAYOUT.inside(index, f"line {line}", found["path"]),
            found["item"],
            found["kind"].replace("_", " "),
            found["department"],
            found["set"],
        )
        for line, found in LAYOUT.matches(index, LAYOUT.counted_lines(index, "images"), _LINE, _EXPECTED)
        if found["set"] in sets
    ]
    return LAYOUT.table(root, pd.DataFrame(rows, columns=["path", "item", "item_kind", "department", "split"], dtype=object), split, index)


DATASET = Dataset("in-shop", LAYOUT.name, "Clothes of an online shop by item: 14,218 queries search 12,612 images.", read_in_shop, LAYOUT)
