"""Angles: numeric labels in degrees, the shorter way round."""

from typing import Any

from likeness.data import ImageTable
from likeness.labels.kind import LabelKind, LabelOptions, number_columns
from likeness.labels.numbers import NumberLabels
from likeness.progress import Progress

_TURN = 360.0
_VIEWPOINT = ("yaw", "elevation")


def _read(table: ImageTable, options: LabelOptions, progress: Progress | None) -> NumberLabels:
    return NumberLabels(number_columns(table, options.columns), (_TURN,) * len(options.columns), "degrees")


def _offered(table: ImageTable) -> dict[str, dict[str, Any]]:
    return {"Viewpoint": {"columns": _VIEWPOINT}} if set(_VIEWPOINT) <= set(table.attributes) else {}


KIND = LabelKind("angles", "numeric columns, in degrees", _read, _offered, needs="columns")
