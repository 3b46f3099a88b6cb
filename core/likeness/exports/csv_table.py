"""Export to CSV: a row per image, a column per attribute, optionally nearest neighbors."""

from pathlib import Path

import pandas as pd

from likeness.exports.material import Material
from likeness.exports.plain_columns import NEIGHBORS, SIMILARITIES, check_own_columns
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import csv_bytes, open_atomic
from likeness.progress import Progress

_PART = 10_000


def write_csv(material: Material, path: Path, options: ExportOptions, progress: Progress) -> Written:
    """A CSV file of all attributes; with `neighbors`, the nearest images of each.

    Neighbors are row numbers of this file, from 0, separated by spaces.
    """
    columns = material.columns
    if options.neighbors:
        check_own_columns(columns, NEIGHBORS, SIMILARITIES)
    with open_atomic(path) as file:
        if options.neighbors:
            for part in material.parts():
                rows, similarities = material.neighbors(part, options.neighbors)
                beside = {
                    NEIGHBORS: [" ".join(map(str, each)) for each in rows.tolist()],
                    SIMILARITIES: [" ".join(f"{value:.6g}" for value in each) for each in similarities.tolist()],
                }
                attributes = columns.iloc[part.begin : part.end].reset_index(drop=True)
                file.write(csv_bytes(pd.concat([attributes, pd.DataFrame(beside)], axis=1), not part.begin))
                progress(part.end, len(material))
        else:
            for begin in range(0, len(material), _PART):
                file.write(csv_bytes(columns.iloc[begin : begin + _PART], not begin))
                progress(min(begin + _PART, len(material)), len(material))
    return Written(len(material))


TARGET = Target("csv", "CSV", "rows", write_csv, ("neighbors",), ending=".csv")
