"""Digests of images' files as a column of the tables that ship, by which their embeddings are found on every machine."""

import hashlib
from functools import lru_cache

# No column of a person's: "sha256" there may be the digest of the original, of the parent, or of anything else.
CONTENT_COLUMN = "likeness:sha256"


@lru_cache(maxsize=4096)
def content_digest(path: str, size: int, mtime_ns: int) -> str:
    """SHA-256 of a file in hex, read once by a process as long as its size and time of change stay.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
