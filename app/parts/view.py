"""What every page looks at: the dataset, the spaces on the left and on the right map, the coloring and the filters, as the sidebar has them."""

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
    """One rerun's choices.

    Attributes:
        entry: the dataset's place in the catalog; while its images are being embedded, under the id of the first of them.
        base: its images in their encoder's space.
        notions: those in the menus, by their names there.
        a, b: the spaces on the left and on the right map; b is None where there is no right one.
        color: attribute that colors the map, or None.
        hidden: (n,) bool, True for images that the filters take out; None without filters.
        aspects: the table with the column of a notion's aspects that colors the map; None where an attribute of the images does.
        judges: key of a notion's space -> the attribute that says which images really are alike by that notion.
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
        """Id under which the dataset is listed, also while its images are being embedded and `entry` stands for the first of them."""
        return cached.listed_id(self.entry.id)

    @property
    def frame(self) -> pd.DataFrame:
        """Paths and attributes of the images, row by row."""
        return self.base.table.frame if self.aspects is None else self.aspects

    @property
    def selected(self) -> Rows:
        """The selected images; of a dataset that still grows, those that are there."""
        chosen = state.rows
        return chosen[chosen < len(self.frame)]

    @property
    def chosen(self) -> Rows:
        """Those of the selected images that the filters leave."""
        return self.visible(self.selected)

    @property
    def rows(self) -> Rows:
        """Numbers of the images that the filters leave."""
        return self.visible(np.arange(len(self.frame)))

    def visible(self, rows: Rows) -> Rows:
        """Those of the rows that the filters leave."""
        return rows if self.hidden is None else rows[~self.hidden[rows]]

    @property
    def query(self) -> int | None:
        """The image whose neighbors are asked for; None where a dataset that still grows does not have it yet."""
        row = state.query
        return row if row is not None and row < len(self.frame) else None

    @property
    def spaces(self) -> list[Space]:
        """That of the left map, and that of the right one where there is one."""
        return [self.a] if self.b is None else [self.a, self.b]

    def label_called(self, name: str) -> str | None:
        """The attribute of the images that a notion's name ends with, "background color" of "car background color"; the longest, or None."""
        words = {attribute: f" {attribute.replace('_', ' ').strip().lower()}" for attribute in self.base.table.attributes}
        return max((each for each in words if f" {name.lower()}".endswith(words[each])), key=lambda each: len(words[each]), default=None)

    @property
    def thumbnails(self) -> str:
        """URL of the picture of image {row}."""
        return address(f"/thumbnails/{self.entry.id}/{{row}}")

    @property
    def info(self) -> str:
        """URL of the attributes of image {row}, another one after each label that people give: browsers keep what they have seen."""
        return address(f"/info/{self.entry.id}/{{row}}?labels={hand_labels.version(self.entry)}")


def current_view() -> View:
    """The view of this rerun."""
    view: View = state.view
    return view
