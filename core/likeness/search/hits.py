"""`Hits`: results of a search."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable

_SHOWN = 12


@dataclass(frozen=True, repr=False)
class Hits:
    """The images nearest to a query, most similar first; one row per query if there are several.

    Attributes:
        rows: their numbers in the table, (k,) for one query, (q, k) for several.
        similarities: cosine similarities of the same shape, descending.

    Example:
        >>> import likeness as lk
        >>> hits = lk.embed(lk.read("cars"), "cars").nearest("a red car", k=3)
        >>> hits.rows.shape, len(hits.paths), bool(hits.similarities[0] >= hits.similarities[1])
        ((3,), 3, True)
    """

    rows: NDArray[np.int64]
    similarities: NDArray[np.float32]
    table: ImageTable

    @property
    def paths(self) -> list[Any]:
        """Paths of the images: a list, or for several queries a list of lists; raises InputError if the space has no images."""
        paths = self.table.paths()
        return [[paths[row] for row in rows] for rows in self.rows] if self.rows.ndim == 2 else [paths[row] for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator["Hits"]:
        """Iterates over the hits of several queries."""
        return (Hits(rows, similarities, self.table) for rows, similarities in zip(self.rows, self.similarities, strict=True))

    def __repr__(self) -> str:
        if self.rows.ndim == 2:
            return f"Hits({len(self.rows):,} queries, {self.rows.shape[1]} images each, of '{self.table.name}')"
        best = ", ".join(f"{row}: {similarity:.3f}" for row, similarity in zip(self.rows[:3], self.similarities[:3], strict=True))
        return f"Hits({len(self.rows)} of '{self.table.name}', {best}{', ...' if len(self.rows) > 3 else ''})"

    def _repr_html_(self) -> str:
        if self.rows.ndim == 2:
            return "".join(each._repr_html_() for each in self)
        from likeness.data import picture_html

        captions = [f"{row}: {similarity:.3f}" for row, similarity in zip(self.rows, self.similarities, strict=True)][:_SHOWN]
        if not self.table.has_images:
            return picture_html(repr(self), [], [])
        shown: list[Path] = self.paths[:_SHOWN]
        return picture_html(repr(self), shown, captions)
