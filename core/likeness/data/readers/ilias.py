"""ILIAS (Kordopatis-Zilos et al., ILIAS: Instance-Level Image retrieval At Scale, CVPR 2025) in its official layout."""

import re
from pathlib import Path

import pandas as pd

from likeness.data.protocols import retrieval_sets
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout, entries_in
from likeness.data.table import ImageTable
from likeness.io import name_to_text, text_of

_CORE = "ilias_core"
LAYOUT = OfficialLayout("ILIAS", "https://vrg.fel.cvut.cz/ilias/", (_CORE,))
_FOLDERS = {"query": "query", "gallery": "pos"}
_COUNTS = {"query": 1_232, "gallery": 4_715}
_LEVELS = ("coarse_category", "mid_category", "fine_category")
_NAME = re.compile(r"[PQ]\d+_\d+\.jpg")


def read_ilias(folder: str | Path, split: str = "test") -> ImageTable:
    """The 1,000 objects of ILIAS: queries, and the images in which they occur.

    Attributes: `instance`, the object ("bold_bimp_000"); `text`, its text query; `split`, "query" or "gallery"; and, where `taxonomy.json` of
    repository ilias-vrg/ilias lies beside `ilias_core/`, `coarse_category` ("product"), `mid_category` ("product-food") and `fine_category`
    ("product-food-cake"), in full since "other" is the name of many.

    Files, as the repository's `download/README.md` shows: `ilias_core/bold_bimp_000/query/Q000_00.jpg` and `T000.txt`, `.../pos/P000_00.jpg`; boxes
    (`_bbox.txt`) are not read. A note says where there are fewer images than published. The paper's distractors, of YFCC100M, come as shards, which
    are read as such. The archive was not at hand. Splits: "query" (1,232 images), which search "gallery" (4,715); "test" and "all", both.
    """
    sets = retrieval_sets(split, tuple(_FOLDERS))
    root = LAYOUT.root(folder)
    rows = [row for place in entries_in(root / _CORE) if place.is_dir() for each in sets for row in _rows(place, each)]
    frame = pd.DataFrame(rows, columns=["path", "instance", "text", "split"], dtype=object)
    if (root / "taxonomy.json").exists():
        frame = frame.join(_categories(root / "taxonomy.json"), on="instance").fillna("")
    return LAYOUT.table(root, frame, split, root / _CORE, {each: _COUNTS[each] for each in sets})


def _rows(place: Path, part: str) -> list[tuple[str, ...]]:
    images = LAYOUT.images(LAYOUT.find(place, _FOLDERS[part]), _NAME, "P000_00.jpg")
    text = " ".join(" ".join(text_of(file).split()) for file in sorted((place / "query").glob("T*.txt")))
    instance = name_to_text(place.name)
    return [(f"{_CORE}/{instance}/{_FOLDERS[part]}/{found[0]}", instance, text, part) for found in images]


def _categories(file: Path) -> pd.DataFrame:
    content = LAYOUT.json(file, dict)
    try:
        paths = {name: (a, b, c) for a, mid in content.items() for b, fine in mid.items() for c, names in fine.items() for name in names}
    except (AttributeError, TypeError) as error:
        raise LAYOUT.error(file, "has other than three levels of categories with lists of objects") from error
    levels = {level: ["-".join(path[:depth]) for path in paths.values()] for depth, level in enumerate(_LEVELS, start=1)}
    return pd.DataFrame(levels, index=list(paths), dtype=object)


DATASET = Dataset("ilias", LAYOUT.name, "A thousand particular objects: 1,232 queries search 4,715 images.", read_ilias, LAYOUT)
