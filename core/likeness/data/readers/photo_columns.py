"""Columns from the files of a folder: seconds of videos, pages of PDF files, and EXIF data of photos."""

import math
import os
from pathlib import Path
from typing import Any

from likeness.io import PART_SUFFIXES, Part, PhotoData, count_parts, is_pdf_name, part_path, photo_data, split_part, text_to_name

NO_CLASS = "(none)"
# what files tell of themselves; any other column of a folder or table is a label that somebody gave
PHOTO_COLUMNS = ("file", "second", "page", "taken", "year", "camera", "latitude", "longitude")


def with_parts(folder: Path, paths: list[str]) -> tuple[list[str], dict[str, list[Any]]]:
    """Expands paths to one row per second of a video and page of a PDF, with columns that number them."""
    found = [path for path in paths if os.path.splitext(path)[1].lower() in PART_SUFFIXES]
    if not found:
        return paths, {}
    counts = dict(zip(found, count_parts([folder / text_to_name(path) for path in found]), strict=True))
    rows: list[tuple[str, str, float, float]] = []
    for path in paths:
        count = counts.get(path)
        if isinstance(count, int):
            page = is_pdf_name(path)
            rows += [(part_path(path, Part(n + page)), path, math.nan if page else n, n + 1 if page else math.nan) for n in range(count)]
        else:
            rows.append((path, NO_CLASS, math.nan, math.nan))
    names, files, seconds, pages = (list(column) for column in zip(*rows, strict=True))
    columns = {"file": files, "second": seconds, "page": pages}
    return names, {column: values for column, values in columns.items() if set(map(str, values)) - {NO_CLASS, "nan"}}


def photo_columns(folder: Path, paths: list[str], gps: bool) -> dict[str, list[Any]]:
    """Columns of EXIF data, without empty ones."""
    rows = [row for row, path in enumerate(paths) if split_part(path)[1] is None]
    photos = [PhotoData()] * len(paths)
    for row, found in zip(rows, photo_data([folder / text_to_name(paths[row]) for row in rows], gps), strict=True):
        photos[row] = found
    columns: dict[str, list[Any]] = {
        "taken": [photo.taken or NO_CLASS for photo in photos],
        "year": [photo.taken[:4] or NO_CLASS for photo in photos],
        "camera": [photo.camera or NO_CLASS for photo in photos],
        "latitude": [photo.latitude for photo in photos],
        "longitude": [photo.longitude for photo in photos],
    }
    return {column: values for column, values in columns.items() if set(map(str, values)) - {NO_CLASS, "nan"}}
