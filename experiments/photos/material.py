"""What the head is fitted on: photos with captions, and the names of the network's classes."""

from pathlib import Path

from likeness.data import read_captions, read_dataset
from likeness.errors import InputError


def captioned_photos(source: str | Path, path_column: str | None = None, caption_column: str | None = None) -> tuple[list[Path], list[list[str]]]:
    """Photos and their captions, from a table with a row per photo (a column `captions`) or a row per caption (a column `caption`), or a dataset such
    as "flickr:FOLDER".

    Args:
        source, path_column, caption_column: as `likeness.data.read_dataset` takes them.

    Returns:
        n paths, each once, in the table's order; and k captions of each.

    Raises:
        InputError: no such table or columns, or photos with different numbers of captions.
    """
    table = read_dataset(source, path_column, caption_column=caption_column)
    found: dict[Path, list[str]] = {}
    for path, captions in zip(table.paths(), read_captions(table), strict=True):
        found.setdefault(path, []).extend(captions)
    counts = {len(captions) for captions in found.values()}
    if len(counts) > 1:
        raise InputError(f"The photos of '{Path(source).name}' have {min(counts)} to {max(counts)} captions each; each photo needs the same number.")
    return list(found), list(found.values())


def class_names() -> list[list[str]]:
    """The names of the 1,000 classes of ImageNet in the network's order: of each its synonyms, the most usual one first."""
    return [names.split(", ") for names, _ in _classes()]


def class_definitions() -> list[str]:
    """What WordNet says of each of these classes."""
    return [definition for _, definition in _classes()]


def _classes() -> list[tuple[str, str]]:
    from timm.data import ImageNetInfo

    info = ImageNetInfo("imagenet-1k")
    found = [info.index_to_description(number, detailed=True).partition(": ") for number in range(1000)]
    return [(names, definition) for names, _, definition in found]
