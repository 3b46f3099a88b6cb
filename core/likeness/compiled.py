"""Numba, which compiles loops: every import of it, and of what imports it, comes after `load_numba`."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from likeness.io import cache_dir, can_write, make_folder

_FOLDER = "NUMBA_CACHE_DIR"


@lru_cache
def load_numba() -> Any:
    """Numba, with a folder for what it compiles, and without the settings of the current folder.

    It keeps machine code beside the modules, or in the user's home; where neither can be written it cannot even import them without a folder of its
    own, and there is InputError where that can't be either. `.numba_config.yaml` of the current folder could name one: what lies there would be run.
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
