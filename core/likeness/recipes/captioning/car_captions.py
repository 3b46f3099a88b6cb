"""Sentences about Synthetic Cars, written from what is known about each image."""

import numpy as np

from likeness.data.captions_column import COLUMN, captions_cell
from likeness.data.table import ImageTable
from likeness.errors import InputError

# What every sentence speaks of.
ALWAYS = ("car_color", "body_type", "background_color")


def has_car_attributes(table: ImageTable) -> bool:
    """Whether the table knows all that the sentences speak of."""
    from likeness.recipes.clip.captions import ATTRIBUTES

    return set(ATTRIBUTES) <= set(table.frame.columns)


def with_car_captions(table: ImageTable, each: int = 5, seed: int = 0) -> ImageTable:
    """The table with a column `captions`: `each` sentences per image, by the writer of the bundled CLIP.

    Like those of people, who all name what is most striking, the sentences of an image agree in part: each speaks of color and body of the car
    and of its background, and of up to two more attributes. They follow the seed and the image's row alone.

    Raises:
        InputError: attributes of Synthetic Cars that are missing or have another value.
    """
    from likeness.recipes.clip.captions import ATTRIBUTES, CaptionWriter, encode_attributes
    from likeness.recipes.clip.phrases import VALUES

    if not has_car_attributes(table):
        lacking = [name for name in ATTRIBUTES if name not in table.frame.columns]
        raise InputError(f"'{table.name}' lacks the attributes {', '.join(lacking)} of Synthetic Cars; give images of `likeness render`.")
    for name, known in VALUES.items():
        other = table.frame["path"][~table.frame[name].isin(known)]
        if len(other):
            raise InputError(f"'{other.iloc[0]}' of '{table.name}' has another {name} than Synthetic Cars have; give images of `likeness render`.")
    codes = encode_attributes(table.frame)
    writer = CaptionWriter()
    cells = [
        captions_cell(writer.describe(np.repeat(row[None], each, 0), np.random.default_rng([seed, i]), ALWAYS).texts) for i, row in enumerate(codes)
    ]
    return ImageTable(table.name, table.root, table.frame.assign(**{COLUMN: cells}))
