"""How an attribute colors a map: a color that is one is shown as itself, angles are cyclic, numbers have a scale."""

from collections.abc import Mapping

import pandas as pd
from components.coloring import Coloring, coloring_of
from sidebar import readable

from likeness.data import css_color_palette

_ANGLES = ("yaw", "azimuth", "hue", "angle")
_FEW = 12  # distinct whole numbers up to this count are classes


def color_map(frame: pd.DataFrame, attribute: str | None) -> Coloring:
    """The coloring of every row of `frame` by `attribute`; one color for all where it is None."""
    if attribute is None:
        return coloring_of("", [""] * len(frame), "none")
    values, label = frame[attribute], readable(attribute)
    if pd.api.types.is_numeric_dtype(values) and values.nunique() > _FEW:
        return _scale(values, attribute, label)
    palette = _colors(values)
    return coloring_of(label, values.to_numpy(), "colors" if palette else "category", palette)


def _scale(values: "pd.Series[float]", attribute: str, label: str) -> Coloring:
    if not any(word in attribute.lower() for word in _ANGLES):
        return coloring_of(label, values.to_numpy(), "number")
    degrees = values * 360 if values.max() <= 1 else values
    return coloring_of(label, degrees.to_numpy(), "angle")


def _colors(values: "pd.Series[str]") -> Mapping[str, str] | None:
    palette = css_color_palette()
    return palette if set(values.dropna().astype(str).str.lower()) <= set(palette) else None
