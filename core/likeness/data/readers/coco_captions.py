"""COCO's captions (Chen et al., 2015) with the split of Karpathy and Fei-Fei (CVPR 2015), `dataset_coco.json`."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from likeness.data.captions_column import CAPTIONS_COLUMN, captions_cell
from likeness.data.protocols import check_split
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable

INDEX = "dataset_coco.json"
LAYOUT = OfficialLayout("COCO captions", "https://cs.stanford.edu/people/karpathy/deepimagesent/ (images: https://cocodataset.org)", (INDEX,))
CAPTION_SPLITS = ("train", "validation", "test")
# "restval": images of COCO's validation part that are in neither of Karpathy's two; everybody trains on them.
_OWN_NAMES = {"train": "train", "restval": "train", "val": "validation", "test": "test"}


def read_coco_captions(folder: str | Path, split: str = "all") -> ImageTable:
    """Images of COCO with some five sentences each: 113,287 that train, 5,000 for validation, 5,000 for the test; the splits are these three, and
    "all".

    Columns: `captions`, what `read_captions` reads; `split`, "train", "validation" or "test"; `cocoid`, COCO's number of the image, -1 where the
    file gives none. Files: `dataset_coco.json`, `train2014/` and `val2014/`.
    """
    check_split(split, ("test", "train", "validation", "all"))
    root = LAYOUT.root(folder)
    index = LAYOUT.find(root, INDEX)
    images = LAYOUT.json(index, dict).get("images")
    if not isinstance(images, list) or not images:
        raise LAYOUT.error(index, "has no list 'images'")
    frame = pd.DataFrame([_row(index, *each) for each in enumerate(images)], columns=["path", CAPTIONS_COLUMN, "split", "cocoid"])
    chosen = frame if split == "all" else frame[frame["split"] == split]
    return LAYOUT.table(root, chosen, split, index)


def _row(file: Path, number: int, entry: Any) -> tuple[str, str, str, int]:
    """Path, captions, split and number of one image."""
    try:
        name, place, split = str(entry["filename"]), str(entry.get("filepath") or ""), _OWN_NAMES[entry["split"]]
        sentences, cocoid = [str(one["raw"]).strip() for one in entry["sentences"]], int(entry.get("cocoid", -1))
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        expected = "a filename, one of the splits train, restval, val, test, and sentences with raw text"
        raise LAYOUT.malformed(file, f"image {number}", json.dumps(entry), expected) from error
    said = [one for one in sentences if one]
    if not said:
        raise LAYOUT.error(file, f"has no caption of the image '{name}'")
    return "/".join(part for part in (place, name) if part), captions_cell(said), split, cocoid


DATASET = Dataset(
    "coco-captions", LAYOUT.name, "Photos with five sentences each, in the split of Karpathy and Fei-Fei.", read_coco_captions, LAYOUT, split="all"
)
