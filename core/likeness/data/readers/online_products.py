"""Stanford Online Products (Oh Song et al., Deep Metric Learning via Lifted Structured Feature Embedding, 2016) in its official layout."""

import re
from pathlib import Path

import pandas as pd

from likeness.data.protocols import check_split
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable

_INDEXES = {"train": "Ebay_train.txt", "test": "Ebay_test.txt"}
LAYOUT = OfficialLayout("Stanford Online Products", "https://cvgl.stanford.edu/projects/lifted_struct/", tuple(_INDEXES.values()))
_TITLES = re.compile(r"image_id\s+class_id\b")
_LINE = re.compile(r"\d+\s+(?P<product>\d+)\s+\d+\s+(?P<path>(?P<kind>[^/]*).*)")


def read_online_products(folder: str | Path, split: str = "test") -> ImageTable:
    """Stanford Online Products with its two labels.

    Attributes: `product`, the number of the product (classes of the benchmark), and `product_kind`, one of twelve ("bicycle", "chair" ...), the
    only names that the dataset has. Files: `Ebay_train.txt` and `Ebay_test.txt`, with a line "image_id class_id super_class_id path" for each
    image after a heading, and the folders of images (`bicycle_final/` ...). Splits: "test", the official 11,316 products (60,502 images); "train",
    the other 11,318 (59,551); "all".
    """
    check_split(split)
    root = LAYOUT.root(folder)
    files = [LAYOUT.find(root, _INDEXES[each]) for each in (("train", "test") if split == "all" else (split,))]
    rows = [
        (found["path"], found["product"], found["kind"].removesuffix("_final").replace("_", " "))
        for file in files
        for _, found in LAYOUT.matches(file, [each for each in LAYOUT.lines(file) if not _TITLES.match(each[1])], _LINE, "three numbers and a path")
    ]
    return LAYOUT.table(root, pd.DataFrame(rows, columns=["path", "product", "product_kind"]), split, files[-1])


DATASET = Dataset(
    "online-products", LAYOUT.name, "Products of an online shop; 60,502 images of 11,316 products are evaluated.", read_online_products, LAYOUT
)
