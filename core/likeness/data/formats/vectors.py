"""Vectors in NumPy's files."""

from pathlib import Path
from typing import Any

import pandas as pd

from likeness.data.format import Format, ReadOptions, shown_name
from likeness.data.readers.tabular import with_listed_images
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import named_arrays, read_array


def read_vectors(path: Path, options: ReadOptions) -> tuple[Any, ImageTable]:
    """Vectors in `.npy`, or the only ones in `.npz`, whose arrays of one value per row are attributes, or the paths of images."""
    columns: dict[str, Any] = {}
    if path.suffix.lower() == ".npy":
        vectors = read_array(path, mapped=True)
    else:
        columns = named_arrays(path)
        wide = [name for name, array in columns.items() if array.ndim == 2]
        if len(wide) != 1:
            raise InputError(f"'{path.name}' has {len(wide)} arrays of vectors among {', '.join(columns) or 'none'}; save one, with its labels.")
        vectors = columns[wide[0]]
    frame = pd.DataFrame({name: array for name, array in columns.items() if array.shape == vectors.shape[:1]}, index=range(len(vectors)))
    return vectors, with_listed_images(frame, shown_name(path, options), path.parent)


_FORM = "`vectors.npy`, `vectors.npz`"
FORMAT = Format("vectors", "vectors of NumPy", _FORM, lambda path: path.suffix.lower() in (".npy", ".npz"), read_vectors, "space")
