"""Pseudolabels of classes as CSV files: computed once by any classifier, anywhere, and read by runs that have none at hand."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from likeness.errors import InputError
from likeness.io import as_path, assets_dir, csv_rows, regular_file, write_atomic

SHIPPED_PSEUDOLABELS = "synthetic-cars"


def read_pseudolabels(file: str) -> dict[str, list[str]]:
    """The names of each class, best first.

    Args:
        file: a CSV file with a line per class, the class and then its names; or "synthetic-cars": those of Synthetic Cars by color and body type.

    Raises:
        InputError: a file that is missing, no text, or has a class twice or without names.
    """
    path = assets_dir() / "pseudolabels" / "synthetic-cars.csv" if file == SHIPPED_PSEUDOLABELS else as_path(file)
    try:
        text = regular_file(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The pseudolabels '{file}' cannot be read ({error}); give a CSV file in UTF-8 with a line per class.") from error
    found: dict[str, list[str]] = {}
    for name, *labels in csv_rows(text):
        if name in found or (name and not any(labels)):
            raise InputError(
                f"The pseudolabels '{path.name}' have the class '{name}' {'twice' if name in found else 'without a name'}; mend its line."
            )
        if name:
            found[name] = [label for label in labels if label]
    if not found:
        raise InputError(f"The pseudolabels '{path.name}' are empty; give a line per class: the class, then its names, best first.")
    return found


def write_pseudolabels(file: Path, labels: Mapping[str, Sequence[str]]) -> None:
    """Writes what `read_pseudolabels` reads."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([name, *names] for name, names in labels.items())
    write_atomic(file, buffer.getvalue().encode())


def pseudolabels_of(classes: Sequence[str], labels: Mapping[str, Sequence[str]], k: int) -> list[list[str]]:
    """The k best names of each class, in the order of the classes.

    Raises:
        InputError: a class without pseudolabels, or with fewer than k.
    """
    for name in classes:
        if len(labels.get(name, ())) < k:
            problem = f"has {len(labels[name])}" if name in labels else "has none"
            raise InputError(f"k is {k}, but the class '{name}' {problem} in the file of pseudolabels; add them, or lower guidance.k.")
    return [list(labels[name][:k]) for name in classes]
