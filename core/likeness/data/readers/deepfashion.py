"""DeepFashion, Category and Attribute Prediction, fine-grained annotation (Liu et al., DeepFashion, CVPR 2016)."""

import re
from pathlib import Path

import pandas as pd

from likeness.data.protocols import check_split
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable

LAYOUT = OfficialLayout(
    "DeepFashion", "https://mmlab.ie.cuhk.edu.hk/projects/DeepFashion/AttributePrediction.html", ("Anno_fine/list_attr_cloth.txt",)
)
GROUPS = {
    "clothing_texture": ("floral", "graphic", "striped", "embroidered", "pleated", "solid", "lattice"),
    "clothing_fabric": ("denim", "chiffon", "cotton", "leather", "faux", "knit"),
    "clothing_fit": ("tight", "loose", "conventional"),
}
NONE_SET = "(none)"
_PARTS = {"test": ("test",), "train": ("train",), "val": ("val",), "all": ("train", "val", "test")}


def read_deepfashion(folder: str | Path, split: str = "test") -> ImageTable:
    """DeepFashion's fine-grained annotation with the labels that the InDiReCT paper judges its notions by.

    Attributes: `clothing_category` (one of 50), `clothing_texture` (of 7), `clothing_fabric` (of 6) and `clothing_fit` (of 3). Of the 26 binary
    attributes, those of a group that are set make the label; several are joined by " + ", none is "(none)", so that equal labels mean equal bits,
    as in the authors' notebook. Images are read whole: bounding boxes are published (`Anno_fine/test_bbox.txt`), but the paper does not say that
    it crops, and its notebook does not.

    Files: in `Anno_fine/` `list_category_cloth.txt`, `list_attr_cloth.txt`, and for each part `test.txt`, `test_cate.txt`, `test_attr.txt`; the
    images that `test.txt` lists as `img/...` lie here or in `Img/`. The layout follows the authors' notebook and other public readers; the archive
    itself was not at hand.

    Splits: the official parts "test" (4,000 images, which the paper evaluates), "train", "val", or "all" three.
    """
    check_split(split, tuple(_PARTS))
    root = LAYOUT.root(folder)
    categories = _names(LAYOUT.find(root, "Anno_fine/list_category_cloth.txt"))
    attributes = _names(LAYOUT.find(root, "Anno_fine/list_attr_cloth.txt"))
    images = "Img/" if (root / "Img" / "img").is_dir() else ""
    frames = [_part(root, part, categories, attributes) for part in _PARTS[split]]
    frame = pd.concat(frames, ignore_index=True)
    frame["path"] = images + frame["path"]
    return LAYOUT.table(root, frame, split, root / "Anno_fine" / f"{_PARTS[split][-1]}.txt")


def _part(root: Path, part: str, categories: list[str], attributes: list[str]) -> pd.DataFrame:
    index, cate, attr = (LAYOUT.find(root, f"Anno_fine/{part}{kind}.txt") for kind in ("", "_cate", "_attr"))
    paths, numbers, bits = (LAYOUT.lines(file) for file in (index, cate, attr))
    for file, lines in ((cate, numbers), (attr, bits)):
        if len(lines) != len(paths):
            raise LAYOUT.error(file, f"has {len(lines)} lines, but '{index.name}' lists {len(paths)} images")
    frame = pd.DataFrame({"path": [path for _, path in paths]}, dtype=object)
    frame["clothing_category"] = [
        categories[LAYOUT.whole(cate, f"line {line}", text, "a category", 1, len(categories)) - 1] for line, text in numbers
    ]
    pattern = re.compile(rf"[01](?:\s+[01]){{{len(attributes) - 1}}}")
    rows = [found[0].split() for _, found in LAYOUT.matches(attr, bits, pattern, f"{len(attributes)} times 0 or 1")]
    for group, names in GROUPS.items():
        if missing := [name for name in names if name not in attributes]:
            raise LAYOUT.error(root / "Anno_fine/list_attr_cloth.txt", f"lacks the attribute '{missing[0]}'")
        places = [(name, attributes.index(name)) for name in names]
        frame[group] = [" + ".join(name for name, place in places if row[place] == "1") or NONE_SET for row in rows]
    return frame


def _names(file: Path) -> list[str]:
    """The first words of a list whose two first lines hold the count and the titles."""
    return [text.rsplit(maxsplit=1)[0] for _, text in LAYOUT.counted_lines(file, "names")]


DATASET = Dataset("deepfashion", LAYOUT.name, "Clothes by category, texture, fabric and fit; 4,000 images are evaluated.", read_deepfashion, LAYOUT)
