"""Cache of suggested thresholds."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from likeness.duplicates.altered_copies import ALTERATIONS
from likeness.duplicates.suggest_threshold import SuggestedThreshold, suggest_threshold
from likeness.errors import InputError
from likeness.io import cache_dir, text_of, write_atomic
from likeness.progress import Progress

if TYPE_CHECKING:
    from likeness.space import Space

# Part of every key: raise it when the same images come to give another threshold.
_VERSION = 2


def known_threshold(space: "Space", images: int = 100, seed: int = 0, progress: Progress | None = None) -> SuggestedThreshold:
    """As `suggest_threshold`, cached on disk by the space's content.

    Example:
        >>> import likeness as lk
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> known_threshold(space, images=20) == known_threshold(space, images=20) == stored_threshold(space, images=20)
        True
    """
    found = stored_threshold(space, images, seed)
    if found is None:
        found = suggest_threshold(space, images, seed, progress)
        write_atomic(_file(space, images, seed), json.dumps(asdict(found)).encode())
    return found


def stored_threshold(space: "Space", images: int = 100, seed: int = 0) -> SuggestedThreshold | None:
    """The cached threshold of `known_threshold`; None if missing or damaged."""
    file = _file(space, images, seed)
    try:
        found = TypeAdapter(SuggestedThreshold).validate_json(text_of(file), strict=True) if file.is_file() else None
    except (InputError, ValidationError):
        return None
    return found if found and found.alike <= found.pairs else None


def _file(space: "Space", images: int, seed: int) -> Path:
    recipe = json.dumps([_VERSION, space.key, len(space), images, seed, list(ALTERATIONS)])
    return cache_dir() / "thresholds" / f"{hashlib.sha256(recipe.encode()).hexdigest()[:32]}.json"
