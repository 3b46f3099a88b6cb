"""Pickles of others, read by a reader that can build plain containers, numbers and NumPy arrays of them only, and executes nothing.

NumPy's own ways of rebuilding arrays trust what a pickle says of shapes and types, and a damaged one brings the process down. So arrays and
types are rebuilt here, from values that were checked.
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
    """Refuses every name but the few by which NumPy's arrays and plain containers are rebuilt."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = _ALLOWED.get((module.replace("numpy._core", "numpy.core"), name))
        if allowed is None:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return allowed

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it refers to objects outside of the file")

    def load(self) -> Any:
        """What the pickle holds; raises all that `pickle` does, ValueError and TypeError for what does not fit."""
        return _rebuilt(super().load(), {})


class _Type:
    """A type of numbers, texts or objects."""

    def __init__(self, code: Any, *_: Any) -> None:
        text = code.decode("ascii") if isinstance(code, bytes) else code
        found = _TYPE.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise pickle.UnpicklingError(f"it has values of the type {str(code)[:40]}")
        self.dtype = np.dtype(object) if found[1] == "O" else np.dtype(text)

    def __setstate__(self, state: Any) -> None:
        """NumPy's: version, byte order, then what only types of several fields have."""
        order, *fields = state[1:5]
        order = order.decode("ascii") if isinstance(order, bytes) else order
        if order not in _ORDERS or any(each is not None for each in fields):
            raise pickle.UnpicklingError("it has values of several fields")
        self.dtype = self.dtype.newbyteorder(_ORDERS[_ORDERS.index(order)])


class _Array:
    """An array whose content comes later."""

    value: NDArray[Any]

    def __init__(self, *_: Any) -> None:
        self.value = np.empty(0)

    def __setstate__(self, state: Any) -> None:
        """NumPy's: perhaps a version, then shape, type, whether columns come first, and the content."""
        shape, kind, by_columns, content = state[-4:]
        self.value = _array(content, kind, shape, "F" if by_columns else "C")


class _ArrayClass:
    """Stands for the class of arrays, where a pickle names it."""


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
    """A single value of NumPy's."""
    found = _array(content, kind, 1)
    if found.dtype == object:
        raise pickle.UnpicklingError("it has a single object of NumPy's")
    return found[0]


def _new_array(*_: Any) -> _Array:
    return _Array()


def _as_bytes(text: str, encoding: str) -> bytes:
    """As old pickles write bytes."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it asks for the encoding {encoding}")
    return text.encode("latin1")


_ALLOWED: dict[tuple[str, str], Any] = {
    ("numpy.core.multiarray", "_reconstruct"): _new_array,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy.core.numeric", "_frombuffer"): _array,
    ("_codecs", "encode"): _as_bytes,
    ("numpy", "ndarray"): _ArrayClass,
    ("numpy", "dtype"): _Type,
    ("collections", "OrderedDict"): OrderedDict,
}


def _rebuilt(value: Any, done: dict[int, Any]) -> Any:
    """The same containers with arrays in the place of what stood for them; what several share is shared again."""
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
        raise pickle.UnpicklingError("it holds something else than values")
    if isinstance(value, dict | list | tuple | set | frozenset):
        done[id(value)] = found
    return found
