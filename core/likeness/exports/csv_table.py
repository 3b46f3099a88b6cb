"""Export to CSV: a row per image, a column per attribute, optionally nearest neighbors."""

from pathlib import Path

from likeness.exports.material import Material
from likeness.exports.plain_columns import NEIGHBORS, SIMILARITIES, check_own_columns
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import csv_bytes, open_atomic
from likeness.progress import Progress


def write_csv(material: Material, path: Path, options: ExportOptions, progress: Progress) -> Written:
    """A CSV file of all attributes; with `neighbors`, the nearest images of each.

    Neighbors are row numbers of this file, from 0, separated by spaces.
    """
    columns = material.columns
    if options.neighbors:
        check_own_columns(columns, NEIGHBORS, SIMILARITIES)
    with open_atomic(path) as file:
        for part in material.parts():
            chunk = columns.iloc[part.start : part.stop].reset_index(drop=True)
            if options.neighbors:
                rows, similarities = material.neighbors(part, options.neighbors)
                chunk[NEIGHBORS] = [" ".join(map(str, each)) for each in rows.tolist()]
                chunk[SIMILARITIES] = [" ".join(f"{value:.6g}" for value in each) for each in similarities.tolist()]
            file.write(csv_bytes(chunk, not part.start))
            progress(part.stop, len(material))
    return Written(len(material))


TARGET = Target("csv", "CSV", "rows", write_csv, ("neighbors",), ending=".csv")
