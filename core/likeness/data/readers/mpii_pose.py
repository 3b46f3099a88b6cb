"""MPII Human Pose (Andriluka et al., CVPR 2014) as the authors of the log-ratio loss publish it."""

import os
from pathlib import Path

import pandas as pd

from likeness.data.protocols import check_split
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout, entries_in
from likeness.data.table import ImageTable
from likeness.errors import InputError

MPII_DISTANCES = "dist_pose_val"
MPII = OfficialLayout("MPII Human Pose", "https://github.com/tjddus9597/Beyond-Binary-Supervision-CVPR19", (f"{MPII_DISTANCES}.mat",))
QUERIES = 1919
# What torchvision's ImageFolder takes for an image: the numbers in the authors' files count these.
_SUFFIXES = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def read_mpii_pose(folder: str | Path, split: str = "all") -> ImageTable:
    """The 22,285 full-body images of the log-ratio paper (Kim et al., CVPR 2019, section 4.2), 288 px a side.

    Attribute: `split`: "train" (12,366 images), "query" (the first 1,919 of the 9,919 test images; at most half of them) and "test" (the others,
    which are searched). The labels are distances between poses, read by `likeness.labels.mpii_labels` (kind "mpii" of continuous labels). The
    paper shows the network the middle 224 px. Splits: "all"; "train"; "test", the queries and what they search.

    Files: two subfolders of images, read as torchvision's ImageFolder does: the first by name trains, the second tests, and in each the files
    count in the order of their names; `dist_pose_val.mat` with the test distances; `list_nn.pkl` and `dist_nn.pkl`, or `dist_pose_trn.mat`, with
    the training ones. The layout follows the authors' code; the archive itself was not at hand. Raises InputError for as many test images as there
    are no distances for, too: one that is missing moves the numbers of all that follow.
    """
    check_split(split)
    root = MPII.root(folder)
    train, test = mpii_image_parts(root)
    file = MPII.find(root, f"{MPII_DISTANCES}.mat")
    check_mpii_shape(file, MPII.shape(file, MPII_DISTANCES), len(test), "test")
    asks = min(QUERIES, len(test) // 2)
    frame = pd.DataFrame({"path": [*train, *test], "split": ["train"] * len(train) + ["query"] * asks + ["test"] * (len(test) - asks)})
    trains = frame["split"] == "train"
    return MPII.table(root, frame[{"train": trains, "test": ~trains, "all": trains | ~trains}[split]], split, file)


def mpii_image_parts(root: Path) -> tuple[list[str], list[str]]:
    """Paths of the training and of the test images relative to `root`, in the order in which the authors' files count them. Raises InputError where
    there are other than two folders of images.
    """
    found = {folder: paths for folder in sorted(each.name for each in entries_in(root)) if not _hidden(folder) and (paths := _paths(root, folder))}
    if len(found) != 2:
        raise InputError(
            f"{MPII.name} in '{root}' has {len(found)} folders of images ({', '.join(found) or 'none'}), expected 2, of training and of test "
            f"images; unpack the archive there, published at {MPII.page}, and remove other folders."
        )
    train, test = found.values()
    return train, test


def _paths(root: Path, folder: str) -> list[str]:
    inside = sorted((place, files) for place, _, files in os.walk(root / folder, followlinks=True))
    return [
        (Path(place) / file).relative_to(root).as_posix()
        for place, files in inside
        for file in sorted(files)
        if file.lower().endswith(_SUFFIXES) and not _hidden(file)
    ]


def _hidden(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def check_mpii_shape(file: Path, shape: tuple[int, ...], count: int, part: str) -> None:
    """Raises InputError unless a matrix of distances has a row and a column for each image of a part."""
    if shape != (count, count):
        raise InputError(
            f"'{file.name}' of {MPII.name} has distances {tuple(int(each) for each in shape)}, and there are {count} {part} images; unpack "
            f"all images and take the file anew from {MPII.page}."
        )


DATASET = Dataset(
    "mpii-pose",
    MPII.name,
    "People with distances between their poses, as the log-ratio paper publishes them.",
    read_mpii_pose,
    MPII,
    split="all",
)
