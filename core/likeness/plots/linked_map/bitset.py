"""Sets of rows in messages between Python and the browser: one bit per row, base64."""

import base64

import numpy as np

from likeness.errors import InputError


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
