"""What an index engine is, which there are, and from a name to an index."""

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
        """The search in the space whose unit rows are `vectors` (n, m): U'x / |U'x| of the encoder's vectors x, or these themselves; InputError where
        they do not fit the index.
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
            frame: attributes of the images (n rows), for engines that filter by them.
            cells: how many parts the vectors are divided into; None: as many as the engine thinks fit.
            seed: of what is random.
            progress: called with (steps done, steps).

        Raises:
            InputError: vectors that are no finite rows of numbers, no room, or a stop.
        """

    def holds(self, place: Path | str) -> bool:
        """Whether an index of this engine lies there, whole or damaged."""

    def open(self, place: Path | str, vectors: Any) -> Index:
        """The index of these vectors (n, d) that lies there; InputError where it is damaged or of others."""


ENGINES: tuple[IndexEngine, ...] = (ivf_index.ENGINE, lance_index.ENGINE)


def find_engine(engine: str | IndexEngine) -> IndexEngine:
    """The engine of a name; an object stands for itself.

    Raises:
        InputError: there is none of that name, with the known names.

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
    """Indexes vectors (n, d), unit rows, in a folder ("lance" also takes a URL) with an engine, a name or an object (`IndexEngine`), and options of
    its `build`; InputError on an unknown engine, or whatever the engine refuses.
    """
    return find_engine(engine).build(vectors, place, **options)


def open_index(place: Path | str, vectors: Any, engine: str | IndexEngine | None = None) -> Index:
    """The index of these vectors (n, d) that lies there; without an engine, of the first listed one that has an index there.

    InputError: no index there, one that is cut off or damaged, or one of other vectors.
    """
    if engine is None:
        engine = next((each for each in ENGINES if each.holds(place)), ENGINES[0])
    return find_engine(engine).open(place, vectors)
