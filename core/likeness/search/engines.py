"""The index engines, and from a name to an index."""

from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.search import ivf_index, lance_index
from likeness.search.engine import Index, IndexEngine

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
    """Indexes vectors (n, d) with an engine.

    Args:
        vectors: unit rows, as an encoder's Space has them.
        place: a folder; "lance" also takes a URL.
        engine: a name, or an object (`IndexEngine`).
        options: of `IndexEngine.build` (frame, cells, seed, progress, should_stop).

    Raises:
        InputError: an unknown engine, or whatever the engine refuses.
    """
    return find_engine(engine).build(vectors, place, **options)


def open_index(place: Path | str, vectors: Any, engine: str | IndexEngine | None = None) -> Index:
    """The index of these vectors (n, d) that lies there.

    Args:
        place: where it was built.
        vectors: of which it must be.
        engine: a name, or an object; None: the first listed one that has an index there.

    Raises:
        InputError: no index there, one that is cut off or damaged, or one of other vectors.
    """
    if engine is None:
        engine = next((each for each in ENGINES if each.holds(place)), ENGINES[0])
    return find_engine(engine).open(place, vectors)
