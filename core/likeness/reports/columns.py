"""The attributes of images as a report holds them: classes by number, numbers to three digits and more, other texts as they are."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from likeness.plots.linked_map import Coloring, angle_scale, categorical_palette, color_by, number_scale
from likeness.reports.privacy import hide_folders

_LONGEST = 160  # letters of a value
_MOST_CLASSES = 400  # more different texts are no classes that a legend could list
_MOST_TEXT = 0.15  # of the file: letters of all values
_MOST_COLUMNS = 40
_STOPS = 32  # colors of a scale


def report_columns(frame: pd.DataFrame, names: list[str], places: list[Path], megabytes: float) -> tuple[list[dict[str, Any]], list[str]]:
    """The columns of a report, and the names of those that it has no room for, in a file of so many `megabytes`.

    `names`: the attributes, the most important first; `places`: folders of this machine, which no value may tell. A column has a name and a
    kind: "category" or "colors" with names, colors, codes (-1: no value); "number" or "angle" with values (None: no value), low, high and colors;
    or "text" with values.
    """
    found: list[dict[str, Any]] = []
    left_out: list[str] = []
    room = int(_MOST_TEXT * megabytes * 1e6)
    for name in names:
        column = {"name": readable(hide_folders(name, places))} | _column(frame[name], name, places)
        size = sum(len(str(value)) + 3 for key in ("names", "codes", "values") for value in column.get(key, ()))
        if len(found) >= _MOST_COLUMNS or size > room:
            left_out.append(column["name"])
            continue
        room -= size
        found.append(column)
    return found, left_out


def readable(name: str) -> str:
    """The name of an attribute as people read it: `car_color` -> "Car color"."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _column(values: "pd.Series[Any]", name: str, places: list[Path]) -> dict[str, Any]:
    coloring = color_by(values, name)
    if coloring.values is not None:
        return _scale(coloring)
    texts = [_text(each, places) for each in coloring.names]
    if len(texts) > max(12, min(_MOST_CLASSES, len(values) // 2)):
        return {"kind": "text", "values": [texts[code] if code >= 0 else "" for code in np.asarray(coloring.codes)]}
    colors = list(coloring.palette) if coloring.palette is not None else categorical_palette(coloring.counts)
    return {"kind": coloring.kind, "names": texts, "colors": colors, "codes": np.asarray(coloring.codes).tolist()}


def _scale(coloring: Coloring) -> dict[str, Any]:
    values = np.asarray(coloring.values, np.float64)
    values = np.where(np.isfinite(values), values, np.nan)
    known = values[~np.isnan(values)]
    turn = coloring.kind == "angle"
    low, high = (0.0, 360.0) if turn else (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    shown = [None if np.isnan(each) else float(f"{each:.5g}") for each in values]
    return {"kind": coloring.kind, "values": shown, "low": low, "high": high, "colors": (angle_scale if turn else number_scale)(_STOPS)}


def _text(value: object, places: list[Path]) -> str:
    text = hide_folders(str(value), places)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
