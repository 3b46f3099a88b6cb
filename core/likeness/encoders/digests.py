"""Digests of everything that affects an encoder's vectors. Needs no torch."""

import hashlib
from fnmatch import fnmatch
from pathlib import Path

from likeness.data import content_digest
from likeness.errors import InputError
from likeness.io import as_path

# increased when the same weights would give other vectors (reading of images, preprocessing, normalization)
_VERSION = 1

# files that affect the vectors, unlike a model card or a training log in the same folder
_DECIDING = (
    *("open_clip_config.json", "config.json", "*.safetensors", "*.bin", "*.pth"),
    *("tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "added_tokens.json", "*.model"),
)


def digest(*parts: str) -> str:
    """16 hex digits of these parts."""
    return hashlib.sha256("\0".join((str(_VERSION), *parts)).encode()).hexdigest()[:16]


def folder_digests(folder: Path, name: str, deciding: tuple[str, ...] = _DECIDING, remedy: str = "pass the folder that holds the model") -> list[str]:
    """Name and content digest of each file of a folder that affects the vectors. InputError: there is no folder of encoder `name`."""
    folder = as_path(folder)
    if not folder.is_dir():
        raise InputError(f"The encoder '{name}' was not found: there is no folder '{folder}'; {remedy}.")
    files = sorted(file for file in folder.iterdir() if file.is_file() and any(fnmatch(file.name, pattern) for pattern in deciding))
    return [f"{file.name} {content_digest(file)}" for file in files]
