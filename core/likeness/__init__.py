"""Likeness: what does *similar* mean in your images?

    import likeness as lk

    images = lk.read("photos/")             # folder, CSV, Parquet, "cub200:data/cub", URL, or what ships
    space = lk.embed(images, "cars")        # a Space
    space.nearest("a red car", k=10)        # Hits: .rows .similarities .paths
    notion = space.refit(lk.Notion("car color", "a {} car", ["red", "green", "blue"]))
    lk.maps(space, notion)                  # in a notebook: linked maps with lasso

Every name of `__init__.pyi` is imported when it is first used; importing the package loads neither torch nor NumPy.
"""

import os

import lazy_loader

# NumPy's threads (OpenBLAS) look out for more work for a tenth of a second after each product, and so take the cores from those of torch,
# faiss and numba, which are next. Two to the power of this many cycles is a tenth of a millisecond. It is read when NumPy is loaded.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "18")

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
