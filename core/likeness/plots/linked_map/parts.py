"""What goes to the browser and back: arrays, named by their content so that each is sent once, and sets of rows, one bit per row."""

import base64
import hashlib
import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from likeness.errors import InputError

T = TypeVar("T")
Publish = Callable[[bytes, str], str]
INLINE_BYTES = 48_000


def cache_by_identity(make: Callable[..., T]) -> Callable[..., T]:
    """Caches the results of `make(thing, *rest)` for each `rest` while `thing` exists.

    `thing` is compared by identity and must not be changed in place; `rest` must be hashable. Objects without weak references are not cached.
    """
    results: dict[int, dict[tuple[Any, ...], T]] = {}

    @wraps(make)
    def kept(thing: Any, *rest: Any) -> T:
        try:
            known = results.get(id(thing))
            if known is None:
                weakref.finalize(thing, results.pop, id(thing), None)
                known = results[id(thing)] = {}
        except TypeError:
            return make(thing, *rest)
        if rest not in known:
            known[rest] = make(thing, *rest)
        return known[rest]

    return kept


def part(array: np.ndarray, publish: Publish | None = None) -> dict[str, object]:
    """An array for the browser, which caches arrays by id: {"id", "type", "base64" or "url"}. Large arrays go to `publish(content, id) -> URL` and
    are fetched from there once, so that a change of color does not send the positions again.
    """
    array = np.ascontiguousarray(array)
    name = _name(array)
    described: dict[str, object] = {"id": name, "type": str(array.dtype)}
    if publish is None or array.nbytes <= INLINE_BYTES:
        return described | {"base64": base64.b64encode(array.tobytes()).decode("ascii")}
    return described | {"url": publish(array.tobytes(), name)}


@cache_by_identity
def _name(array: np.ndarray) -> str:
    return hashlib.blake2b(array.tobytes() + str(array.dtype).encode(), digest_size=12).hexdigest()


def encode_rows(rows: np.ndarray, n: int) -> str:
    """The set of `rows` (m,) out of `n` as base64 of ceil(n / 8) bytes; row i is bit i % 8 of byte i // 8. InputError for a row outside 0..n-1."""
    rows = np.asarray(rows, dtype=np.int64).ravel()
    if rows.size and (rows.min() < 0 or rows.max() >= n):
        raise InputError(f"Row {int(rows.max() if rows.max() >= n else rows.min())} is outside the {n} rows of the map; pass rows from 0 to {n - 1}.")
    mask = np.zeros(n, dtype=bool)
    mask[rows] = True
    return encode_mask(mask)


def encode_mask(mask: np.ndarray) -> str:
    """A boolean mask (n,) as base64 of ceil(n / 8) bytes."""
    return base64.b64encode(np.packbits(np.asarray(mask, dtype=bool), bitorder="little").tobytes()).decode("ascii")


def decode_rows(text: str, n: int) -> np.ndarray:
    """The sorted row numbers (m,) of a set made by `encode_rows` or by the browser; InputError for what is not base64 of exactly `n` bits."""
    try:
        packed = np.frombuffer(base64.b64decode(text, validate=True), dtype=np.uint8)
    except ValueError as error:
        raise InputError(f"A selection of {len(text)} characters is not base64; select again.") from error
    if packed.size != (n + 7) // 8:
        raise InputError(f"A selection of {packed.size} bytes does not fit {n} rows, which need {(n + 7) // 8}; select again.")
    return np.flatnonzero(np.unpackbits(packed, bitorder="little")[:n])
