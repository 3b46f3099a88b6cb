"""Export to Parquet: attributes, vectors and neighbors. With vectors, `likeness.load` reads it as a Space."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from likeness.exports.material import Material
from likeness.exports.plain_columns import NEIGHBORS, SIMILARITIES, check_own_columns
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import ABOUT_KEY, open_atomic, to_arrow
from likeness.progress import Progress

_VECTOR = "vector"


def write_parquet(material: Material, path: Path, options: ExportOptions, progress: Progress) -> Written:
    """A Parquet file of all attributes; with `vectors`, one that `likeness.load` reads as a Space.

    Neighbors are row numbers of this file, from 0.
    """
    import pyarrow.parquet as parquet

    own = [*([_VECTOR] if options.vectors else []), *([NEIGHBORS, SIMILARITIES] if options.neighbors else [])]
    check_own_columns(material.columns, *own)
    attributes = arrow_table(material)
    if not own:
        with open_atomic(path) as file:
            parquet.write_table(attributes, file)
        return Written(len(material))
    fields = list(attributes.schema)
    if options.neighbors:
        fields += [pa.field(NEIGHBORS, pa.list_(pa.int64())), pa.field(SIMILARITIES, pa.list_(pa.float32()))]
    if options.vectors:
        fields.append(pa.field(_VECTOR, pa.list_(pa.float32(), material.dim)))
    about = {ABOUT_KEY: json.dumps(material.about).encode()} if options.vectors else {}
    schema = pa.schema(fields, about)
    with open_atomic(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for part in material.parts():
            columns = list(attributes.slice(part.start, len(part)).columns)
            if options.neighbors:
                rows, similarities = material.neighbors(part, options.neighbors)
                columns += [pa.array(list(rows), pa.list_(pa.int64())), pa.array(list(similarities), pa.list_(pa.float32()))]
            if options.vectors:
                columns.append(vector_column(material.vectors(part)))
            writer.write_table(pa.table(columns, schema=schema))
            progress(part.stop, len(material))
    return Written(len(material))


def arrow_table(material: Material) -> Any:
    """The paths and attributes as a pyarrow table."""
    return to_arrow(material.columns).replace_schema_metadata(None)


def vector_column(vectors: Any) -> Any:
    """Vectors (m, d) as a pyarrow column of fixed-size lists."""
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(vectors, np.float32).reshape(-1)), vectors.shape[1])


TARGET = Target("parquet", "Parquet", "rows", write_parquet, ("vectors", "neighbors"), ending=".parquet")
