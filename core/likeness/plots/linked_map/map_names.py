"""Names on a map: of its clusters at several depths, or of the groups of its colors."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.plots.linked_map.parts import Publish, part


@dataclass(frozen=True, eq=False)
class MapNames:
    """Names and their positions on a map.

    Args:
        table: a row for each name, with columns depth (from 0, coarse to fine), cluster (its number at that depth), parent (the number one depth
            above, -1 for none), name ("" for none), count, x and y, as from `likeness.clusters.cluster_table` and `group_table`.
        labels: (n, depths) the cluster of each row at each depth; None: names of the coloring's classes, by their codes.
    """

    table: pd.DataFrame
    labels: np.ndarray | None = None

    @cached_property
    def columns(self) -> list[np.ndarray]:
        """The labels of each depth (n,), as sent to the browser."""
        if self.labels is None:
            return []
        small = np.uint8 if self.labels.size and self.labels.max() < 256 else np.uint16
        return [np.ascontiguousarray(self.labels[:, depth], small) for depth in range(self.labels.shape[1])]

    @cached_property
    def entries(self) -> list[dict[str, Any]]:
        """The entries for the browser, one for each cluster with a position."""
        placed = self.table[self.table["x"].notna()]
        kept = placed[["depth", "cluster", "parent", "name", "count", "x", "y"]]
        return [{str(name): value for name, value in row.items()} for row in kept.to_dict("records")]


def encode_names(names: MapNames | None, n: int, publish: Publish | None = None) -> dict[str, object] | None:
    """Names for the browser, None if there are none. InputError: labels of other rows, or a depth without labels."""
    if names is None:
        return None
    if names.labels is not None and (names.labels.ndim != 2 or len(names.labels) != n):
        raise InputError(f"The labels of the names have shape {names.labels.shape}; pass ({n}, depths).")
    if names.labels is not None and len(names.table) and names.table["depth"].max() >= names.labels.shape[1]:
        raise InputError(f"The names go down to depth {names.table['depth'].max()}, but there are labels of {names.labels.shape[1]}; pass all.")
    labels = [part(column, publish) for column in names.columns]
    text = json.dumps([names.entries, [each["id"] for each in labels]])
    return {
        "id": hashlib.blake2b(text.encode(), digest_size=12).hexdigest(),
        "kind": "groups" if names.labels is None else "clusters",
        "entries": names.entries,
        "labels": labels,
    }
