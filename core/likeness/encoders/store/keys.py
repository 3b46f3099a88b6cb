"""Keys of stored embeddings: digests of images and their state."""

import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likeness.data import CONTENT_COLUMN, ImageTable, content_digest, file_locator, is_url, remote_states
from likeness.io import PIXELS_VERSION, allows, split_part

KEY_BYTES = 16

Keys = NDArray[np.uint8]


def image_key(path: str, state: str) -> bytes:
    """Digest of an image's path, state and reading of pixels, or for shipped images, with an empty path, of the content's digest alone."""
    version = f"\0{PIXELS_VERSION}" if path else ""
    return blake2b(f"{path}\0{state}{version}".encode("utf-8", "surrogateescape"), digest_size=KEY_BYTES).digest()


def content_key(digest: str) -> bytes:
    """Key of an image by its content, independent of its path."""
    return image_key("", digest)


def key_array(keys: Sequence[bytes]) -> Keys:
    """Keys as one array (n, 16)."""
    return np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), KEY_BYTES)


def as_names(keys: Keys) -> NDArray[np.bytes_]:
    """Keys (n, 16) as (n,) values that NumPy can sort and compare; unequal keys stay unequal, since all have the same length."""
    return np.ascontiguousarray(keys).view(f"S{KEY_BYTES}").reshape(len(keys))


def table_keys(table: ImageTable, remote: bool) -> tuple[Keys, dict[int, str]]:
    """Keys (n, 16) of all rows, zeros for missing files, and the reasons for these. By path, size and modification time (for URLs, with `remote`:
    size and version), or by content if the table has its digest and the file still fits.
    """
    paths, states = table.frame["path"].tolist(), _local_states(table)
    digests = _confirmed(table, states)
    if remote:
        urls = [row for row, path in enumerate(paths) if is_url(path)]
        for row, found in zip(urls, remote_states([split_part(paths[row])[0] for row in urls]), strict=True):
            states[row] = found
    keys, reasons = [], {}
    for row, (path, state, digest) in enumerate(zip(paths, states, digests, strict=True)):
        if isinstance(state, Exception):
            keys.append(b"\0" * KEY_BYTES)
            reasons[row] = "there is no such file" if isinstance(state, FileNotFoundError) else "the file cannot be opened"
        else:
            keys.append(content_key(digest) if digest else image_key(path, state))
    return key_array(keys), reasons


def _local_states(table: ImageTable) -> list[str | Exception]:
    """Size and modification time of each file, or why there is none."""
    locate, stat = file_locator(table.root), os.stat
    states: list[str | Exception] = []
    for path in table.frame["path"].tolist():
        try:
            found = stat(locate(path))
            states.append(f"{found.st_size} {found.st_mtime_ns}")
        except (OSError, ValueError) as error:
            states.append(error)
    return states


def _confirmed(table: ImageTable, states: Sequence[str | Exception]) -> list[str]:
    """Digest of each row in the column `CONTENT_COLUMN`; "" if there is none, or the file has changed."""
    if CONTENT_COLUMN not in table.frame.columns:
        return [""] * len(table)
    locate, listed = file_locator(table.root), zip(table.frame["path"], states, map(str, table.frame[CONTENT_COLUMN]), strict=True)
    return [digest if split_part(path)[1] is None and _has_content(locate(path), state, digest) else "" for path, state, digest in listed]


def _has_content(file: str, state: str | Exception, digest: str) -> bool:
    if isinstance(state, Exception) or not allows(Path(file)):
        return False
    try:
        return content_digest(file) == digest
    except OSError:
        return False
