"""Digests of all that changes an encoder's vectors. Needs no torch."""

import hashlib
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path

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
    """Of each file of a folder that decides the vectors, its name and a digest of its content.

    Raises:
        InputError: if there is no such folder; it names the encoder.
    """
    folder = as_path(folder)
    if not folder.is_dir():
        raise InputError(f"The encoder '{name}' is not here: there is no folder '{folder}'; {remedy}.")
    files = sorted(file for file in folder.iterdir() if file.is_file() and any(fnmatch(file.name, pattern) for pattern in deciding))
    found = []
    for file in files:
        stat = file.stat()
        found.append(f"{file.name} {_file_digest(file, stat.st_size, stat.st_mtime_ns)}")
    return found


def hub_revision(hub_id: str) -> str:
    """Of a model in the hub's cache; empty before it was downloaded."""
    from huggingface_hub.constants import HF_HUB_CACHE

    reference = Path(HF_HUB_CACHE) / f"models--{hub_id.replace('/', '--')}" / "refs" / "main"
    return reference.read_text().strip() if reference.is_file() else ""


@lru_cache(maxsize=256)
def _file_digest(file: Path, size: int, mtime_ns: int) -> str:
    """SHA-256 of a file, remembered as long as size and time of change stay."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
