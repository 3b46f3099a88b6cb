"""Flickr8k (Hodosh et al., JAIR 2013) and Flickr30k (Young et al., TACL 2014): photos with five captions each, and labels from those captions."""

import re
from pathlib import Path

import pandas as pd

from likeness.data.captions_column import CAPTIONS_COLUMN, captions_cell, read_captions
from likeness.data.protocols import check_split
from likeness.data.readers.caption_labels import caption_labels
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.readers.tabular import read_table
from likeness.data.table import ImageTable
from likeness.errors import InputError

TOKENS = ("Flickr8k.token.txt", "results_20130124.token")
TABLE = "captions.csv"
LAYOUT = OfficialLayout("Flickr captions", "https://shannon.cs.illinois.edu/DenotationGraph/", (*TOKENS, TABLE), distinct=False)
_FOLDERS = ("Flicker8k_Dataset", "Flickr8k_Dataset", "flickr30k-images", "flickr30k_images", "Images", "images")
_LISTS = {"train": "Flickr_8k.trainImages.txt", "validation": "Flickr_8k.devImages.txt", "test": "Flickr_8k.testImages.txt"}
_CAPTION = re.compile(r"(?P<name>[^\t]+)#\d+\t(?P<caption>.*\S)")


def read_flickr(folder: str | Path, split: str = "all") -> ImageTable:
    """Photos of Flickr8k or Flickr30k with their captions, and labels that follow from them.

    Columns: `captions`, what `read_captions` reads; `setting`, `activity`, `dog_color` and `number_of_people`, as `CAPTION_RULES` say: which words
    count, how many captions must agree. A photo whose captions do not agree is `UNLABELED` in that column.

    Files: `Flickr8k.token.txt` with the images in `Flicker8k_Dataset/`, or `results_20130124.token` with `flickr30k-images/`, as published; or
    `captions.csv` with the columns `path` and `caption`. Splits: "all", or of Flickr8k "train" (6,000 photos), "validation" or "test" (1,000
    each), by its lists `Flickr_8k.trainImages.txt` ...
    """
    check_split(split, ("test", "train", "validation", "all"))
    root = LAYOUT.root(folder)
    index = LAYOUT.find(root, *LAYOUT.indexes)
    captions = _of_table(index) if index.name == TABLE else _of_tokens(root, index)
    if split != "all":
        listed = {name for _, name in LAYOUT.lines(LAYOUT.find(root, _LISTS[split]))}
        captions = {path: sentences for path, sentences in captions.items() if path.rsplit("/", 1)[-1] in listed}
    frame = pd.DataFrame({"path": list(captions), CAPTIONS_COLUMN: [captions_cell(sentences) for sentences in captions.values()]}, dtype=object)
    return LAYOUT.table(root, frame.assign(**caption_labels(list(captions.values()))), split, index)


def _of_tokens(root: Path, index: Path) -> dict[str, list[str]]:
    """Path -> captions, from lines such as "1000.jpg#0	A child in a pink dress"."""
    place = next((name for name in _FOLDERS if (root / name).is_dir()), _FOLDERS[TOKENS.index(index.name) * 2])
    captions: dict[str, list[str]] = {}
    for _, match in LAYOUT.matches(index, LAYOUT.lines(index), _CAPTION, "a file's name, #, a number, a tab and a caption"):
        captions.setdefault(f"{place}/{match['name']}", []).append(match["caption"])
    return captions


def _of_table(index: Path) -> dict[str, list[str]]:
    table = read_table(index)
    captions: dict[str, list[str]] = {}
    try:
        for path, sentences in zip(table.frame["path"], read_captions(table), strict=True):
            captions.setdefault(path, []).extend(sentences)
    except InputError as error:
        raise InputError(f"'{index.name}' of Flickr captions in '{index.parent}' cannot be used: {error}") from error
    return captions


DATASET = Dataset(
    "flickr", LAYOUT.name, "Photos with captions, and labels by the words of the captions: Flickr8k and Flickr30k.", read_flickr, LAYOUT, split="all"
)
