"""What an index engine is: it builds an index of an encoder's vectors, opens it again, and searches every notion's space through it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from likeness.progress import Progress
from likeness.search.neighbors import Neighbors

if TYPE_CHECKING:
    import pandas as pd


class IndexSearch(Protocol):
    """The search in one space through an index."""

    @property
    def exact(self) -> bool:
        """Whether every image is compared."""

    @property
    def message(self) -> str:
        """One sentence for people: exact, or how much is found."""

    def wait(self) -> "IndexSearch":
        """Waits until it is known how much is found, and returns itself."""

    def nearest(self, queries: Any, k: int, *, exclude: Any = None, allowed: Any = None) -> Neighbors:
        """The k most similar images (q, k) of queries (q, m) in the space; `exclude`: a row for each query that is left out; `allowed`: mask (n,)."""


@runtime_checkable
class LocalSearch(IndexSearch, Protocol):
    """A search that can also compare all images of a neighborhood with several vectors at once, which composed queries are answered by."""

    def around(self, near: Any, places: Any, least: int = 1, *, allowed: Any = None) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows (r,) of the images around unit vectors `near` (v, m), at least so many, and their similarities (t, r) to unit vectors `places` (t, m);
        `allowed`: mask (n,)."""


class Index(Protocol):
    """An index of n vectors of an encoder."""

    @property
    def summary(self) -> str:
        """How large it is, in a few words."""

    def search(self, vectors: Any, U: Any = None) -> IndexSearch:
        """The search in the space whose unit rows are `vectors` (n, m): U'x / |U'x| of the encoder's vectors x, or these themselves.

        Raises:
            InputError: vectors or U that do not fit the index.
        """


class IndexEngine(Protocol):
    """A way to index vectors. Its file declares it as `ENGINE`; one line lists it, in `likeness.search.engines`. Any object of this shape is taken
    where a name is.
    """

    @property
    def name(self) -> str:
        """What people write."""

    @property
    def help(self) -> str:
        """One sentence."""

    def build(
        self,
        vectors: Any,
        place: Path | str,
        *,
        frame: "pd.DataFrame | None" = None,
        cells: int | None = None,
        seed: int = 0,
        progress: Progress | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Index:
        """Indexes vectors (n, d) in a folder, or where else the engine writes; what is there is replaced.

        Args:
            vectors: unit rows, as an encoder's Space has them; may be memory-mapped.
            place: where the index goes.
            frame: attributes of the images (n rows), for engines that filter by them.
            cells: how many parts the vectors are divided into; None: as many as the engine thinks fit.
            seed: of what is random.
            progress: called with (steps done, steps).
            should_stop: asked from time to time.

        Raises:
            InputError: vectors that are no finite rows of numbers, no room, or a stop.
        """

    def holds(self, place: Path | str) -> bool:
        """Whether an index of this engine lies there, whole or damaged."""

    def open(self, place: Path | str, vectors: Any) -> Index:
        """The index of these vectors (n, d) that lies there; InputError where it is damaged or of others."""
