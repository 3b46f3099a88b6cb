"""How an attribute colors a map."""

import pandas as pd

from likeness.plots.linked_map import Coloring, color_by, coloring_of
from shared.sidebar import readable


def color_map(frame: pd.DataFrame, attribute: str | None) -> Coloring:
    """The coloring of every row of `frame` by `attribute`; one color for all where it is None."""
    if attribute is None:
        return coloring_of("", [""] * len(frame), "none")
    return color_by(frame[attribute], attribute, readable(attribute))
