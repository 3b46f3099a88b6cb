"""Link or copy image files into a folder, under names that are unique on any file system."""

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from likeness.errors import InputError
from likeness.io import check_readable, name_to_text

# what Windows, macOS or a shell cannot take in a name
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_LONGEST = 150  # bytes


class FreeNames:
    """Generates unique names, ignoring case and excluding those `taken`; deterministic."""

    def __init__(self, taken: Iterable[str] = (), sign: str = "-") -> None:
        self._sign = sign
        self._taken = {name.casefold() for name in taken}
        self._counts: dict[str, int] = {}

    def of(self, name: str) -> str:
        """The name, with a number before its suffix if it was used before.

        Example:
            >>> names = FreeNames()
            >>> names.of("a.jpg"), names.of("A.jpg"), names.of("../etc")
            ('a.jpg', 'A-2.jpg', '.._etc')
        """
        plain = safe_name(name)
        stem, dot, ending = plain.rpartition(".") if "." in plain[1:] else (plain, "", "")
        found, number = plain, self._counts.get(plain.casefold(), 1)
        while found.casefold() in self._taken:
            number += 1
            found = f"{stem}{self._sign}{number}{dot}{ending}"
        self._counts[plain.casefold()] = number
        self._taken.add(found.casefold())
        return found


def safe_name(text: str) -> str:
    """A text as a file or folder name: no slashes, no "..", nothing that a file system refuses.

    Example:
        >>> safe_name("cat/dog"), safe_name(".."), safe_name(""), safe_name("a" * 500) == "a" * 150
        ('cat_dog', '_', '_', True)
    """
    name = _ODD.sub("_", name_to_text(text)).strip().rstrip(". ")
    if _DEVICE.fullmatch(name):
        name = f"_{name}"
    if len(name.encode()) > _LONGEST:
        _, dot, ending = name.rpartition(".")
        ending = dot + ending if dot and len(ending) <= 8 else ""
        name = name.encode()[: _LONGEST - len(ending.encode())].decode(errors="ignore") + ending
    return name or "_"


def put_file(source: Path, target: Path, link: str) -> None:
    """Creates a link ("symlink", "hard") to a file with an absolute path, or a "copy"; raises InputError if it cannot be linked or read."""
    try:
        if link == "symlink":
            target.symlink_to(source)
        elif link == "hard":
            os.link(source.resolve(), target)
        else:
            shutil.copyfile(check_readable(source), target)
    except OSError as error:
        other = "copy" if link != "copy" else "symlink"
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"'{source}' cannot be put into the folder as {link} ({reason}); use the link '{other}', or free space.") from error
