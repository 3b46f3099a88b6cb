"""The attributes of images as a report holds them: classes by number, numbers to three digits and more, other texts as they are."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from likeness.plots.linked_map import Coloring, color_by, encode_coloring
from likeness.reports.privacy import hide_folders

_LONGEST = 160  # letters of a value
_MOST_CLASSES = 400  # more different texts are no classes that a legend could list
_MOST_TEXT = 0.15  # of the file: letters of all values
_MOST_COLUMNS = 40


def report_columns(frame: pd.DataFrame, names: list[str], places: list[Path], megabytes: float) -> tuple[list[dict[str, Any]], list[str]]:
    """The columns of a report, and the names of those that it has no room for, in a file of so many `megabytes`.

    `names`: the attributes, the most important first; `places`: folders of this machine, which no value may tell. A column has a name and either
    a coloring of classes, as the map takes it, and the number of those that are `known` (a code beyond them: no value), or values (None: no
    value), with a coloring where they are numbers.
    """
    found: list[dict[str, Any]] = []
    left_out: list[str] = []
    room = int(_MOST_TEXT * megabytes * 1e6)
    for name in names:
        title = readable(hide_folders(name, places))
        column = {"name": title} | _column(color_by(frame[name], name, title), places)
        size = len(json.dumps(column))
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


def _column(coloring: Coloring, places: list[Path]) -> dict[str, Any]:
    if coloring.values is not None:
        values = np.asarray(coloring.values, np.float64)
        shown = [float(f"{each:.5g}") if np.isfinite(each) else None for each in values]
        return {"values": shown, "coloring": encode_coloring(coloring, len(values))}
    texts, codes = [_text(each, places) for each in coloring.names], np.asarray(coloring.codes)
    if len(texts) > max(12, min(_MOST_CLASSES, len(codes) // 2)):
        return {"values": [texts[code] if code >= 0 else None for code in codes]}
    return {"coloring": encode_coloring(replace(coloring, names=texts), len(codes)), "known": len(texts)}


def _text(value: object, places: list[Path]) -> str:
    text = hide_folders(str(value), places)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
