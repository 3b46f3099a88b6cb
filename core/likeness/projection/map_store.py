"""Maps on disk, so that each is computed once."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import assets_dir, cache_dir, open_atomic, read_array

# part of every key: increase it when the same parameters give another map
VERSION = 1


def map_key(content: Any, method: str, **parameters: Any) -> str:
    """Key of a map: a hash of its content and layout.

    Args:
        content: the vectors (n, d), or a string that determines them on every machine, such as the identities of images, encoder and notion. Shipped
            maps need the string, since vectors computed on another processor differ in their last digits.
        parameters: everything else that changes the map; arrays are hashed by content.
    """
    recipe = {"version": VERSION, "method": method, "content": _fingerprint(content)}
    recipe |= {name: _fingerprint(value) for name, value in parameters.items()}
    return hashlib.blake2b(json.dumps(recipe, sort_keys=True).encode(), digest_size=16).hexdigest()


def _fingerprint(value: Any) -> str:
    if value is None or isinstance(value, str | int | float):
        return repr(value)
    array = np.ascontiguousarray(value)
    return f"{array.dtype}{array.shape}{hashlib.blake2b(array.tobytes(), digest_size=16).hexdigest()}"


def map_path(key: str) -> Path:
    """File of a map in the user's cache."""
    return cache_dir() / "maps" / f"{key}.npy"


def load_map(key: str) -> NDArray[np.float32] | None:
    """Positions (n, 2) of a stored map, from the cache or shipped; None if there is none or the file is damaged."""
    found = (_read(path) for path in (map_path(key), assets_dir() / "maps" / f"{key}.npy") if path.is_file())
    return next((positions for positions in found if positions is not None), None)


def _read(path: Path) -> NDArray[np.float32] | None:
    try:
        positions = read_array(path)
    except InputError:
        # a damaged file counts as missing: the map is computed again and replaces it
        return None
    whole = isinstance(positions, np.ndarray) and positions.ndim == 2 and positions.shape[1] == 2 and positions.dtype == np.float32
    return positions if whole else None


def save_map(key: str, positions: Any) -> Path:
    """Stores positions (n, 2) in the cache, whole or not at all, and returns the file."""
    write_map(map_path(key), positions)
    return map_path(key)


def write_map(path: Path, positions: Any) -> None:
    """Writes positions (n, 2) as a float32 .npy file, whole or not at all."""
    with open_atomic(path) as file:
        np.save(file, np.asarray(positions, np.float32), allow_pickle=False)
