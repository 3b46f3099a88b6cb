"""Safe reader of untrusted pickles: builds only plain containers, numbers and NumPy arrays, and executes nothing.

NumPy's own reconstruction trusts the shapes and dtypes in a pickle, and a damaged one crashes the process. So arrays and dtypes are rebuilt here from
checked values.
"""

import math
import pickle
import re
from collections import OrderedDict
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

_TYPE = re.compile(r"[|<>=]?([biufSUO?])(\d{0,9})")
_ORDERS: tuple[Literal["<", ">", "=", "|"], ...] = ("<", ">", "=", "|")


class PlainUnpickler(pickle.Unpickler):
    """Unpickler that refuses every global except those needed for NumPy arrays and plain containers."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = _ALLOWED.get((module.replace("numpy._core", "numpy.core"), name))
        if allowed is None:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return allowed

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it refers to external objects")

    def load(self) -> Any:
        """The content of the pickle; raises the errors of `pickle`, ValueError or TypeError."""
        return _rebuilt(super().load(), {})


class _Type:
    """A dtype of numbers, text or objects."""

    def __init__(self, code: Any, *_: Any) -> None:
        text = code.decode("ascii") if isinstance(code, bytes) else code
        found = _TYPE.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise pickle.UnpicklingError(f"it has values of the type {str(code)[:40]}")
        self.dtype = np.dtype(object) if found[1] == "O" else np.dtype(text)

    def __setstate__(self, state: Any) -> None:
        """State of a NumPy dtype: version, byte order, then items of structured dtypes only."""
        order, *fields = state[1:5]
        order = order.decode("ascii") if isinstance(order, bytes) else order
        if order not in _ORDERS or any(each is not None for each in fields):
            raise pickle.UnpicklingError("it has structured values")
        self.dtype = self.dtype.newbyteorder(_ORDERS[_ORDERS.index(order)])


class _Array:
    """Placeholder of an array whose content follows."""

    value: NDArray[Any] = np.empty(0)

    def __init__(self, *_: Any) -> None:
        """Its class and first shape, which say nothing."""

    def __setstate__(self, state: Any) -> None:
        """State of a NumPy array: optional version, shape, dtype, Fortran order, content."""
        shape, kind, by_columns, content = state[-4:]
        self.value = _array(content, kind, shape, "F" if by_columns else "C")


class _ArrayClass:
    """Stands for `numpy.ndarray` in pickles."""


def _array(content: Any, kind: Any, shape: Any, order: Any = "C") -> NDArray[Any]:
    if not isinstance(kind, _Type) or order not in ("C", "F"):
        raise pickle.UnpicklingError("it has an array of an unknown kind")
    sides = (shape,) if isinstance(shape, int) else tuple(shape)
    if not all(isinstance(side, int) and 0 <= side < 2**40 for side in sides) or len(sides) > 32:
        raise pickle.UnpicklingError("it has an array of an unknown shape")
    count = math.prod(sides)
    if kind.dtype == object:
        if not isinstance(content, list) or len(content) != count:
            raise pickle.UnpicklingError("it has an array whose content does not fill its shape")
        flat = np.empty(count, dtype=object)
        for place, value in enumerate(content):
            flat[place] = value
    else:
        raw = content.encode("latin1") if isinstance(content, str) else bytes(content)
        if len(raw) != count * kind.dtype.itemsize:
            raise pickle.UnpicklingError("it has an array whose content does not fill its shape")
        flat = np.frombuffer(raw, dtype=kind.dtype) if raw else np.empty(count, dtype=kind.dtype)
    return flat.reshape(sides, order=order)


def _scalar(kind: Any, content: Any = b"") -> Any:
    """A NumPy scalar."""
    found = _array(content, kind, 1)
    if found.dtype == object:
        raise pickle.UnpicklingError("it has a NumPy object scalar")
    return found[0]


def _as_bytes(text: str, encoding: str) -> bytes:
    """Bytes as written by old pickle protocols."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it asks for the encoding {encoding}")
    return text.encode("latin1")


_ALLOWED: dict[tuple[str, str], Any] = {
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy.core.numeric", "_frombuffer"): _array,
    ("_codecs", "encode"): _as_bytes,
    ("numpy", "ndarray"): _ArrayClass,
    ("numpy", "dtype"): _Type,
    ("collections", "OrderedDict"): OrderedDict,
}


def _rebuilt(value: Any, done: dict[int, Any]) -> Any:
    """Replaces placeholders by arrays in all containers; shared objects stay shared."""
    if id(value) in done:
        return done[id(value)]
    if isinstance(value, _Array):
        value = value.value
    if isinstance(value, np.ndarray) and value.dtype == object:
        for place, each in enumerate(value.flat):
            value.flat[place] = _rebuilt(each, done)
        return value
    found: Any = value
    if isinstance(value, dict):
        found = {_rebuilt(key, done): _rebuilt(each, done) for key, each in value.items()}
    elif isinstance(value, list | tuple | set | frozenset):
        found = type(value)(_rebuilt(each, done) for each in value)
    elif isinstance(value, _Type | _ArrayClass | type) or callable(value):
        raise pickle.UnpicklingError("it holds something other than values")
    if isinstance(value, dict | list | tuple | set | frozenset):
        done[id(value)] = found
    return found
