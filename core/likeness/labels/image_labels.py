"""Continuous labels of a table's images: nearest images by label, and widely spread ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable, has_label, numbers_of
from likeness.errors import InputError
from likeness.labels.matrix import DealtLabels, PartLabels
from likeness.labels.poses import joints_of
from likeness.labels.protocol import LabelDistances, Rows
from likeness.labels.sources import LabelsConfig, known_labels, label_distances
from likeness.progress import Progress

_POOL = 400  # images that widely spread ones are chosen from


@dataclass(frozen=True)
class ImageLabels:
    """The labels of m images of a table: `rows` (m,), ascending, are those that have one, and `distances` are between these.

    Attributes:
        note: a sentence about skipped images; empty if there are none.
    """

    config: LabelsConfig
    rows: Rows
    distances: LabelDistances
    note: str = ""

    def place(self, row: int) -> int | None:
        """Position of image `row` among those with a label."""
        found = int(np.searchsorted(self.rows, row))
        return found if found < len(self.rows) and self.rows[found] == row else None

    def distances_to(self, row: int, others: Rows) -> NDArray[np.float32]:
        """Label distances (r,) of image `row` to the images `others` (r,), all as rows of the table. InputError: an image without a label."""
        place = self.place(row)
        if place is None:
            raise InputError(f"Image {row} has no such label; choose another image.")
        found: NDArray[np.float32] = self.distances.between(np.array([place]), np.searchsorted(self.rows, others))[0]
        return found

    def nearest(self, row: int, among: Rows, k: int) -> tuple[Rows, NDArray[np.float32]]:
        """The k images of `among` with labels nearest to that of image `row`, excluding itself, and their label distances, nearest first."""
        others = among[among != row]
        distances = self.distances_to(row, others)
        nearest = np.argsort(distances, kind="stable")[:k]
        return others[nearest], distances[nearest]

    def spread(self, among: Rows, count: int) -> list[int]:
        """A spread selection of `among`: first the most central image, then repeatedly the one farthest from those before."""
        some = among[np.unique(np.linspace(0, len(among) - 1, min(len(among), _POOL)).round().astype(np.int64))]
        places = np.searchsorted(self.rows, some)
        distances = self.distances.between(places, places)
        chosen = [int(distances.mean(axis=1).argmin())]
        while len(chosen) < min(count, len(some)):
            chosen.append(int(distances[chosen].min(axis=0).argmax()))
        return [int(row) for row in some[chosen]]


def read_image_labels(table: ImageTable, config: LabelsConfig, progress: Progress | None = None) -> ImageLabels:
    """The labels of a table's images; only those of the test images if distances are known within parts only.

    InputError: no image has the label, or as `label_distances`.
    """
    rows = labeled_rows(table, config)
    some = len(rows) < len(table)
    part = ImageTable(table.name, table.root, table.frame.iloc[rows]) if some else table
    note = f"{len(table) - len(rows):,} images without this label are left out." if some else ""
    labels = ImageLabels(config, rows, label_distances(part, config, progress), note)
    distances = labels.distances
    if not isinstance(distances, PartLabels) or len(distances.matrices) == 1:
        return labels
    names = list(distances.matrices)
    kept = "test" if "test" in names else names[-1]
    at = np.flatnonzero(distances.part == names.index(kept))
    note = f"Distances are only known within parts of these images: these are the {len(at):,} of {kept}."
    return replace(labels, rows=rows[at], distances=DealtLabels(distances, at), note=note)


def labeled_rows(table: ImageTable, config: LabelsConfig) -> Rows:
    """Images that have all values that the label needs. InputError: none has."""
    columns = {
        "pose": [f"{name}_{axis}" for name in config.columns or joints_of(table.frame) for axis in "xy"],
        "layout": [(*config.columns, "layout")[0]],
        "captions": ["captions"],
        "names": list(config.columns) or ["class"],
    }.get(config.kind, list(config.columns))
    given = table.frame[columns].replace([np.inf, -np.inf], np.nan)
    rows = np.flatnonzero(np.logical_and.reduce([has_label(given[name]) for name in columns]) if columns else np.ones(len(table), dtype=bool))
    if not len(rows):
        raise InputError(f"No image has a label: the column '{columns[0]}' is empty everywhere. Choose another label.")
    return rows


def numeric_columns(table: ImageTable) -> list[str]:
    """Numeric columns that can be labels, without joint coordinates, which belong to poses."""
    joints = {f"{name}_{axis}" for name in joints_of(table.frame) for axis in "xy"}
    columns = [name for name in table.attributes if name not in joints]
    return [name for name in columns if numbers_of(table.frame[name]) is not None and table.frame[name].nunique() > 2]


def labels_named(table: ImageTable, kind: str, columns: Sequence[str]) -> LabelsConfig:
    """The labels of this kind and these columns: one that the table offers, or its columns as numbers or angles.

    InputError: the table does not have them.
    """
    wanted = tuple(columns)
    known = next((config for config in known_labels(table).values() if (config.kind, config.columns) == (kind, wanted)), None)
    if known is not None:
        return known
    if kind not in ("numbers", "angles") or not wanted or not set(wanted) <= set(numeric_columns(table)):
        raise InputError(f"These images have no label of kind '{kind}' with the columns {wanted}; choose one that is offered.")
    return LabelsConfig(kind="angles" if kind == "angles" else "numbers", columns=wanted)
