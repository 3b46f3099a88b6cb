"""A folder of Parquet or Arrow files, such as a dataset of the Hub, or what `save_to_disk` of `datasets` writes."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from likeness.data.format import Format, ReadOptions, shown_name
from likeness.data.readers.folder import READ_SUFFIXES, natural_key
from likeness.data.readers.folder_columns import SPLIT, SPLITS
from likeness.data.readers.tabular import read_table
from likeness.data.table import ImageTable

_COMPUTED = (".", "cache-", "indices")  # by `datasets`, beside the data


def read_shards(path: Path, options: ReadOptions) -> ImageTable:
    """Folders of Parquet and Arrow files with images inside, as the Hub has them, or `save_to_disk` of `datasets` writes them."""
    frames, places = list[pd.DataFrame](), list[str]()
    for file in shards_below(path, ".parquet", ".arrow"):
        table, place = read_table(file, options.path_column, caption_column=options.caption_column), file.relative_to(path)
        frames.append(table.frame.assign(path=[(place.parent / each).as_posix() for each in table.frame["path"]]))
        places += [place.as_posix()] * len(table)
    frame = pd.concat(frames, ignore_index=True)
    return ImageTable(shown_name(path, options), path, frame if SPLIT in frame else frame.assign(**split_column(places)))


def shards_below(folder: Path, *suffixes: str) -> list[Path]:
    """The files with these suffixes in a folder, at most two levels deep, in natural order; none if it holds anything that `read_folder` reads."""
    if not folder.is_dir() or any(name.lower().endswith(READ_SUFFIXES) for _, _, names in os.walk(folder) for name in names):
        return []
    found = [file for pattern in ("*", "*/*", "*/*/*") for file in folder.glob(pattern) if file.name.lower().endswith(suffixes)]
    return sorted((file for file in found if not file.name.startswith(_COMPUTED)), key=lambda file: natural_key(file.relative_to(folder).as_posix()))


def split_column(files: Iterable[str]) -> dict[str, list[str]]:
    """The column `split` of rows in files whose names or folders tell train from test, as "train-00000-of-00002.parquet" does; {} if they do not."""
    splits = [next((word for word in re.split("[^a-z]+", file.lower()) if word in SPLITS), "") for file in files]
    return {SPLIT: splits} if all(splits) and len({*splits}) > 1 else {}


FORMAT = Format("shards", "shards", "`shards/`", lambda path: bool(shards_below(path, ".parquet", ".arrow")), read_shards, takes="columns")
