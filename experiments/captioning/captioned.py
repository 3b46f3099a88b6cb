"""Images with captions, divided into training, validation and test."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import CAPTION_COLUMN, CAPTION_SPLITS, CAPTIONS_COLUMN, ImageTable, captions_cell, read_captions
from likeness.errors import InputError


@dataclass(frozen=True)
class Captioned:
    """Images with captions and their split.

    Attributes:
        table: n images.
        captions: some sentences of each.
        train, validation, test: row numbers, in ascending order; no row is in two of them.

    Raises:
        InputError: an image without sentences, a part without images, or a row in two parts.
    """

    table: ImageTable
    captions: list[list[str]]
    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.captions) != len(self.table) or not all(self.captions):
            raise InputError(f"'{self.table.name}' has {len(self.table)} images, but some have no captions; add at least one for every image.")
        parts = {name: getattr(self, name) for name in CAPTION_SPLITS}
        empty = [name for name, rows in parts.items() if not len(rows)]
        if empty:
            raise InputError(f"The part '{empty[0]}' of '{self.table.name}' has no images; add some or change the shares.")
        every = np.concatenate(list(parts.values()))
        if len(np.unique(every)) < len(every):
            raise InputError(f"An image of '{self.table.name}' is in two of the parts {', '.join(CAPTION_SPLITS)}; keep it in one.")


Split = Literal["random", "last"]


def captioned_from(table: ImageTable, validation: float = 0.15, test: float = 0.15, seed: int = 0, split: Split = "random") -> Captioned:
    """From a table with captions, as `read_captions` reads them.

    Args:
        table: where it has a column `split` ("train", "validation", "test"), this is the division.
        validation, test: otherwise shares of the images.
        split: "random", drawn with `seed`; "last", the last images test and those before them validate, whatever the seed. A run with split
            images whose `test_images` is the sum of both shares then trains on the rows that train here.

    Raises:
        InputError: as `read_captions` and `Captioned`, or an unknown split.
    """
    captions = read_captions(table)
    if "split" in table.frame.columns:
        named = table.frame["split"].astype(str).to_numpy()
        unknown = next((value for value in named if value not in CAPTION_SPLITS), None)
        if unknown is not None:
            raise InputError(f"'{table.name}' has the split '{unknown}'; the splits are {', '.join(CAPTION_SPLITS)}.")
        return Captioned(table, captions, *(np.flatnonzero(named == name).astype(np.int64) for name in CAPTION_SPLITS))
    if split == "last":
        trained, chosen = len(table) - round(len(table) * (validation + test)), len(table) - round(test * len(table))
        return Captioned(table, captions, *np.split(np.arange(len(table)), [trained, chosen]))
    order = np.random.default_rng(seed).permutation(len(table)).astype(np.int64)
    held, tested = round(validation * len(table)), round(test * len(table))
    return Captioned(table, captions, np.sort(order[held + tested :]), np.sort(order[:held]), np.sort(order[held : held + tested]))


def with_shuffled_captions(captioned: Captioned, seed: int = 0) -> Captioned:
    """The same with the captions of each training image given to another one; validation and test images keep theirs.

    A control: a decoder trained on these cannot learn what is to be seen, and scores what the language alone gives.

    Args:
        captioned: n images; of one training image alone the captions stay.
        seed: of the dealing, one cycle through all training images, so that none keeps its own captions.
    """
    order = np.random.default_rng([seed, 1]).permutation(captioned.train)
    captions = list(captioned.captions)
    for row, other in zip(order, np.roll(order, 1), strict=True):
        captions[row] = captioned.captions[other]
    return replace(captioned, captions=captions)


def read_captioned(
    source: str,
    each: int = 5,
    validation: float = 0.15,
    test: float = 0.15,
    seed: int = 0,
    split: Split = "random",
    shuffled: bool = False,
    path_column: str | None = None,
    caption_column: str | None = None,
) -> Captioned:
    """Images with captions from what a person names.

    Args:
        source: what `likeness.data.read_dataset` takes ("coco-captions:FOLDER": COCO in Karpathy's split), with a column `captions` (JSON lists), or
            `caption` (a sentence, in as many rows of the same path as there are), or with the attributes of Synthetic Cars ("cars" has them),
            about which sentences are written.
        each: such sentences per image.
        validation, test, split: as in `captioned_from`.
        seed: of written sentences, of the division and of the dealing.
        shuffled: `with_shuffled_captions`.
        path_column, caption_column: as `likeness.data.read_dataset` takes them.

    Raises:
        InputError: as the readers, or images without captions.
    """
    from experiments.captioning.car_captions import has_car_attributes, with_car_captions
    from likeness.data import read_dataset

    table = read_dataset(source, path_column, caption_column=caption_column)
    written = CAPTIONS_COLUMN in table.frame.columns or CAPTION_COLUMN in table.frame.columns or not has_car_attributes(table)
    captioned = captioned_from(gather_captions(table) if written else with_car_captions(table, each, seed), validation, test, seed, split)
    return with_shuffled_captions(captioned, seed) if shuffled else captioned


def gather_captions(table: ImageTable) -> ImageTable:
    """A table with a row for each sentence (columns `path` and `caption`) as one with a row for each image and the column `captions`. Images come
    in the order of their first rows, sentences in that of theirs; other columns keep the first row's value. A table that has the column `captions`
    already comes back as it is.

    Raises:
        InputError: as `read_captions`.
    """
    if CAPTIONS_COLUMN in table.frame.columns or CAPTION_COLUMN not in table.frame.columns:
        read_captions(table)
        return table
    sentences: dict[str, list[str]] = {}
    for path, cell in zip(table.frame["path"], table.frame[CAPTION_COLUMN], strict=True):
        own = sentences.setdefault(path, [])
        if isinstance(cell, str) and cell.strip():
            own.append(cell.strip())
    frame: pd.DataFrame = table.frame.drop_duplicates("path").drop(columns=CAPTION_COLUMN)
    gathered = ImageTable(table.name, table.root, frame.assign(**{CAPTIONS_COLUMN: [captions_cell(sentences[path]) for path in frame["path"]]}))
    read_captions(gathered)
    return gathered
