"""How an attribute colors a map: a color that is one is shown as itself, angles are cyclic, numbers have a scale."""

from collections.abc import Mapping

import pandas as pd

from components.coloring import Coloring, coloring_of
from likeness.data.css_colors import CSS_RGB
from shared.sidebar import readable

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
    named = set(values.dropna().astype(str))
    return {name: "#{:02x}{:02x}{:02x}".format(*rgb) for name, rgb in CSS_RGB.items()} if named and named <= set(CSS_RGB) else None
