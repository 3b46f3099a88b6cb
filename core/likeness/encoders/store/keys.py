"""Keys: digests that name images and their state, by which embeddings are found again."""

import os
import re
from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable, is_url, remote_states
from likeness.io import PIXELS_VERSION, split_part, text_to_name

KEY_BYTES = 16
CONTENT_COLUMN = "sha256"
_DIGEST = re.compile("[0-9a-f]{64}")

Keys = NDArray[np.uint8]


def image_key(path: str, state: str) -> bytes:
    """Digest of an image's path and state, and of how pixels come about (or of the content's digest alone, with an empty path: for what ships)."""
    version = f"\0{PIXELS_VERSION}" if path else ""
    return blake2b(f"{path}\0{state}{version}".encode("utf-8", "surrogateescape"), digest_size=KEY_BYTES).digest()


def content_key(digest: str) -> bytes:
    """The key of an image known by its content, wherever it lies."""
    return image_key("", digest)


def content_digests(table: ImageTable) -> list[str] | None:
    """The column "sha256", if the table has it and every value is a SHA-256 in hex."""
    if CONTENT_COLUMN not in table.frame.columns:
        return None
    digests = [str(value).lower() for value in table.frame[CONTENT_COLUMN]]
    return digests if all(map(_DIGEST.fullmatch, digests)) else None


def key_array(keys: Sequence[bytes]) -> Keys:
    """Keys as one array (n, 16)."""
    return np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), KEY_BYTES)


def as_names(keys: Keys) -> NDArray[np.bytes_]:
    """Keys (n, 16) as (n,) values that NumPy sorts and compares; unequal keys of equal length stay unequal."""
    return np.ascontiguousarray(keys).view(f"S{KEY_BYTES}").reshape(len(keys))


def table_keys(table: ImageTable, remote: bool) -> tuple[Keys, dict[int, str]]:
    """The key of each row (n, 16), zeros where there is no file, and for those rows the reason.

    By path, size and time of change (of a URL, with `remote`: its size and version), or by the column "sha256".
    """
    digests = content_digests(table)
    if digests is not None:
        return key_array([content_key(digest) for digest in digests]), {}
    paths, states = table.frame["path"].tolist(), _local_states(table)
    if remote:
        urls = [row for row, path in enumerate(paths) if is_url(path)]
        for row, state in zip(urls, remote_states([paths[row] for row in urls]), strict=True):
            states[row] = state
    none = b"\0" * KEY_BYTES
    keys = [none if isinstance(state, Exception) else image_key(path, state) for path, state in zip(paths, states, strict=True)]
    reasons = {row: _reason(state) for row, state in enumerate(states) if isinstance(state, Exception)}
    return key_array(keys), reasons


def _local_states(table: ImageTable) -> list[str | Exception]:
    """Size and time of change of each file, or why there is none."""
    locate, stat = _locator(str(table.root)), os.stat
    states: list[str | Exception] = []
    for path in table.frame["path"].tolist():
        try:
            found = stat(locate(text_to_name(split_part(path)[0])))
            states.append(f"{found.st_size} {found.st_mtime_ns}")
        except (OSError, ValueError) as error:
            states.append(error)
    return states


def _locator(root: str) -> Callable[[str], str]:
    """`os.path.join(root, path)`, in a third of its time: there may be a million paths."""
    prefix = os.path.join(root, "")
    return lambda path: os.path.join(root, path) if path.startswith(("/", "\\")) or path[1:2] == ":" else prefix + path


def _reason(error: Exception) -> str:
    return "there is no such file" if isinstance(error, FileNotFoundError) else "the file cannot be opened"
