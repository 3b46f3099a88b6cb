"""Vectors of TensorBoard's Embedding Projector: lines of numbers between tabs, `metadata.tsv` with a line per vector, and `sprite.png` of images."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from likeness.data.format import Format, ReadOptions, head, shown_name
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import Part, as_path, image_size, part_path, text_of, typed_columns

_VECTORS, _SPRITE = ("vectors.tsv", "tensors.tsv"), "sprite.png"


def read_projector(path: Path, options: ReadOptions) -> tuple[Any, ImageTable]:
    """The vectors of TensorBoard's projector with their metadata, and with images where it has a sprite of them."""
    file = path if path.is_file() else next(path / name for name in _VECTORS if (path / name).is_file())
    vectors = np.array([[*map(float, line.split("\t"))] for line in text_of(as_path(file)).splitlines() if line.strip()], np.float32)
    about, sprite, across = file.with_name("metadata.tsv"), file.with_name(_SPRITE), math.ceil(math.sqrt(len(vectors)))
    cells = [line.split("\t") for line in text_of(as_path(about)).splitlines()] if about.is_file() else [[] for _ in vectors]
    # a single column has no header
    names = cells.pop(0) if len(cells) == len(vectors) + 1 else ["label", *(f"column {number}" for number in range(2, len(cells[0]) + 1))]
    names = names[: len(cells[0])]
    if len(cells) != len(vectors) or {*map(len, cells)} != {len(names)}:
        raise InputError(f"'{about.name}' has {len(cells):,} lines for {len(vectors):,} vectors, or lines of unequal length; write one per vector.")
    frame = typed_columns(pd.DataFrame(cells, columns=names, dtype=object)).rename(columns={"path": "path (attribute)"})
    if sprite.is_file():
        side = image_size(as_path(sprite))[0] // across
        tiles = [(row % across * side, row // across * side, side, side) for row in range(len(vectors))]
        frame.insert(0, "path", [part_path(_SPRITE, Part(box=tile)) for tile in tiles])
    return vectors, ImageTable(shown_name(path, options), file.parent, frame, has_images=sprite.is_file())


def _matches(path: Path) -> bool:
    if path.is_dir():
        return any((path / name).is_file() for name in _VECTORS)
    try:
        return path.suffix.lower() == ".tsv" and len([*map(float, head(path).partition("\n")[0].split("\t"))]) > 1
    except ValueError:
        return False


FORMAT = Format("projector", "vectors of the Embedding Projector", "`vectors.tsv`", _matches, read_projector, "space")
