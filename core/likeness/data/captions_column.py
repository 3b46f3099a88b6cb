"""The column `captions`: a JSON list of sentences per image."""

import json
from collections.abc import Sequence

import pandas as pd

from likeness.data.columns import free_name
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import parse_json

CAPTIONS_COLUMN, CAPTION_COLUMN = "captions", "caption"


def captions_cell(sentences: Sequence[str]) -> str:
    """A cell of the column: the sentences of one image as JSON."""
    return json.dumps(list(sentences), ensure_ascii=False)


def read_captions(table: ImageTable) -> list[list[str]]:
    """The sentences of each image, in row order: from the column `captions` (JSON lists, which CSV and Parquet files can store), or else from the
    column `caption`, one sentence per image.

    Raises:
        InputError: neither column exists, a cell is not such a list, or an image has no sentence.
    """
    if CAPTIONS_COLUMN in table.frame.columns:
        found = [_sentences(table, row, cell) for row, cell in enumerate(table.frame[CAPTIONS_COLUMN])]
    elif CAPTION_COLUMN in table.frame.columns:
        found = [[cell.strip()] if isinstance(cell, str) and cell.strip() else [] for cell in table.frame[CAPTION_COLUMN]]
    else:
        raise InputError(
            f"'{table.name}' has no captions, only the columns {', '.join(table.attributes[:20]) or 'path'}; add a column 'captions' (a JSON list of "
            f"sentences) or 'caption' (one sentence)."
        )
    empty = next((row for row, sentences in enumerate(found) if not sentences), None)
    if empty is not None:
        raise InputError(f"The image '{table.frame['path'][empty]}' of '{table.name}' has no caption; add one or remove the image.")
    return found


def with_caption_column(frame: pd.DataFrame, name: str, file: str) -> pd.DataFrame:
    """Renames the column `name` for `read_captions`: to `captions` if all its cells are JSON lists, else to `caption`. An existing column of that
    name becomes "NAME (attribute)". Raises InputError if there is no column `name`.
    """
    if name not in frame.columns:
        listed = ", ".join(f"'{column}'" for column in frame.columns[:20])
        raise InputError(f"The table '{file}' has no column '{name}' of captions; its columns are {listed}.")
    there = frame[name].dropna()
    listed_all = len(there) > 0 and all(_listed(cell) is not None for cell in there)
    target = CAPTIONS_COLUMN if listed_all else CAPTION_COLUMN
    others = {each: free_name(each, {*frame.columns}, "attribute") for each in (CAPTIONS_COLUMN, CAPTION_COLUMN) if each in frame and each != name}
    renamed: pd.DataFrame = frame.rename(columns=others | {name: target})
    if not listed_all:
        renamed[target] = renamed[target].map(str, na_action="ignore")
    return renamed


def _sentences(table: ImageTable, row: int, cell: object) -> list[str]:
    listed = _listed(cell)
    if listed is None:
        raise InputError(
            f"The captions of '{table.frame['path'][row]}' in '{table.name}' are '{str(cell)[:80]}', expected a JSON list of sentences such as "
            f'["a red car", "a car on a road"]; write them so.'
        )
    return [each.strip() for each in listed if each.strip()]


def _listed(cell: object) -> list[str] | None:
    """The strings of a JSON list of strings; None for other cells."""
    try:
        found = parse_json(cell, "it") if isinstance(cell, str) and cell.lstrip().startswith("[") else None
    except InputError:
        return None
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else None
