"""The dataset that ships, and the way from what a person names to a table."""

import hashlib
import os
from pathlib import Path

import pandas as pd

from likeness.data.generated import GENERATED, is_generated, read_generated
from likeness.data.paper_datasets import READERS, absolute_paper_source, is_paper_source, read_paper_dataset
from likeness.data.readers import tabular
from likeness.data.readers.folder import read_folder
from likeness.data.table import ImageTable
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.io.paths import as_path, assets_dir


def bundled_images() -> ImageTable:
    """The 2,000 rendered cars that ship, with all their attributes.

    The further column "sha256" holds the digest of each image's content: by it the embeddings that ship are found, since paths and times differ on
    every machine.

    Raises:
        InputError: if the files are not there.
    """
    root = assets_dir() / "synthetic_cars"
    file = root / "attributes.csv"
    if not file.is_file():
        raise InputError(f"The bundled images are not in '{root}'; install the package again, or make them with `likeness render`.")
    frame = pd.read_csv(file)
    frame["sha256"] = [_digest(root / str(path)) for path in frame["path"]]
    return ImageTable("Synthetic Cars", root, frame)


def read_dataset(source: str | Path, path_column: str | None = None, name: str | None = None) -> ImageTable:
    """A table from what a person names.

    Args:
        source: "cars"; a folder of images, all of which are taken; a CSV, TSV or Parquet file that lists them; or "cars196:FOLDER" for a
            dataset of the InDiReCT paper with its labels, "cars196/all:FOLDER" for more of it than the paper evaluates (the names are in
            `likeness.data.paper_datasets.READERS`); or a generated one, "synthetic-poses", which is drawn once
            (`likeness.data.generated.GENERATED`).
        path_column: the column of paths in such a file; by default it is found.
        name: shown to people; by default the folder's, file's or dataset's.

    Raises:
        InputError: if there is no such place or dataset, or it holds no images.
    """
    if str(source) == DATASET:
        return bundled_images()
    if is_generated(str(source)):
        return read_generated(str(source))
    if not str(source).strip():
        raise InputError("No images are named; give 'cars', a folder, a CSV or Parquet file, or a dataset such as 'cars196:FOLDER'.")
    if is_paper_source(str(source)):
        table = read_paper_dataset(str(source))
        return ImageTable(name or table.name, table.root, table.frame)
    path = as_path(source)
    if path.is_dir():
        return read_folder(path, name)
    if not path.exists() and path.suffix.lower() not in tabular.SUFFIXES:
        if os.sep in str(source):
            raise InputError(f"There is nothing at '{source}'; give a folder of images, or a CSV or Parquet file that lists them.")
        raise InputError(
            f"There is no dataset '{source}'; give 'cars', {', '.join(GENERATED)}, a folder of images, a CSV or Parquet file that lists them, or "
            f"NAME:FOLDER with one of {', '.join(READERS)}."
        )
    return tabular.read_table(path, path_column, name)


def absolute_source(source: str) -> str:
    """What `read_dataset` takes, so that it is found from anywhere: with an absolute folder or file.

    Raises:
        InputError: no path, or one that may not be read here.
    """
    if source == DATASET or is_generated(source):
        return source
    return absolute_paper_source(source) if is_paper_source(source) else str(as_path(source).resolve())


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"The bundled image '{path.name}' is missing or cannot be read; install the package again.") from error
