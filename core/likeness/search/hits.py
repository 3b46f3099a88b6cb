"""`Hits`: results of a search."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import ImageTable, with_columns_before
from likeness.errors import InputError
from likeness.io import to_arrow
from likeness.presence import Presence

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
    ask_reasons: Callable[[Any], list[str]] | None = field(default=None, compare=False)
    ask_presence: Callable[[], Presence] | None = field(default=None, compare=False)

    def why(self) -> list[str]:
        """What each image shares with the query, in a sentence (`likeness.reasons`); InputError for several queries or terms, or of a database."""
        if self.ask_reasons is None:
            raise InputError("These results have no reasons; search a space with one image or text, or compare two images by `space.why(a, b)`.")
        return self.ask_reasons(self.rows)

    @cached_property
    def presence(self) -> Presence | None:
        """Whether any image shows the query at all (`likeness.presence.presence`), computed when asked for; None without a text, or once pickled."""
        return None if self.ask_presence is None else self.ask_presence()

    @property
    def paths(self) -> list[Any]:
        """Paths of the images: a list, or for several queries a list of lists; raises InputError if the space has no images."""
        paths = self.table.paths()
        return [[paths[row] for row in rows] for rows in self.rows] if self.rows.ndim == 2 else [paths[row] for row in self.rows]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The hits as a data frame: row, similarity, the path as in the table, and attributes; for several queries first their number, query."""
        query, found = np.nonzero(np.atleast_2d(self.rows) >= 0), self.rows >= 0  # an index may find fewer
        columns: dict[str, Any] = {"row": self.rows[found], "similarity": self.similarities[found]}
        frame = self.table.frame[[*(["path"] if self.table.has_images else []), *self.table.attributes]].iloc[columns["row"]]
        return with_columns_before(frame.reset_index(drop=True), columns if self.rows.ndim == 1 else {"query": query[0], **columns})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return to_arrow(self.frame).__arrow_c_stream__(requested_schema)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"ask_reasons": None, "ask_presence": None}  # they hold all vectors of the space

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
