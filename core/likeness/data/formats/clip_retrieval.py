"""What `clip-retrieval inference` writes: `img_emb/img_emb_0.npy` ... and `metadata/metadata_0.parquet` ..."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from likeness.data.format import Format, ReadOptions, shown_name
from likeness.data.readers.folder import natural_key
from likeness.data.readers.parquet_columns import plain_cells
from likeness.data.readers.tabular import with_listed_images
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path, from_arrow, read_array, regular_file


def read_clip_retrieval(path: Path, options: ReadOptions) -> tuple[Any, ImageTable]:
    """The vectors of clip-retrieval's inference with their metadata, and with images where `image_path` is on this machine."""
    import pyarrow.parquet as parquet

    root = path if path.is_dir() else path.parent.parent if path.parent.name == "img_emb" else path.parent
    vectors = np.concatenate([read_array(as_path(part), mapped=True) for part in _parts(root, "img_emb")]).astype(np.float32)
    tables = [from_arrow(parquet.read_table(regular_file(as_path(part)))) for part in _parts(root, "metadata")]
    frame = plain_cells(pd.concat(tables, ignore_index=True)) if tables else pd.DataFrame(index=range(len(vectors)))
    if len(frame) != len(vectors):
        raise InputError(f"'{root.name}' has {len(vectors):,} vectors and {len(frame):,} rows of metadata; pass a folder with all parts of both.")
    return vectors, with_listed_images(frame, shown_name(root, options), root)


def _parts(root: Path, kind: str) -> list[Path]:
    found = [file for place in (root / kind, root) for file in place.glob(f"{kind}_[0-9]*") if file.suffix in (".npy", ".parquet")]
    return sorted(found, key=lambda file: natural_key(file.name))


def _matches(path: Path) -> bool:
    return bool(_parts(path, "img_emb")) if path.is_dir() else path.name.startswith("img_emb_") and path.suffix == ".npy"


FORMAT = Format("clip-retrieval", "vectors of clip-retrieval", "`embeddings/`", _matches, read_clip_retrieval, "space")
