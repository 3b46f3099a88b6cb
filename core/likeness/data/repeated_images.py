"""Merge rows of the same image in a table, if they agree."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data.captions_column import CAPTION_COLUMN, CAPTIONS_COLUMN, captions_cell
from likeness.data.listed_files import Files, find_files, first_rows
from likeness.data.table import CONTENT_COLUMN, IMAGE_COLUMN, ImageTable

_NAMED = 3


def one_row_an_image(table: ImageTable, files: Files | None = None) -> ImageTable:
    """The table with one row per repeatedly listed image, and notes with their number.

    Rows of one file (`first_rows` of `files`, from `find_files`) that agree in all columns become the first of them; rows that differ only in
    `caption` become one with the column `captions`, as in `read_captions`. Rows that differ otherwise are kept: if their paths differ, the column
    `IMAGE_COLUMN` marks them as one image, and rankings never return one of them for another.
    """
    table = replace(table, frame=table.frame.drop(columns=IMAGE_COLUMN, errors="ignore"))
    listed = table.frame["path"].tolist()
    first = first_rows(listed, table.root, find_files(listed, table.root)[1] if files is None else files)
    # only rows of repeated images are compared: their columns may be many and slow to group
    places = np.flatnonzero(np.bincount(first, minlength=len(first))[first] > 1)
    if not len(places):
        return table
    rows = table.frame.iloc[places].drop(columns=["path", CONTENT_COLUMN], errors="ignore").assign(**{IMAGE_COLUMN: first[places]})
    is_captioned = CAPTION_COLUMN in rows and CAPTIONS_COLUMN not in rows
    said = rows.drop(columns=CAPTION_COLUMN) if is_captioned else rows
    group = said.groupby(list(said.columns), sort=False, dropna=False, observed=True).ngroup().to_numpy()
    heads = np.flatnonzero(~pd.Series(group).duplicated().to_numpy())
    frame, has_several = _captions_gathered(table.frame, places, group, heads) if is_captioned else (table.frame, False)
    kept = np.ones(len(frame), bool)
    kept[places] = False
    kept[places[heads]] = True
    stay = np.flatnonzero(kept & (np.bincount(first[kept], minlength=len(first))[first] > 1))  # beside another row of the same image
    paths = np.array(listed, dtype=object)
    if (paths[stay] != paths[first[stay]]).any():
        frame = frame.assign(**{IMAGE_COLUMN: paths[first]})
    notes = [*_merged_note(group, has_several), *_stay_note(rows.set_axis(places).loc[stay], len(np.unique(first[stay])))]
    return replace(table, frame=frame[kept], notes=(*table.notes, *notes))


def _captions_gathered(frame: pd.DataFrame, places: NDArray[np.int64], group: NDArray[Any], heads: NDArray[np.int64]) -> tuple[pd.DataFrame, bool]:
    """The table with all captions of a group in its first row, and whether any captions differ: only then the column is `captions`. Equal captions
    are kept, because two people may write the same.
    """
    cells = frame[CAPTION_COLUMN].tolist()
    sentences: defaultdict[int, list[str]] = defaultdict(list)
    for number, place in zip(group.tolist(), places.tolist(), strict=True):
        if isinstance(cells[place], str) and cells[place].strip():
            sentences[number].append(cells[place].strip())
    if not any(len(set(each)) > 1 for each in sentences.values()):
        for number, head in enumerate(heads):
            cells[places[head]] = next(iter(sentences[number]), cells[places[head]])
        return frame.assign(**{CAPTION_COLUMN: cells}), False
    lists = [[cell.strip()] if isinstance(cell, str) and cell.strip() else [] for cell in cells]
    for number, head in enumerate(heads):
        lists[places[head]] = sentences[number]
    gathered = frame.assign(**{CAPTION_COLUMN: [captions_cell(each) for each in lists]})
    return gathered.rename(columns={CAPTION_COLUMN: CAPTIONS_COLUMN}), True


def _merged_note(group: NDArray[Any], has_captions: bool) -> list[str]:
    counts = np.bincount(group)
    count = int((counts > 1).sum())
    if not count:
        return []
    often = "twice" if counts.max() == 2 else "more than once"
    are = "image is" if count == 1 else "images are"
    return [f"{count:,} {are} listed {often}; each is one row{' with all of its captions' if has_captions else ''}."]


def _stay_note(rows: pd.DataFrame, count: int) -> list[str]:
    """The note about the kept `rows` of `count` images."""
    if not count:
        return []
    several = rows.groupby(IMAGE_COLUMN).nunique(dropna=False).max() > 1
    differ = [f"'{name}'" for name in several.index[several]]
    named = ", ".join(differ[:_NAMED]) + (", ..." if len(differ) > _NAMED else "")
    are = "image is" if count == 1 else "images are"
    return [
        f"{count:,} {are} listed more than once with different values of {named}; all rows are kept, and rankings exclude rows of the same image."
    ]
