"""Likeness: what does *similar* mean in your images?

    import likeness as lk

    images = lk.read("photos/")             # folder, CSV, Parquet, "cub200:data/cub", URL, or what ships
    space = lk.embed(images, "cars")        # a Space
    space.nearest("a red car", k=10)        # Hits: .rows .similarities .paths
    notion = space.refit(lk.Notion("car color", "a {} car", ["red", "green", "blue"]))
    lk.maps(space, notion)                  # in a notebook: linked maps with lasso

Every name is imported when it is first used; importing the package loads neither torch nor NumPy.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# NumPy's threads (OpenBLAS) look out for more work for a tenth of a second after each product, and so take the cores from those of torch,
# faiss and numba, which are next. Two to the power of this many cycles is a tenth of a millisecond. It is read when NumPy is loaded.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "18")

__version__ = "0.1.0"

if TYPE_CHECKING:
    from likeness.data import ImageTable as ImageTable
    from likeness.data import read_dataset as read  # noqa: F401
    from likeness.door import load as load
    from likeness.door import maps as maps
    from likeness.door import report as report
    from likeness.door import train as train
    from likeness.embedding import embed as embed
    from likeness.errors import InputError as InputError
    from likeness.evaluation import metrics as metrics
    from likeness.exports import export as export
    from likeness.notions import Notion as Notion
    from likeness.search import Hits as Hits
    from likeness.search import Query as Query
    from likeness.space import Space as Space
    from likeness.studies import compare as compare

# name here -> module and name there
_DOOR = {
    "Hits": ("likeness.search", "Hits"),
    "ImageTable": ("likeness.data", "ImageTable"),
    "InputError": ("likeness.errors", "InputError"),
    "Notion": ("likeness.notions", "Notion"),
    "Query": ("likeness.search", "Query"),
    "Space": ("likeness.space", "Space"),
    "compare": ("likeness.studies", "compare"),
    "embed": ("likeness.embedding", "embed"),
    "export": ("likeness.exports", "export"),
    "load": ("likeness.door", "load"),
    "maps": ("likeness.door", "maps"),
    "metrics": ("likeness.evaluation", "metrics"),
    "read": ("likeness.data", "read_dataset"),
    "report": ("likeness.door", "report"),
    "train": ("likeness.door", "train"),
}

__all__ = sorted(_DOOR)


def __getattr__(name: str) -> Any:
    if name not in _DOOR:
        raise AttributeError(f"module 'likeness' has no attribute '{name}'")
    module, there = _DOOR[name]
    return getattr(import_module(module), there)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
