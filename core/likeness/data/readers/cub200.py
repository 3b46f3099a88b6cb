"""CUB-200-2011 (Wah et al., The Caltech-UCSD Birds-200-2011 Dataset, 2011) in its official layout."""

import re
from pathlib import Path

import pandas as pd

from likeness.data.protocols import check_split, zero_shot_half
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.folder import read_folder
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path

LAYOUT = OfficialLayout("CUB200", "https://www.vision.caltech.edu/datasets/cub_200_2011/", ("image_class_labels.txt",))
_LINE, _PAIR = re.compile(r"(\d{1,15})\s+(.+)"), re.compile(r"(\d{1,15})\s+(\d{1,15})")

_Numbered = dict[int, tuple[int, str]]  # number -> line it stands in, text


def read_cub200(folder: str | Path, split: str = "test") -> ImageTable:
    """CUB-200-2011 with the label that the InDiReCT paper judges its notion by, and a coarser one.

    Attributes: `bird_species`, the class name in words ("027.Shiny_Cowbird": "Shiny Cowbird"), and `bird_family`, its last word ("Cowbird"): no
    family of zoology, but what the names have in common.

    Files: `images.txt`, `image_class_labels.txt`, `classes.txt` and `images/`. The dataset's own division of each class, `train_test_split.txt`,
    has no part in the protocol and is not read. A part of the dataset may also come as `images/` with a folder for each species, named as the
    classes are ("Shiny_Cowbird"), and without the lists of classes; those are then in the order of their names.

    Splits: "test", the second half of the classes (5,924 images), as the paper says; "train", the first half (5,864); "all". The notebook in the
    authors' repository evaluates 4,462 images: it finds a class by the beginning of its file names, which are not always spelled as the class is.
    """
    check_split(split)
    given = as_path(folder)
    if (given / "images").is_dir() and not any((given / name).exists() for name in ("classes.txt", *LAYOUT.indexes)):
        return _by_folders(given.absolute(), split)
    root = LAYOUT.root(folder)
    index = LAYOUT.find(root, "images.txt")
    images, classes = _numbered(index), _numbered(LAYOUT.find(root, "classes.txt"))
    numbers = _class_numbers(LAYOUT.find(root, "image_class_labels.txt"), images, classes)
    species = [_words(classes[number][1]) for number in numbers]
    frame = _frame([f"images/{path}" for _, path in images.values()], species)
    return LAYOUT.table(root, frame[zero_shot_half(numbers, sorted(classes), split)], split, index)


def _by_folders(root: Path, split: str) -> ImageTable:
    """A part of the dataset that comes as folders of species."""
    found = read_folder(root / "images").frame
    species = [_words(name) for name in found["class"]] if "class" in found else []
    if not species:
        raise InputError(f"'{root / 'images'}' has no folders of species; give the folder that CUB200 was unpacked to, published at {LAYOUT.page}.")
    frame = _frame([f"images/{path}" for path in found["path"]], species)
    return LAYOUT.table(root, frame[zero_shot_half(species, sorted(set(species)), split)], split, root / "images")


def _frame(paths: list[str], species: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"path": paths, "bird_species": species, "bird_family": [name.rsplit(maxsplit=1)[-1] for name in species]}, dtype=object)


def _class_numbers(file: Path, images: _Numbered, classes: _Numbered) -> list[int]:
    """The class number of each image, in the order of the images."""
    labels = _numbered(file, _PAIR, "two numbers")
    for image, (_, path) in images.items():
        if image not in labels:
            raise LAYOUT.error(file, f"has no class for image {image}, '{path}'")
        line, text = labels[image]
        if int(text) not in classes:
            raise LAYOUT.error(file, f"has the class {text} in line {line}, which 'classes.txt' lacks")
    return [int(labels[image][1]) for image in images]


def _numbered(file: Path, pattern: re.Pattern[str] = _LINE, expected: str = "a number and a text") -> _Numbered:
    """Lines of a number and a text."""
    numbered: _Numbered = {}
    for line, found in LAYOUT.matches(file, LAYOUT.lines(file), pattern, expected):
        number = int(found[1])
        if number in numbered:
            raise LAYOUT.malformed(file, f"line {line}", found[0], "each number once")
        numbered[number] = (line, found[2])
    return numbered


def _words(class_name: str) -> str:
    return re.sub(r"^\d+\.", "", class_name).replace("_", " ")


DATASET = Dataset("cub200", LAYOUT.name, "Birds by species and family; 5,924 images are evaluated.", read_cub200, LAYOUT)
