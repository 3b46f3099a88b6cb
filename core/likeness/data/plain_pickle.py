"""Pickles of others, read by a reader that can build plain containers, numbers and NumPy arrays only, and executes nothing."""

import pickle
from typing import Any

import numpy as np


class PlainUnpickler(pickle.Unpickler):
    """Refuses every name but the few by which NumPy and plain containers are rebuilt."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = _allowed().get((module.replace("numpy._core", "numpy.core"), name))
        if allowed is None:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return allowed

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it refers to objects outside of the file")


def _allowed() -> dict[tuple[str, str], Any]:
    from collections import OrderedDict

    from numpy._core import multiarray, numeric

    return {
        ("numpy.core.multiarray", "_reconstruct"): multiarray._reconstruct,
        ("numpy.core.multiarray", "scalar"): multiarray.scalar,
        ("numpy.core.numeric", "_frombuffer"): numeric._frombuffer,  # type: ignore[attr-defined]
        ("_codecs", "encode"): _as_bytes,
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        ("collections", "OrderedDict"): OrderedDict,
    }


def _as_bytes(text: str, encoding: str) -> bytes:
    """As old pickles write bytes."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it asks for the encoding {encoding}")
    return text.encode("latin1")
