"""Captions of images instead of class names (Sec. 4.6 and Table 5), also from CSV files."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from likeness.errors import InputError
from likeness.io import as_path, csv_rows, name_finder, text_of


def read_captions(path: Path) -> dict[str, str]:
    """Captions by image path, from a CSV file of two columns, path and caption. A header "path,caption" is skipped; captions with commas must be
    quoted; empty captions are ignored. Raises InputError if the file is missing, not text, has other columns, or two captions for an image.
    """
    rows = csv_rows(text_of(as_path(path)))
    if rows and [cell.lower() for cell in rows[0]] == ["path", "caption"]:
        rows = rows[1:]
    captions: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not row[0]:
            raise InputError(f"Entry {number} of the captions '{path.name}' has {len(row)} columns; write path and caption, the caption in quotes.")
        image, caption = row[0].replace("\\", "/"), row[1]
        if captions.get(image, caption) != caption:
            raise InputError(f"The captions '{path.name}' give '{image}' two captions, '{captions[image]}' and '{caption}'; keep one.")
        if caption:
            captions[image] = caption
    if not captions:
        raise InputError(f"The captions '{path.name}' are empty; write a line of path and caption per image.")
    return captions


def captions_in_order(captions: Mapping[str, str] | Sequence[str], paths: Sequence[str]) -> list[str]:
    """One caption per image, in the order of `paths`: looked up by path, or a sequence already in this order. Raises InputError if an image has no
    caption, or the numbers differ.
    """
    if isinstance(captions, Mapping):
        find = name_finder(captions)
        found = [find(path) for path in paths]
        missing = [path for path, name in zip(paths, found, strict=True) if name is None]
        if missing:
            raise InputError(f"{len(missing)} of {len(paths)} images have no caption, first '{missing[0]}'; add captions or remove the images.")
        return [captions[name] for name in found if name is not None]
    if isinstance(captions, str) or len(captions) != len(paths):
        count = "a single text" if isinstance(captions, str) else f"{len(captions)} captions"
        raise InputError(f"There are {len(paths)} images and {count}; give one caption per image.")
    return list(captions)


def insert_class_name(caption: str, name: str, keywords: str | Sequence[str]) -> str:
    """The caption with every keyword replaced by the class name: "Caption + insertion" of Table 5. "A blue bird sitting on a branch" becomes "A blue
    Shiny Cowbird sitting on a branch" for the keyword "bird". Keywords match whole words, ignoring case; a caption without one is unchanged. Raises
    InputError for no or empty keywords.
    """
    words = [keywords] if isinstance(keywords, str) else list(keywords)
    if not words or not all(word.strip() for word in words):
        raise InputError(f"Expected at least one keyword such as 'bird', got {keywords!r}; pass the words that the class name replaces.")
    # longest first, so that of "sports car" and "car" the longer is replaced as a whole
    choices = "|".join(re.escape(word.strip()) for word in sorted(words, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{choices})(?!\w)", lambda _: name, caption, flags=re.IGNORECASE)
