"""The report of where a model fails."""

from typing import Any

import numpy as np
import pandas as pd

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.reports.columns import readable
from likeness.reports.figures import FigureTable
from likeness.reports.options import ReportOptions
from likeness.reports.report import Report, shown_rows, space_views
from likeness.slices import Slices
from likeness.space import Space

_PICTURES, _COLUMN = 12, "Failing slice"
_NOTE = "Intervals and p-values are corrected for all sets that were tested."


def slices_report(
    space: Space, found: Slices, predicted: str, actual: str | None = None, second: str | None = None, options: ReportOptions | None = None
) -> Report:
    """The report of what `likeness.slices.find_slices` found by these columns: slices with intervals, p-values and pictures, and a map of the images.

    InputError: vectors without images, fewer than three images, or a stop.
    """
    chosen, base = options or ReportOptions(), space.base or space
    table, frame = base.table, base.table.frame
    lines: list[Any] = list(found.table.itertuples())
    if not table.has_images:
        raise InputError(f"The rows of '{table.name}' have no images, and a report shows pictures; pass images with the vectors.")
    worst = [own[:_PICTURES] for own in found.rows]
    rows, slices = np.unique(np.concatenate([shown_rows(len(base), chosen), *worst])), pd.Series(None, frame.index, "object")
    for line in reversed(lines):  # an image of several stands in the first
        slices.iloc[found.rows[line.Index]] = line.name
    pictures = [
        (readable(line.name), sentence, np.searchsorted(rows, own).tolist(), error_captions(frame.iloc[own], predicted, actual))
        for line, sentence, own in zip(lines, found.sentences, worst, strict=True)
    ]
    texts = [
        [readable(each.name), f"{each.images:,}", *map("{:.3g}".format, each[3:6]), f"{each.low:.3g} to {each.high:.3g}", f"{each.p:.2g}"]
        for each in lines
    ]
    tables = [FigureTable("Slices", ["", "images", "error", "elsewhere", "difference", "interval", "p"], texts, _NOTE)] if texts else []
    names = {name: title for name, title in ((predicted, "Predictions or errors"), (actual, "True labels"), (second, "Second model")) if name}
    facts = [("Images", f"{len(base):,} of {table.name}"), ("Encoder", base.encoder_name or base.name), *((names[name], name) for name in names)]
    first = [*([_COLUMN] if texts else []), *names]
    shown, views = ImageTable(table.name, table.root, frame.assign(**{_COLUMN: slices}).iloc[rows]), space_views([base], rows, chosen)
    return Report("Errors of a model", readable(predicted), found.answer, facts, tables, views, shown, len(base), first, chosen, pictures=pictures)


def error_captions(frame: pd.DataFrame, predicted: str, actual: str | None = None) -> list[str]:
    """What a model said of each image, and with true labels what is right: "cat → dog"."""
    said = frame[predicted].map(lambda each: f"{each:.3g}" if isinstance(each, float) else str(each))
    return (said if actual is None else said + " → " + frame[actual].astype(str)).tolist()
