"""Hugging Face's imagefolder, a folder of images with `metadata.csv` or `metadata.jsonl`: https://huggingface.co/docs/datasets/image_dataset."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from likeness.data.captions_column import with_caption_column
from likeness.data.format import Format, ReadOptions, head, plain
from likeness.data.readers.folder import read_folder
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path, name_finder, parse_json, read_csv_cells, text_of, typed_columns

_NAMES, _COLUMN = ("metadata.csv", "metadata.jsonl"), "file_name"


def read_image_folder(path: Path, options: ReadOptions) -> ImageTable:
    """All images of a folder with the columns of its `metadata.csv` or `metadata.jsonl`, or of those in its subfolders."""
    table = read_folder(path if path.is_dir() else path.parent, options.name, options.gps)
    find, found = name_finder(table.frame["path"]), list[pd.DataFrame]()
    for file in _files(table.root):
        frame = typed_columns(read_csv_cells(as_path(file))) if file.suffix == ".csv" else _lines(file)
        below = "" if file.parent == table.root else f"{file.parent.relative_to(table.root).as_posix()}/"
        paths = [below + str(name).removeprefix("./") for name in frame[_COLUMN]]
        found.append(frame.drop(columns=_COLUMN).set_axis([find(each) or each for each in paths]))
    listed = pd.concat(found).rename(columns={"path": "path (attribute)"})
    if listed.index.has_duplicates:
        raise InputError(f"The metadata of '{table.name}' lists '{listed.index[listed.index.duplicated()][0]}' twice; remove one of them.")
    listed = listed.reindex(table.frame["path"]).reset_index(drop=True)
    frame = table.frame.drop(columns=[name for name in table.attributes if name in listed]).join(listed)
    frame = with_caption_column(frame, options.caption_column, table.name) if options.caption_column else frame
    return replace(table, frame=frame, notes=tuple(note for note in table.notes if _NAMES[0] not in note))


def _lines(file: Path) -> pd.DataFrame:
    return pd.DataFrame([plain(parse_json(line, f"A line of '{file.name}'")) for line in text_of(as_path(file)).splitlines() if line.strip()])


def _files(folder: Path) -> list[Path]:
    return [file for name in _NAMES for pattern in (name, f"*/{name}") for file in sorted(folder.glob(pattern)) if _COLUMN in head(file)]


def _matches(path: Path) -> bool:
    return bool(_files(path)) if path.is_dir() else path.name == _NAMES[1] and _COLUMN in head(path)


FORMAT = Format("image-folder", "an imagefolder", "`photos/`", _matches, read_image_folder, takes="columns")
