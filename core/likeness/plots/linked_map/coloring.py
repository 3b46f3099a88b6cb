"""Colorings of a map."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from likeness.data import CSS_RGB, has_label, numbers_of
from likeness.errors import InputError

Kind = Literal["category", "colors", "number", "angle", "none"]

_ANGLES = ("yaw", "azimuth", "hue", "angle")
_FEW = 12  # up to so many distinct whole numbers are classes


@dataclass(frozen=True, eq=False)
class Coloring:
    """One color for each of n rows.

    kind "category" or "colors": `codes` (n,) are indices into `names`; -1 is a missing value. `palette` (a hex color per name) is required for
    "colors", where class names are colors; a category without it uses the color-blind-safe palette. "number" or "angle" (degrees): `values` (n,), NaN
    is missing. "none": one color for all.
    """

    kind: Kind
    label: str = ""
    names: Sequence[str] = ()
    codes: np.ndarray | None = None
    palette: Sequence[str] | None = None
    values: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.kind in ("category", "colors") and self.codes is None:
            raise InputError(f"Coloring of kind {self.kind!r} has no codes; pass codes (n,) and names.")
        if self.kind in ("number", "angle") and self.values is None:
            raise InputError(f"Coloring of kind {self.kind!r} has no values; pass values (n,).")
        if self.kind == "colors" and self.palette is None:
            raise InputError("Coloring of kind 'colors' has no palette; pass one hex color for each name.")
        if self.palette is not None and len(self.palette) != len(self.names):
            raise InputError(f"A palette of {len(self.palette)} colors does not fit {len(self.names)} names; pass one for each.")

    @property
    def counts(self) -> np.ndarray:
        """Number of rows of each class (k,); empty for numbers and angles."""
        if self.codes is None:
            return np.zeros(0, dtype=np.int64)
        codes = np.asarray(self.codes)
        return np.bincount(codes[codes >= 0], minlength=len(self.names))


def coloring_of(label: str, values: Sequence[object] | np.ndarray, kind: Kind = "category", palette: Mapping[str, str] | None = None) -> Coloring:
    """The coloring of n rows by an attribute: class names (None, NaN and "" are missing) or numbers.

    `palette` maps a class name to its hex color. Classes are in alphabetical order, or in that of the palette.
    """
    if kind == "none":
        return Coloring("none", label)
    if kind in ("number", "angle"):
        return Coloring(kind, label, values=np.asarray(values, dtype=np.float64))
    found, distinct = pd.factorize(np.asarray(values, dtype=object))  # -1 for None and NaN
    texts = [str(value) for value in distinct]
    present = set(texts) - {""}
    names = [name for name in palette if name in present] if palette else []
    names += sorted(present - set(names))
    index = {name: i for i, name in enumerate(names)}
    codes = np.array([*(index.get(text, -1) for text in texts), -1], dtype=np.int64)[found]
    colors = [palette.get(name, "#8E939B") for name in names] if palette else None
    return Coloring(kind, label, names=names, codes=codes, palette=colors)


def color_by(values: Sequence[object] | np.ndarray | pd.Series, attribute: str = "", label: str | None = None) -> Coloring:
    """The coloring of n rows by the type of their values: color names have their color, angles a cyclic scale, numbers a linear one.

    Args:
        values: (n,) names or numbers. More than twelve distinct numbers are a scale, fewer are classes; unlabeled values (`likeness.data.has_label`)
            are missing.
        attribute: the column's name; "yaw", "azimuth", "hue" or "angle" in it makes numbers degrees (shares of a turn up to 1).
        label: label of the legend; by default the attribute.

    Example:
        >>> color_by(["red", "blue", "red"], "car_color").kind
        'colors'
        >>> color_by(range(100), "weight").kind
        'number'
    """
    series = pd.Series(values)
    series = series.where(has_label(series))
    label = attribute if label is None else label
    numbers = numbers_of(series) if series.nunique() > _FEW else None
    if numbers is not None:
        if not any(word in attribute.lower() for word in _ANGLES):
            return coloring_of(label, numbers, "number")
        return coloring_of(label, numbers * 360 if np.nanmax(numbers) <= 1 else numbers, "angle")
    named = {str(value) for value in series.dropna().unique()}
    palette = {name: "#{:02x}{:02x}{:02x}".format(*rgb) for name, rgb in CSS_RGB.items()} if named and named <= set(CSS_RGB) else None
    return coloring_of(label, series.to_numpy(), "colors" if palette else "category", palette)
