"""Export to a faiss index file, with a Parquet file of its rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from likeness.errors import InputError
from likeness.exports.lancedb_table import about_metadata, vector_file
from likeness.exports.material import Material
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import VectorFile, as_path, regular_file, to_arrow
from likeness.progress import Progress
from likeness.search import code_index

INDEX, SIGNS, ROWS = "index.faiss", "signs.faiss", "rows.parquet"


def write_faiss(material: Material, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with a faiss index file, and a Parquet file that describes its rows.

    `index.faiss` is an IndexFlatIP, whose products of unit rows are cosines, or for int8 an IndexScalarQuantizer; for binary, `signs.faiss` is an
    IndexBinaryFlat (`likeness.search.code_index`). Row i of `rows.parquet` is vector i.

    faiss holds the index in memory until it is written: four bytes per number, or one, or an eighth.
    """
    import faiss
    import pyarrow.parquet as parquet

    index = code_index(lambda: map(material.vectors, material.parts()), material.dim, options.precision)
    write, name = (faiss.write_index_binary, SIGNS) if options.precision == "binary" else (faiss.write_index, INDEX)
    write(index, str(folder / name))
    progress(len(material), len(material))
    table = to_arrow(material.columns)
    if not len(material.columns.columns):
        table = pa.table({"row": pa.array(range(len(material)))})
    parquet.write_table(table.replace_schema_metadata(about_metadata(material)), folder / ROWS)
    return Written(len(material))


def read_faiss(place: str, name: str | None = None) -> VectorFile:
    """Reads the vectors and attributes of an exported folder."""
    import faiss
    import pyarrow.parquet as parquet

    folder: Path = as_path(place)
    if name is not None:
        raise InputError(f"A faiss folder holds one index without a name; remove the name '{name}'.")
    if not (folder / INDEX).is_file() or not (folder / ROWS).is_file():
        raise InputError(f"There is no index in '{place}'; pass a folder with {INDEX} and {ROWS}.")
    try:
        table = parquet.read_table(regular_file(folder / ROWS))
        index: Any = faiss.read_index(str(regular_file(folder / INDEX)))
        vectors = np.asarray(index.reconstruct_n(0, index.ntotal), np.float32)
    except Exception as error:  # both parsers raise anything on foreign content
        raise InputError(f"The index in '{place}' cannot be read ({' '.join(str(error).split())[:150]}); export it again.") from error
    if len(table) != len(vectors):
        raise InputError(f"The index in '{place}' has {len(vectors):,} vectors for {len(table):,} rows; export it again.")
    return vector_file(table, vectors, place)


TARGET = Target("faiss", "faiss", "vectors", write_faiss, ("precision",), read=read_faiss)
