"""The sidebar's choices: the dataset, the spaces of the left and right map, the coloring and the filters."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import DatasetEntry
from likeness.notions import Notion
from likeness.space import Space
from parts import cached
from server import hand_labels
from server.addresses import address
from state import Rows, state


@dataclass(frozen=True)
class View:
    """The choices of one run.

    Attributes:
        entry: the dataset's catalog entry; while its images are being embedded, with the id of the partial state.
        base: its images in their encoder's space.
        notions: the notions in the menus, by name.
        a, b: the spaces of the left and the right map; b is None without a right map.
        color: attribute that colors the map, or None.
        hidden: (n,) bool, True for images that the filters hide; None without filters.
        aspects: the table with the notion's aspects that color the map; None if an attribute colors it.
        judges: key of a notion's space -> the attribute that evaluates the notion.
    """

    entry: DatasetEntry
    base: Space
    notions: Mapping[str, Notion]
    a: Space
    b: Space | None
    color: str | None
    hidden: NDArray[np.bool_] | None
    aspects: pd.DataFrame | None = None
    judges: dict[str, str] = field(default_factory=dict)

    @property
    def dataset(self) -> str:
        """The listed id of the dataset, even while `entry` is a partial state of it."""
        return cached.listed_id(self.entry.id)

    @property
    def frame(self) -> pd.DataFrame:
        """Paths and attributes of the images, row by row."""
        return self.base.table.frame if self.aspects is None else self.aspects

    @property
    def selected(self) -> Rows:
        """The selected images, without rows that a growing dataset does not have yet."""
        chosen = state.rows
        return chosen[chosen < len(self.frame)]

    @property
    def chosen(self) -> Rows:
        """The selected images that match the filters."""
        return self.visible(self.selected)

    @property
    def rows(self) -> Rows:
        """Rows of the images that match the filters."""
        return self.visible(np.arange(len(self.frame)))

    def visible(self, rows: Rows) -> Rows:
        """The rows that match the filters."""
        return rows if self.hidden is None else rows[~self.hidden[rows]]

    @property
    def query(self) -> int | None:
        """The query image; None if a growing dataset does not have it yet."""
        row = state.query
        return row if row is not None and row < len(self.frame) else None

    @property
    def spaces(self) -> list[Space]:
        """The spaces of the left and, if any, the right map."""
        return [self.a] if self.b is None else [self.a, self.b]

    def label_called(self, name: str) -> str | None:
        """The attribute that a notion's name ends with: "background color" for "car background color"; the longest, or None."""
        words = {attribute: f" {attribute.replace('_', ' ').strip().lower()}" for attribute in self.base.table.attributes}
        return max((each for each in words if f" {name.lower()}".endswith(words[each])), key=lambda each: len(words[each]), default=None)

    @property
    def thumbnails(self) -> str:
        return address(f"/thumbnails/{self.entry.id}/{{row}}")

    @property
    def info(self) -> str:
        """URL of the attributes of image {row}; it changes with each label, since browsers cache it."""
        return address(f"/info/{self.entry.id}/{{row}}?labels={hand_labels.version(self.entry)}")


def current_view() -> View:
    view: View = state.view
    return view
