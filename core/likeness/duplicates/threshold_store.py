"""Suggested thresholds on disk, so that each is measured once."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.duplicates.altered_copies import ALTERATIONS
from likeness.duplicates.suggest_threshold import SuggestedThreshold, suggest_threshold
from likeness.errors import InputError
from likeness.io import cache_dir, parse_json, text_of, write_atomic
from likeness.progress import Progress

if TYPE_CHECKING:
    from likeness.space import Space

# Part of every key: raise it when the same images come to give another threshold.
_VERSION = 2


def known_threshold(space: "Space", images: int = 100, seed: int = 0, progress: Progress | None = None) -> SuggestedThreshold:
    """As `suggest_threshold`, which is asked only where nobody has measured it yet; it then lies in the user's cache under the space's content.

    Args, Raises: as `suggest_threshold`.

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
    """The threshold that was measured before; None where there is none, or its file is damaged.

    Args: as `suggest_threshold`.
    """
    file = _file(space, images, seed)
    try:
        content = parse_json(text_of(file), "The threshold") if file.is_file() else None
    except InputError:
        return None
    names = ("threshold", "found", "confused", "copies", "pairs", "alike")
    if not isinstance(content, dict) or set(content) != set(names) or any(not _is_number(content[name]) for name in names):
        return None
    threshold, found, confused, copies, pairs, alike = (content[name] for name in names)
    if not (0 < threshold <= 1 and 0 <= found <= 1 and 0 <= confused <= 1 and isinstance(copies, int) and copies > 0):
        return None
    if not (isinstance(pairs, int) and isinstance(alike, int) and 0 <= alike <= pairs):
        return None
    return SuggestedThreshold(float(threshold), float(found), float(confused), copies, pairs, alike)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _file(space: "Space", images: int, seed: int) -> Path:
    recipe = json.dumps([_VERSION, space.key, len(space), images, seed, list(ALTERATIONS)])
    return cache_dir() / "thresholds" / f"{hashlib.sha256(recipe.encode()).hexdigest()[:32]}.json"
