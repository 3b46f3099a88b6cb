"""Import Numba safely. Call `load_numba` before importing Numba or packages that import it."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from likeness.io import cache_dir, can_write, make_folder

_FOLDER = "NUMBA_CACHE_DIR"


@lru_cache
def load_numba() -> Any:
    """Imports Numba with a writable cache folder, and without the configuration file of the current folder.

    Numba caches machine code beside modules or in the user's home; if neither is writable, importing them fails without a cache folder. Raises
    InputError if that is not writable either. `.numba_config.yaml` in the current folder could redirect the cache, and its content would be executed.
    """
    import numba
    from numba.core import config

    config._config_fname = os.devnull  # is no regular file, and so left alone
    packages = (Path(__file__).parent, Path(numba.__file__).parents[1])
    if not os.environ.get(_FOLDER) and not all(map(can_write, packages)):
        os.environ[_FOLDER] = str(cache_dir() / "numba")
        make_folder(cache_dir() / "numba")
    config.reload_config()
    return numba
