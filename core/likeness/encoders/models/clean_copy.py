"""Clean copies of the folders of foreign models: configurations filtered by `config_keys`, weights and vocabularies as links, no code."""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from likeness.encoders.models.config_keys import open_clip_keys, shard_names, timm_keys, token_numbers, tokenizer_keys, transformers_keys
from likeness.errors import InputError
from likeness.io import parse_json, text_of

OPEN_CLIP_CONFIG = "open_clip_config.json"
TOKENIZER_FILES = (
    *("config.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
    *("tokenizer.json", "vocab.json", "vocab.txt", "merges.txt", "*.model"),
)
WEIGHTS = ("*.safetensors", "*.bin", "*.pth")


def _config_keys(content: Any, name: str) -> dict[str, Any]:
    """A config.json is of timm or of transformers."""
    return timm_keys(content, name) if isinstance(content, dict) and "architecture" in content else transformers_keys(content, name)


_LONGEST = 64_000_000  # bytes of a configuration
_READ: dict[str, Callable[[Any, str], dict[str, Any]]] = {
    OPEN_CLIP_CONFIG: open_clip_keys,
    "config.json": _config_keys,
    "tokenizer_config.json": tokenizer_keys,
    "special_tokens_map.json": tokenizer_keys,
    "added_tokens.json": token_numbers,
    "*.safetensors.index.json": shard_names,
    "*.bin.index.json": shard_names,
}
_LINKED = (*WEIGHTS, "tokenizer.json", "vocab.json", "vocab.txt", "merges.txt", "*.model")


@contextmanager
def clean_copy(folder: Path) -> Iterator[Path]:
    """A temporary folder with the model's files of `folder`, without others, such as Python files. InputError: a configuration that requires code,
    refers to other paths, or is not JSON.
    """
    with tempfile.TemporaryDirectory(prefix="likeness-model-") as made:
        for file in sorted(folder.iterdir()):
            if not file.is_file():
                continue
            if read := next((read for pattern, read in _READ.items() if fnmatch(file.name, pattern)), None):
                name = f"'{file.name}'"
                content = read(parse_json(text_of(file, _LONGEST), name), name)
                (Path(made) / file.name).write_text(json.dumps(content), encoding="utf-8")
            elif any(fnmatch(file.name, pattern) for pattern in _LINKED):
                link(file, Path(made) / file.name)
        yield Path(made)


def link(file: Path, place: Path) -> None:
    """Links a file at another path, without copying its content."""
    try:
        place.symlink_to(file.resolve())
    except OSError:  # Windows allows symbolic links to some users only
        try:
            os.link(file.resolve(), place)
        except OSError as error:
            raise InputError(f"'{file.name}' cannot be linked from {place.parent} ({error.strerror}); set TMPDIR to a folder of its disk.") from error
