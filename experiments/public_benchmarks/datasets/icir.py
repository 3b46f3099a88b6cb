"""i-CIR (Psomas et al., Instance-Level Composed Image Retrieval, NeurIPS 2025, arXiv 2510.25387) in its official layout."""

import csv
from pathlib import Path

import pandas as pd

from likeness.data import Dataset, ImageTable, OfficialLayout, check_split

LAYOUT = OfficialLayout("i-CIR", "https://vrg.fel.cvut.cz/icir/", ("query_files.csv", "database_files.csv"))
_LISTS = {"query": "query_files.csv", "database": "database_files.csv"}


def read_icir(folder: str | Path, split: str = "test") -> ImageTable:
    """Images of 202 particular objects: queries, and for each object a database of its own.

    Columns: `instance`, the object; `text`, of a query what is changed, of an image of the database what it answers, whatever there is; `part`,
    "query" or "database". A photo that asks with several texts stands once for each.

    Files: `query_files.csv` and `database_files.csv`, lines of an image's path, a text and the instance, without a head; `query/` and `database/`.
    Paths are taken from these two folders on, since the official loader (repository billpsomas/icir) starts at the folder above ("icir/query/...").

    Args:
        folder: the dataset's folder, or the one it lies in.
        split: "query", "database", or "test" and "all": both.

    Raises:
        InputError: a missing or damaged file, an unknown or empty split, or no image at all.
    """
    check_split(split, ("test", "query", "database", "all"))
    root = LAYOUT.root(folder)
    rows: list[tuple[str, ...]] = []
    for part in (split,) if split in _LISTS else _LISTS:
        index = LAYOUT.find(root, _LISTS[part])
        rows += [_row(index, line, text, part) for line, text in LAYOUT.lines(index)]
    return LAYOUT.table(root, pd.DataFrame(rows, columns=["path", "instance", "text", "part"], dtype=object), split, index)


def _row(file: Path, line: int, text: str, part: str) -> tuple[str, ...]:
    fields = [field.strip() for field in next(csv.reader([text]), [])]
    if len(fields) != 3 or not fields[0] or not fields[2]:
        raise LAYOUT.malformed(file, f"line {line}", text, "an image's path, a text and an instance, separated by commas")
    steps = LAYOUT.inside(file, f"line {line}", fields[0]).split("/")
    path = "/".join(steps[steps.index(part) :] if part in steps[:-1] else steps)
    return path, fields[2], fields[1], part


_HELP = "Object instances, each with queries of a photo and a text and its own database."
DATASET = Dataset("icir", LAYOUT.name, _HELP, read_icir, LAYOUT)
