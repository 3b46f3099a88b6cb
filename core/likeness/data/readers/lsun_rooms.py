"""LSUN Room Layout (the challenge of Yu et al., LSUN, 2015), of which the log-ratio paper takes one type of layout."""

from pathlib import Path

import pandas as pd

from likeness.data.protocols import check_split
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable

LAYOUT = OfficialLayout(
    "LSUN Room Layout", "https://web.archive.org/web/20190118150204/http://lsun.cs.princeton.edu/2016/", ("training.mat",), distinct=False
)
TYPES = 11
QUERIES = 30
_PARTS = {"train": "training", "test": "validation"}


def read_lsun_rooms(folder: str | Path, split: str = "all") -> ImageTable:
    """Rooms of one type of layout, as in the log-ratio paper (Kim et al., CVPR 2019, section 4.2): 1,996 images, 1,808 to train, 188 to test.

    Attributes: `split` ("train"; "query": the first 30 test images, at most half of them; "test": the others, which are searched), `scene`
    ("hotel_room"), `type` (0 to 10) and `layout`, the file of the segmentation, by which images are compared (kind "layout" of continuous
    labels).

    What is certain: the toolkit numbers the types from 0 to 10; 4 has four corners and shows floor and two walls, 5 has six and shows the
    ceiling too; the paper trains on `training` and tests on `validation`, and its "5th layout class" is "the class with the largest number of
    images". What is not: whether that is number 4, the fifth from 0, or number 5. The type with the most images of both parts is taken, which
    is right either way. Which 30 images are the queries is not published.

    Files: `training.mat` and `validation.mat`, images as `images/NAME.jpg` (or in `image/`), segmentations as `layout_seg_images/NAME.png`
    where this folder is there, otherwise `layout_seg/NAME.mat` with a variable `layout`. The toolkit numbers the regions of an image as it
    finds them, and the challenge matches them before it compares; label distances do the same, so that they rely on no number. The PNGs, which
    https://github.com/leVirve/lsun-room makes of them, have the same number for the same surface in all images (1 front, 2 left, 3 right, 4
    floor, 5 ceiling); on them `labels: {kind: layout, matching: numbers}` compares surface with surface. The archives themselves were not at
    hand. Layouts are of whole frames, which the paper resizes to 224 x 224 (section 4.2): `data.frame: whole` with `data.kept: 224`.

    Splits: "all", "train" or "test" of the paper's type; "type0" to "type10", both parts of this type; "every", of all types.
    """
    types = {f"type{number}": number for number in range(TYPES)}
    check_split(split, ("test", "train", "all", "every", *types))
    root = LAYOUT.root(folder)
    frame = pd.concat([_part(root, part) for part in _PARTS], ignore_index=True)
    if split != "every":
        wanted = types.get(split, frame["type"].mode().min() if len(frame) else 0)
        frame = frame[frame["type"] == wanted].reset_index(drop=True)
    tests = frame.index[frame["split"] == "test"]
    frame.loc[tests[: min(QUERIES, len(tests) // 2)], "split"] = "query"
    chosen = {"train": frame["split"] == "train", "test": frame["split"] != "train"}.get(split, frame["split"] != "")
    return LAYOUT.table(root, frame[chosen], split, root / f"{_PARTS['train' if split == 'train' else 'test']}.mat")


def _part(root: Path, part: str) -> pd.DataFrame:
    """The images of a part that have a layout."""
    file = LAYOUT.find(root, f"{_PARTS[part]}.mat")
    records = LAYOUT.variable(file, _PARTS[part])
    names, scenes, kinds = (LAYOUT.field(file, records, name) for name in ("image", "scene", "type"))
    images = "image" if (root / "image").is_dir() and not (root / "images").is_dir() else "images"
    drawn = (root / "layout_seg_images").is_dir()
    layouts = "layout_seg_images" if drawn else LAYOUT.find(root, "layout_seg").name
    frame = pd.DataFrame({"path": [f"{images}/{name}.jpg" for name in names], "split": part}, dtype=object)
    frame["scene"] = [str(scene) for scene in scenes]
    types = [LAYOUT.whole(file, f"the type of image {number}", kind, "a number", 0, TYPES) for number, kind in enumerate(kinds, start=1)]
    frame["type"] = pd.Series(types, dtype="int64")
    frame["layout"] = [f"{layouts}/{name}.{'png' if drawn else 'mat'}" for name in names]
    return frame[frame["type"] < TYPES]  # the toolkit has a further type, 11, for what is no layout


DATASET = Dataset(
    "lsun-rooms", LAYOUT.name, "Rooms with their layouts, of which the log-ratio paper takes one type.", read_lsun_rooms, LAYOUT, split="all"
)
