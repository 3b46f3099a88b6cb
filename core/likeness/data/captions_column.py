"""Sentences about images as a column of a table: `captions`, a JSON list of sentences as text."""

import json
from collections.abc import Sequence

import pandas as pd

from likeness.data.columns import free_name
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import parse_json

CAPTIONS_COLUMN, CAPTION_COLUMN = "captions", "caption"


def captions_cell(sentences: Sequence[str]) -> str:
    """Sentences of one image as the column holds them."""
    return json.dumps(list(sentences), ensure_ascii=False)


def read_captions(table: ImageTable) -> list[list[str]]:
    """The sentences of each image, in row order: from the column `captions`, JSON lists as text, which a CSV or Parquet file keeps; or where there
    is none from the column `caption`, one sentence per image.

    Raises:
        InputError: no such column, a cell that is no such list, or an image without a sentence.
    """
    if CAPTIONS_COLUMN in table.frame.columns:
        found = [_sentences(table, row, cell) for row, cell in enumerate(table.frame[CAPTIONS_COLUMN])]
    elif CAPTION_COLUMN in table.frame.columns:
        found = [[cell.strip()] if isinstance(cell, str) and cell.strip() else [] for cell in table.frame[CAPTION_COLUMN]]
    else:
        raise InputError(
            f"'{table.name}' has no captions but the columns {', '.join(table.attributes[:20]) or 'path'}; add a column 'captions' (a JSON list of "
            f"sentences) or 'caption' (one sentence)."
        )
    empty = next((row for row, sentences in enumerate(found) if not sentences), None)
    if empty is not None:
        raise InputError(f"The image '{table.frame['path'][empty]}' of '{table.name}' has no caption; add one or leave the image out.")
    return found


def with_caption_column(frame: pd.DataFrame, name: str, file: str) -> pd.DataFrame:
    """A frame whose column `name` is called as `read_captions` reads it: `captions` where all its cells are JSON lists, else `caption`. A column that
    was called so before becomes "NAME (attribute)". Raises InputError where there is no such column.
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
    """The texts of a JSON list of texts; None where a cell holds no such list."""
    try:
        found = parse_json(cell, "it") if isinstance(cell, str) and cell.lstrip().startswith("[") else None
    except InputError:
        return None
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else None
