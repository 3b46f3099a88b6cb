"""Export to Parquet for embedding-atlas: map coordinates, neighbors, thumbnails, a text per image, and all attributes.

Format: `embedding-atlas --help` and https://apple.github.io/embedding-atlas/tool.html: columns of x and y, text, images as file contents, and
neighbors as {"ids": [...], "distances": [...]}, where ids are rows from 0.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from likeness.data import thumbnail
from likeness.errors import InputError
from likeness.exports.material import Material
from likeness.exports.parquet_table import arrow_table
from likeness.exports.plain_columns import check_own_columns, class_attributes, class_values
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import open_atomic
from likeness.progress import Progress

X, Y, TEXT, IMAGE, NEIGHBORS = "x", "y", "text", "image", "neighbors"
_NEIGHBORS, _PICTURE = 15, 96
_LOOK_S = 0.1
_FEWEST = 4  # images that have neighborhoods which a map can keep


def write_atlas(material: Material, path: Path, options: ExportOptions, progress: Progress) -> Written:
    """A Parquet file with a map, neighbors, thumbnails and all attributes, for the command embedding-atlas.

    The map is the cached UMAP of the exported rows.
    """
    import pyarrow.parquet as parquet

    has_images = material.table.has_images
    check_own_columns(material.columns, X, Y, TEXT, NEIGHBORS, *([IMAGE] if has_images else []))
    files = material.table.paths() if has_images and material.paths(regions=True) else []  # which refuses what is missing
    texts = row_texts(material, class_attributes(material.attributes, options.label))
    attributes, positions = arrow_table(material), _positions(material, progress)
    near = pa.struct([("ids", pa.list_(pa.int64())), ("distances", pa.list_(pa.float32()))])
    picture = [pa.field(IMAGE, pa.struct([("bytes", pa.binary())]))] if has_images else []
    own = [pa.field(X, pa.float32()), pa.field(Y, pa.float32()), pa.field(TEXT, pa.string()), pa.field(NEIGHBORS, near), *picture]
    schema = pa.schema([*attributes.schema, *own])
    with open_atomic(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for part in material.parts():
            chosen = slice(part.begin, part.end)
            rows, similarities = material.neighbors(part, options.neighbors or _NEIGHBORS)
            beside = [
                {"ids": each, "distances": (1 - values).tolist()} for each, values in zip(rows.tolist(), similarities.astype(float), strict=True)
            ]
            columns = [*attributes.slice(part.begin, part.end - part.begin).columns, *(pa.array(axis) for axis in positions[chosen].T)]
            columns += [pa.array(texts[chosen], pa.string()), pa.array(beside, near)]
            if has_images:
                columns.append(pa.array([{"bytes": _picture(each)} for each in files[chosen]], picture[0].type))
            writer.write_table(pa.table(columns, schema=schema))
            progress(part.end, len(material))
    image = f" --image {IMAGE}" if has_images else ""
    return Written(len(material), note=f"Open with: embedding-atlas {{place}} --x {X} --y {Y} --neighbors {NEIGHBORS} --text {TEXT}{image}")


def row_texts(material: Material, attributes: list[str]) -> list[str]:
    """The attributes of each image as text: "car color: red, body: van"; only the value if there is one attribute."""
    columns = {name: class_values(material.attributes[name]) for name in attributes}
    texts = []
    for row in range(len(material)):
        there = {name: values[row] for name, values in columns.items() if values[row] is not None and values[row] is not False}
        words = [name if value is True else str(value) if len(attributes) == 1 else f"{name}: {value}" for name, value in there.items()]
        texts.append(", ".join(words))
    return texts


def _positions(material: Material, progress: Progress) -> Any:
    from likeness.projection import LayoutFailed, LayoutJob, pca_map

    vectors = material.vectors()
    if len(vectors) < _FEWEST:
        return pca_map(vectors) if len(vectors) > 1 else np.zeros((1, 2), np.float32)
    job = LayoutJob(vectors)
    try:
        while not job.done:  # whoever is told of the progress may end it
            progress(0, len(material))
            time.sleep(_LOOK_S)
        return job.result()
    except LayoutFailed as error:
        raise InputError(f"There is no map of these images ({error}); export fewer.") from error
    except BaseException:
        job.cancel()
        raise


def _picture(file: Any) -> bytes:
    try:
        return thumbnail(file, _PICTURE)
    except OSError as error:
        raise InputError(f"'{file}' cannot be read as an image ({error}); export the others, by `rows` or --only.") from error


TARGET = Target("embedding-atlas", "embedding-atlas", "vectors", write_atlas, ("label", "neighbors"), ending=".parquet", several=True)
