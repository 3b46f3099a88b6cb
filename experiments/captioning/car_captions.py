"""Captions of Synthetic Cars, generated from their attributes."""

import numpy as np
import pandas as pd

from likeness.data import CAPTIONS_COLUMN, Dataset, ImageTable, captions_cell, read_cars
from likeness.errors import InputError
from likeness.progress import Progress

# What every sentence speaks of.
ALWAYS = ("car_color", "body_type", "background_color")


def has_car_attributes(table: ImageTable) -> bool:
    """Whether the table has all attributes that captions mention."""
    from experiments.clip.captions import ATTRIBUTES

    return set(ATTRIBUTES) <= set(table.frame.columns)


def with_car_captions(table: ImageTable, each: int = 5, seed: int = 0) -> ImageTable:
    """The table with a column `captions`: `each` sentences per image, by the writer of the shipped CLIP.

    Like those of people, who all name what is most striking, the sentences of an image agree in part: each speaks of color and body of the car
    and of its background, and of up to two more attributes. They follow the seed and the image's row alone.

    Raises:
        InputError: attributes of Synthetic Cars that are missing or have another value.
    """
    from experiments.clip.captions import ATTRIBUTES, CaptionWriter, encode_attributes
    from experiments.clip.phrases import VALUES

    if not has_car_attributes(table):
        lacking = [name for name in ATTRIBUTES if name not in table.frame.columns]
        raise InputError(
            f"'{table.name}' lacks the attributes {', '.join(lacking)} of Synthetic Cars; give images of `python -m experiments.renders`."
        )
    for name, known in VALUES.items():
        other = table.frame["path"][~table.frame[name].isin(known)]
        if len(other):
            raise InputError(
                f"'{other.iloc[0]}' of '{table.name}' has another {name} than Synthetic Cars have; give images of `python -m experiments.renders`."
            )
    codes = encode_attributes(table.frame)
    writer = CaptionWriter()
    cells = [
        captions_cell(writer.describe(np.repeat(row[None], each, 0), np.random.default_rng([seed, i]), ALWAYS).texts) for i, row in enumerate(codes)
    ]
    return ImageTable(table.name, table.root, table.frame.assign(**{CAPTIONS_COLUMN: cells}))


def read_captioned_cars(count: int | None = None, progress: Progress | None = None) -> ImageTable:
    """The cars that ship, or the first `count` of them, with five sentences about each in the column `captions`.

    In the column `split` the first 70 % train, the next 15 % validate, the last 15 % test.
    """
    cars = read_cars()
    captioned = with_car_captions(ImageTable("Synthetic Cars with captions", cars.root, cars.frame.iloc[:count]))
    places = [row / len(captioned) for row in range(len(captioned))]
    split = pd.cut(places, [-1, 0.7, 0.85, 1], right=False, labels=["train", "validation", "test"])
    return ImageTable(captioned.name, captioned.root, captioned.frame.assign(split=split.astype(str)))


DATASET = Dataset(
    "captioned-cars", "Synthetic Cars with captions", "The cars that ship, with five sentences about each.", read_captioned_cars, "generated"
)
