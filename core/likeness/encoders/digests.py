"""Digests of all that changes an encoder's vectors. Needs no torch."""

import hashlib
from fnmatch import fnmatch
from pathlib import Path

from likeness.data import content_digest
from likeness.errors import InputError
from likeness.io import as_path

# Raised whenever the same weights would give other vectors than before (reading of images, preprocessing, normalization).
_VERSION = 1

# What decides the vectors; a model card or a training log in the same folder does not.
_DECIDING = (
    *("open_clip_config.json", "config.json", "*.safetensors", "*.bin", "*.pth"),
    *("tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "added_tokens.json", "*.model"),
)


def digest(*parts: str) -> str:
    """16 hex digits of these parts."""
    return hashlib.sha256("\0".join((str(_VERSION), *parts)).encode()).hexdigest()[:16]


def folder_digests(folder: Path, name: str, deciding: tuple[str, ...] = _DECIDING, remedy: str = "give the folder that holds the model") -> list[str]:
    """Name and digest of content of each file of a folder that decides the vectors; raises InputError, which names the encoder, where there is no
    folder.
    """
    folder = as_path(folder)
    if not folder.is_dir():
        raise InputError(f"The encoder '{name}' is not here: there is no folder '{folder}'; {remedy}.")
    files = sorted(file for file in folder.iterdir() if file.is_file() and any(fnmatch(file.name, pattern) for pattern in deciding))
    return [f"{file.name} {file_digest(file)}" for file in files]


def file_digest(file: Path) -> str:
    """SHA-256 of a file in hex, remembered as long as size and time of change stay."""
    stat = file.stat()
    return content_digest(str(file), stat.st_size, stat.st_mtime_ns)
