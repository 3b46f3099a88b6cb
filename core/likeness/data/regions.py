"""Make regions of images from a table with boxes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import Part, part_path, split_part

# The names of four columns, and the rows of the matrix that makes left, top, width and height of them.
_CORNERS = [[1, 0, 0, 0], [0, 1, 0, 0], [-1, 0, 1, 0], [0, -1, 0, 1]]
_CENTER = [[1, 0, -0.5, 0], [0, 1, 0, -0.5], [0, 0, 1, 0], [0, 0, 0, 1]]
_UNMISTAKABLE: dict[tuple[str, ...], Any] = {
    ("x", "y", "w", "h"): np.eye(4),
    ("xmin", "ymin", "xmax", "ymax"): _CORNERS,
    ("x1", "y1", "x2", "y2"): _CORNERS,
    ("x_center", "y_center", "width", "height"): _CENTER,
}
_PERHAPS = ("x", "y", "width", "height")
_LIST = "bbox"
_LARGEST, _MOSTLY = 1e9, 0.5  # columns that mostly give no box are something else


def with_regions(table: ImageTable) -> ImageTable:
    """The table with a region of its image in each row that has a box (`likeness.io.file_parts`); rows without one stay whole images. The boxes stay
    as the last attributes. A table without columns of boxes, or whose paths name regions already, is unchanged.

    Boxes are columns x, y, w, h (left, top, width and height); xmin, ymin, xmax, ymax or x1, y1, x2, y2; x_center, y_center, width, height, as YOLO
    has them; x, y, width, height if some image has several rows, since one row may give the image's size; or a column bbox of x, y, w, h, as COCO
    has it. They are shares of the image if none is above 1, else pixels of the upright image; a note says which.

    Raises:
        InputError: a box is not complete, or the boxes may be either shares or pixels.

    Example:
        >>> from pathlib import Path
        >>> with_regions(ImageTable("cars", Path(), pd.DataFrame({"path": ["a.jpg"], "x": [1], "y": [2], "w": [30], "h": [40]}))).frame["path"][0]
        'a.jpg#xywh=1,2,30,40'
    """
    found = _boxes(table)
    paths = [str(path) for path in table.frame["path"]]
    if found is None or any((split_part(path)[1] or Part()).box for path in paths):
        return table
    columns, given, matrix = found
    named = ", ".join(columns)
    whole = np.asarray(np.isnan(given).all(axis=1))
    with np.errstate(invalid="ignore"):
        boxes = given @ np.asarray(matrix, np.float64).T
    if (boxes[~whole, 2:] > 0).all(axis=1).mean() < _MOSTLY:
        return table
    bad = np.flatnonzero(~whole & ~(np.abs(given) < _LARGEST).all(axis=1))
    if len(bad):
        raise InputError(f"The box of row {bad[0] + 1} of '{table.name}' ({named}) has a missing or infinite number; correct it, or empty all four.")
    shares = bool((np.abs(boxes[~whole]) <= 1).all())
    small = np.flatnonzero((boxes[:, 2:] < 1).all(axis=1) & (boxes[:, 2:] > 0).all(axis=1))
    if not shares and len(small):
        raise InputError(
            f"The box of row {small[0] + 1} of '{table.name}' ({named}) is smaller than a pixel, but others are in pixels, not in shares; write all "
            "of them in one unit."
        )
    numbers = (boxes * 100 if shares else boxes).tolist()
    regions = [
        path if skip else part_path(path, Part(box=tuple(box), percent=shares))
        for path, skip, box in zip(paths, whole.tolist(), numbers, strict=True)
    ]
    note = f"Each row is the region of its image in {named}, in {'shares of its size' if shares else 'pixels'}."
    others = [name for name in table.frame.columns if name not in columns]
    return replace(table, frame=table.frame.assign(path=regions)[[*others, *columns]], notes=(*table.notes, note))


def _boxes(table: ImageTable) -> tuple[list[str], NDArray[np.float64], Any] | None:
    """The columns' names, their numbers (n, 4), NaN where missing, and what makes boxes of them; None if there are none."""
    names = {str(name).strip().lower(): str(name) for name in reversed(table.attributes)}
    if _LIST in names and (listed := _listed(table.frame[names[_LIST]])) is not None and not np.isnan(listed).all():
        return [names[_LIST]], listed, np.eye(4)
    for columns, matrix in (*_UNMISTAKABLE.items(), (_PERHAPS, np.eye(4))):
        if all(name in names for name in columns):
            given = table.frame[[names[name] for name in columns]].apply(pd.to_numeric, errors="coerce").to_numpy(np.float64, na_value=np.nan)
            several = pd.DataFrame(given).assign(path=table.frame["path"].to_numpy()).drop_duplicates()["path"].duplicated().any()
            if not np.isnan(given).all() and (columns != _PERHAPS or several):
                return [names[name] for name in columns], given, matrix
    return None


def _listed(cells: "pd.Series[Any]") -> NDArray[np.float64] | None:
    """Cells of four numbers as they are, or as text, such as "[1, 2, 30, 40]"; None if a cell is anything else."""
    rows = []
    for cell in cells:
        if isinstance(cell, str):
            cell = cell.strip().strip("[]()").replace(",", " ").split()
        elif pd.api.types.is_scalar(cell) and pd.isna(cell):
            cell = [np.nan] * 4
        try:
            rows.append([float(number) for number in cell] or [np.nan] * 4)
        except (TypeError, ValueError):
            return None
    return np.array(rows, np.float64) if rows and all(len(row) == 4 for row in rows) else None
