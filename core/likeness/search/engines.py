"""Protocols and registry of index engines."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.progress import Progress
from likeness.search import ivf_index, lance_index
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
        """Waits until recall is measured, and returns itself."""

    def nearest(self, queries: Any, k: int, *, exclude: Any = None, allowed: Any = None) -> Neighbors:
        """The k most similar images (q, k) of queries (q, m) in the space; `exclude`: a row to skip for each query; `allowed`: mask (n,)."""


@runtime_checkable
class LocalSearch(IndexSearch, Protocol):
    """A search that can also compare all images of a neighborhood with several vectors, for composed queries."""

    def around(self, near: Any, places: Any, least: int = 1, *, allowed: Any = None) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows (r,) of at least `least` images around unit vectors `near` (v, m), and their similarities (t, r) to unit vectors `places` (t, m);
        `allowed`: mask (n,).
        """


class Index(Protocol):
    """An index of n vectors of an encoder."""

    @property
    def summary(self) -> str:
        """How large it is, in a few words."""

    def search(self, vectors: Any, U: Any = None) -> IndexSearch:
        """The search in the space with unit rows `vectors` (n, m): U'x / |U'x| of the encoder's vectors x, or these themselves; raises InputError if
        they do not match the index.
        """


class IndexEngine(Protocol):
    """An index engine. Its file declares it as `ENGINE`; `likeness.search.engines` lists it. Objects with this interface are accepted wherever a name
    is.
    """

    @property
    def name(self) -> str:
        """The name of the engine."""

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
        """Indexes vectors (n, d) in a folder or the engine's destination; an existing index is replaced.

        Args:
            vectors: unit rows, as an encoder's Space has them; may be memory-mapped.
            frame: attributes of the images (n rows), for engines that filter by them.
            cells: number of cells; None: the engine's default.
            seed: of what is random.
            progress: called with (steps done, steps).

        Raises:
            InputError: invalid or non-finite vectors, no disk space, or a stop.
        """

    def holds(self, place: Path | str) -> bool:
        """True if there is an index of this engine, intact or damaged."""

    def open(self, place: Path | str, vectors: Any) -> Index:
        """Opens the index of these vectors (n, d); raises InputError if it is damaged or belongs to other vectors."""


ENGINES: tuple[IndexEngine, ...] = (ivf_index.ENGINE, lance_index.ENGINE)


def find_engine(engine: str | IndexEngine) -> IndexEngine:
    """The engine of a name; objects are returned unchanged.

    Raises:
        InputError: an unknown name.

    Example:
        >>> find_engine("ivf").name
        'ivf'
    """
    if not isinstance(engine, str):
        return engine
    known = {each.name: each for each in ENGINES}
    if engine not in known:
        raise InputError(f"There is no index engine '{engine}'; choose from {', '.join(known)}, or pass an object with build and open.")
    return known[engine]


def build_index(vectors: Any, place: Path | str, *, engine: str | IndexEngine = "ivf", **options: Any) -> Index:
    """Indexes vectors (n, d), unit rows, in a folder ("lance" also takes a URL) with an engine, by name or object (`IndexEngine`), and options of its
    `build`; raises InputError for an unknown engine, and errors of the engine.
    """
    return find_engine(engine).build(vectors, place, **options)


def open_index(place: Path | str, vectors: Any, engine: str | IndexEngine | None = None) -> Index:
    """Opens the index of these vectors (n, d); by default with the first listed engine that has an index there.

    Raises InputError for a missing, truncated or damaged index, or one of other vectors.
    """
    if engine is None:
        engine = next((each for each in ENGINES if each.holds(place)), ENGINES[0])
    return find_engine(engine).open(place, vectors)
