"""Clevr-4 (Vaze, Vedaldi and Zisserman, No Representation Rules Them All in Category Discovery, NeurIPS 2023) in its official layout."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from likeness.data import Dataset, ImageTable, OfficialLayout, check_split

INDEX = "clevr_4_annots.json"
LAYOUT = OfficialLayout("Clevr-4", "https://www.robots.ox.ac.uk/~vgg/data/clevr4/", (INDEX,))
CLEVR4_TAXONOMIES = ("texture", "color", "shape", "count")
# what the dataset calls "val" is the part that does not train
_OWN_NAMES = {"train": "train", "val": "test"}


def read_clevr4(folder: str | Path, split: str = "all") -> ImageTable:
    """Rendered scenes with four labels, ten classes each: all objects of an image have one `texture`, one `color` and one `shape`; `count` says
    how many there are, as text.

    Files: `clevr_4_annots.json`, by the image's name its labels and its part, and `images/NAME.png` (repository sgvaze/clevr4, utils.py).

    Args:
        folder: the dataset's folder, or the one it lies in: of 10,000 or of 100,000 images.
        split: "train", "test" (the file's "val") or "all", on which published figures of clustering are.

    Raises:
        InputError: a missing or damaged file, an unknown or empty split, or no image at all.
    """
    check_split(split)
    root = LAYOUT.root(folder)
    index = LAYOUT.find(root, INDEX)
    rows = [_row(index, name, labels) for name, labels in sorted(LAYOUT.json(index, dict).items())]
    frame = pd.DataFrame(rows, columns=["path", *CLEVR4_TAXONOMIES, "split"], dtype=object)
    return LAYOUT.table(root, frame if split == "all" else frame[frame["split"] == split], split, index)


def _row(file: Path, name: str, labels: Any) -> tuple[str, ...]:
    place = f"the image '{name[:80]}'"
    try:
        values, split = [str(labels[taxonomy]).strip() for taxonomy in CLEVR4_TAXONOMIES], _OWN_NAMES[labels["split"]]
    except (KeyError, TypeError) as error:
        raise LAYOUT.malformed(file, place, json.dumps(labels), f"{', '.join(CLEVR4_TAXONOMIES)} and the split train or val") from error
    return LAYOUT.inside(file, place, f"images/{name}.png"), *values, split


_HELP = "Rendered objects with four equally valid labels: texture, color, shape and count."
DATASET = Dataset("clevr4", LAYOUT.name, _HELP, read_clevr4, LAYOUT, split="all")
