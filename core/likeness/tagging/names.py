"""Validation and limits of names, values, notes and image paths, so that labeling cannot fill a shared server."""

import unicodedata
from collections.abc import Collection, Iterable
from typing import Literal

from likeness.data import CONTENT_COLUMN, IMAGE_COLUMN, UNLABELED
from likeness.errors import InputError
from likeness.io import plain_name

Kind = Literal["tag", "attribute", "note"]

LONGEST_NAME = 80  # characters of a tag's or an attribute's name
LONGEST_VALUE = 200  # characters of a value
LONGEST_NOTE = 2_000  # characters of an image's note
LONGEST_WHO = 200  # characters of the name of who edits
LONGEST_PATH = 4_096  # characters of an image's path
MOST_NAMES = 1_000  # tags and attributes of one dataset
MOST_VALUES = 100_000  # different values of one attribute
MOST_IMAGES = 1_000_000  # images in one edit
MOST_BYTES = 1 << 30  # of a dataset's file, its log of edits included

NOTE = "note"  # the column of the notes
TAG_PREFIX = "tag:"  # before a tag's name in CSV files

_TAKEN = ("path", CONTENT_COLUMN, IMAGE_COLUMN, NOTE)
_JOINERS = "\u200c\u200d"  # of Persian words and of emoji; they count as not printable


def check_name(name: str, reserved: Collection[str] = ()) -> str:
    """The normalized name of a tag or attribute: stripped, in Unicode NFC.

    InputError: it is empty, too long, has control characters, or is a column of the dataset (`reserved`), ignoring case.
    """
    kept = _plain(name, "A name", LONGEST_NAME)
    if not kept:
        raise InputError("The name of a tag or attribute is empty; choose a word or two.")
    if kept.lower().startswith(TAG_PREFIX):
        raise InputError(f"The name '{kept}' begins with '{TAG_PREFIX}', which marks tags in CSV files; remove that prefix.")
    taken = {name_key(str(each)): str(each) for each in (*_TAKEN, *reserved)}
    if name_key(kept) in taken:
        raise InputError(f"The dataset has a column '{taken[name_key(kept)]}' already; choose another name than '{kept}'.")
    return kept


def name_key(name: str) -> str:
    """Key to compare names: "Good" and "good" are equal."""
    return unicodedata.normalize("NFKC", name).casefold()


def check_value(value: str) -> str:
    """The normalized value, as `check_name`; also raises InputError for the marker of unlabeled images."""
    kept = _plain(value, "A value", LONGEST_VALUE)
    if not kept:
        raise InputError("A value is empty; pass one, or remove it from the images.")
    if kept == UNLABELED:
        raise InputError(f"'{UNLABELED}' stands for images without a label; remove the value from the images instead.")
    return kept


def check_note(text: str) -> str:
    """The normalized note: stripped, with line feeds; raises InputError if it is too long or has other control characters."""
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")
    kept = "\n".join(_printable(line.replace("\t", " "), "A note") for line in lines)
    return _short(kept, "A note", LONGEST_NOTE)


def check_who(who: str) -> str:
    """The normalized author name, as `check_name`; raises InputError if it is empty."""
    kept = _plain(who, "The author's name", LONGEST_WHO)
    if not kept:
        raise InputError("An edit needs an author; pass a name.")
    return kept


def check_paths(paths: Iterable[str]) -> list[str]:
    """The distinct paths of an edit's images. Raises InputError for none, too many, or an invalid path."""
    if isinstance(paths, str):
        paths = [paths]
    kept = list(dict.fromkeys(map(str, paths)))
    if not 0 < len(kept) <= MOST_IMAGES:
        raise InputError(f"An edit takes 1 to {MOST_IMAGES:,} images, got {len(kept):,}; select some, or split the edit.")
    for path in kept:
        is_text = path == path.encode(errors="replace").decode()  # lone surrogates become "?"
        if not path or len(path) > LONGEST_PATH or "\0" in path or not is_text:
            raise InputError(f"'{plain_name(path)}' is not an image path; pass those in the column 'path' of the table.")
    return kept


def _plain(text: str, what: str, longest: int) -> str:
    return _short(_printable(unicodedata.normalize("NFC", text).strip(), what), what, longest)


def _printable(text: str, what: str) -> str:
    if not all(sign.isprintable() or sign in _JOINERS for sign in text):
        raise InputError(f"{what} has invisible characters, such as line ends or control characters ('{plain_name(text)}'); remove them.")
    return text


def _short(text: str, what: str, longest: int) -> str:
    if len(text) > longest:
        raise InputError(f"{what} may have at most {longest:,} characters, but '{plain_name(text)}' has {len(text):,}; shorten it.")
    return text
