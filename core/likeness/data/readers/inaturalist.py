"""iNaturalist 2018 (Van Horn et al., CVPR 2018), split as for Smooth-AP (Brown et al., ECCV 2020), and 2021 (Van Horn et al., CVPR 2021)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from likeness.data.protocols import retrieval_sets
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable

_PAGES = "https://github.com/visipedia/inat_comp (the split of 2018: https://github.com/Andrew-Brown1/Smooth_AP)"
_OF_2018 = ("train2018.json", "val2018.json")
_LISTS_2018 = {part: tuple(f"{place}Inaturalist_{part}_set1.txt" for place in ("Inat_dataset_splits/", "")) for part in ("train", "test")}
_OF_2021 = {"train": ("train.json", "train_mini.json"), "test": ("val.json",)}
LAYOUT = OfficialLayout("iNaturalist", _PAGES, (*_OF_2018, "val.json", "train.json", "train_mini.json"), distinct=False)
_RANKS = ("supercategory", "kingdom", "phylum", "class", "order", "family", "genus")
_Labels = dict[str, tuple[str, ...]]  # path -> species and ranks


def read_inaturalist(folder: str | Path, split: str = "test") -> ImageTable:
    """Animals, plants and fungi by species and the taxonomic ranks above.

    Attributes: `species` (with the category's number where several have one name); of `supercategory`, `kingdom`, `phylum`, `taxonomic_class`,
    `order`, `family` and `genus` those that the annotations give; `split`, "train" or "test". Further splits: "all".

    2018: `train2018.json`, `val2018.json`, `train_val2018/`, and Smooth-AP's `Inat_dataset_splits/Inaturalist_train_set1.txt` (325,846 images of
    5,690 species) and `Inaturalist_test_set1.txt` (136,093 of 2,452 others). The annotations obfuscate names; `categories.json`, published later, has
    the true ones, and is used where it is. 2021: `train.json`, or else `train_mini.json`, is "train", `val.json` "test" (10 images of each of 10,000
    species, which "train" has, too); images in `train/` ... The formats follow the pages and public readers (pytorch-metric-learning); the archives
    were not at hand.
    """
    sets = retrieval_sets(split, ("train", "test"))
    root = LAYOUT.root(folder)
    is_2018 = any((root / name).exists() for name in _OF_2018)
    files = {each: LAYOUT.find(root, *(_LISTS_2018 if is_2018 else _OF_2021)[each]) for each in sets}
    known = {path: labels for name in _OF_2018 if is_2018 for path, labels in _labels(LAYOUT.find(root, name)).items()}
    parts = {each: _listed(file, known) if is_2018 else _labels(file) for each, file in files.items()}
    rows = [(path, *labels, each) for each, part in parts.items() for path, labels in part.items()]
    frame = pd.DataFrame(rows, columns=["path", "species", *_RANKS, "split"], dtype=object)
    frame = frame.drop(columns=[rank for rank in _RANKS if not frame[rank].any()]).rename(columns={"class": "taxonomic_class"})
    return LAYOUT.table(root, frame, split, files[sets[-1]])


def _listed(index: Path, known: _Labels) -> _Labels:
    lines = LAYOUT.lines(index)
    if wrong := next(((line, path) for line, path in lines if path not in known), None):
        raise LAYOUT.malformed(index, f"line {wrong[0]}", wrong[1], f"an image of {' or '.join(_OF_2018)}")
    return {path: known[path] for _, path in lines}


def _labels(file: Path) -> _Labels:
    """The labels of the images of an annotation file."""
    content = LAYOUT.json(file, dict)
    if (released := file.parent / "categories.json").exists():
        content["categories"] = LAYOUT.json(released, list)
    categories = _entries(file, content, "categories", id=int, name=str)
    count = Counter(each["name"] for each in categories)
    names = {each["id"]: each["name"] if count[each["name"]] == 1 else f"{each['name']} ({each['id']})" for each in categories}
    labels = {each["id"]: (names[each["id"]], *(str(each.get(rank) or "") for rank in _RANKS)) for each in categories}
    paths = {each["id"]: each["file_name"] for each in _entries(file, content, "images", id=int, file_name=str)}
    found = {}
    for number, each in enumerate(_entries(file, content, "annotations", image_id=int, category_id=int)):
        if each["image_id"] not in paths or each["category_id"] not in labels:
            raise LAYOUT.malformed(file, f"entry {number} of 'annotations'", json.dumps(each), "an image and a category of the file")
        found[LAYOUT.inside(file, f"image {each['image_id']}", paths[each["image_id"]])] = labels[each["category_id"]]
    return found


def _entries(file: Path, content: dict[str, Any], kind: str, **fields: type) -> list[dict[str, Any]]:
    """A list of the annotations, whose entries have fields of these types."""
    found = content.get(kind)
    entries: list[Any] = found if isinstance(found, list) else [found]
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict) or not all(isinstance(entry.get(name), of) for name, of in fields.items()):
            raise LAYOUT.malformed(file, f"entry {number} of '{kind}'", json.dumps(entry), f"an entry with {' and '.join(fields)}")
    return entries


DATASET = Dataset("inaturalist", LAYOUT.name, "Animals, plants and fungi by species and taxonomic ranks, 2018 and 2021.", read_inaturalist, LAYOUT)
