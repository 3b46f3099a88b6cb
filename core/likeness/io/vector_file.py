"""Files of vectors and their attributes (Parquet), or of vectors only (.npy)."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io.arrow_table import from_arrow, to_arrow
from likeness.io.confinement import regular_file
from likeness.io.files import open_atomic

ABOUT_KEY = b"likeness.space"
_VECTOR = "vector"


class VectorFile(NamedTuple):
    """Content of a vector file: vectors (n, d), `frame` with a row for each, and metadata."""

    vectors: NDArray[np.float32]
    frame: pd.DataFrame
    about: dict[str, Any]


def check_vector_file(path: Path, columns: Iterable[str] = ()) -> None:
    """Raises InputError for file or column names that `write_vector_file` does not accept; call it before slow work."""
    if path.suffix not in (".npy", ".parquet"):
        raise InputError(f"Cannot write '{path}'; its name must end in .npy or .parquet.")
    if path.suffix == ".parquet" and _VECTOR in columns:
        raise InputError(f"The attribute '{_VECTOR}' has the reserved name of the vector column; rename it.")


def write_vector_file(path: Path, vectors: NDArray[np.float32], frame: pd.DataFrame, about: dict[str, Any]) -> None:
    """Writes vectors (n, d) atomically: only them as `.npy`; or as `.parquet` with a frame of n rows and any columns (`likeness.io.arrow_table`), and
    metadata as JSON. Raises InputError for another suffix, or a column called "vector".
    """
    check_vector_file(path, map(str, frame.columns))
    if path.suffix == ".npy":
        with open_atomic(path) as file:
            np.save(file, vectors)
        return
    import pyarrow.parquet as parquet

    with open_atomic(path) as file:
        parquet.write_table(vector_table(vectors, frame, about), file)


def vector_table(vectors: NDArray[np.float32], frame: pd.DataFrame, about: dict[str, Any]) -> Any:
    """The content of such a `.parquet` file as a pyarrow table; raises InputError for a column called "vector"."""
    check_vector_file(Path("x.parquet"), map(str, frame.columns))
    column = pa.FixedSizeListArray.from_arrays(pa.array(np.asarray(vectors, np.float32).reshape(-1)), vectors.shape[1])
    table = to_arrow(frame).append_column(_VECTOR, column) if len(frame.columns) else pa.table({_VECTOR: column})
    return table.replace_schema_metadata({**(table.schema.metadata or {}), ABOUT_KEY: json.dumps(about).encode()})


def read_vector_file(path: Path) -> VectorFile:
    """Reads a Parquet file of `write_vector_file`, or another with lists of numbers in "vector" and perhaps paths in "path", relative to its folder;
    raises InputError if it is missing or holds something else.
    """
    import pyarrow.parquet as parquet

    if not path.is_file():
        raise InputError(f"There is no file '{path}'; pass a file written by `space.save`.")
    try:
        table = parquet.read_table(regular_file(path))
        frame, about = from_arrow(table.drop_columns([_VECTOR])), (table.schema.metadata or {}).get(ABOUT_KEY)
        vectors = table.column(_VECTOR).combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(len(table), -1)
        return VectorFile(np.asarray(vectors, np.float32), frame, json.loads(about) if about else foreign_about(frame, path.stem, str(path.parent)))
    except Exception as error:  # pyarrow's parsers raise anything on foreign content
        raise InputError(f"'{path.name}' holds no space; write one with `space.save`.") from error


def foreign_about(frame: pd.DataFrame, name: str, root: str) -> dict[str, Any]:
    """Metadata of foreign vectors: with images if there is a column of paths."""
    images = "path" in frame and bool(frame["path"].map(lambda path: isinstance(path, str)).all())
    return {"name": name, "table": name, "root": root, "has_images": images, "encoder": "", "provenance": "", "notion": False, "linear": None}
