"""File names as text. Names that are not UTF-8 are escaped reversibly in tables, files and messages.

Python holds the bytes of such a name as lone surrogates, which Parquet files, terminals and browsers reject. Here each of these bytes is written as
the replacement character and two hex digits, "caf\N{REPLACEMENT CHARACTER}E9.png"; so are the three bytes of that character itself. All other names
are unchanged, also if Python assumes ASCII file names (LC_ALL=C), so that tables hold the same text everywhere.
"""

import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable

_IS_UTF8 = sys.getfilesystemencoding() == "utf-8"
_ODD = re.compile("[\udc80-\udcff\N{REPLACEMENT CHARACTER}]")
_WRITTEN = re.compile("(?:\N{REPLACEMENT CHARACTER}[89A-F][0-9A-F])+")


def name_to_text(name: str) -> str:
    """Converts a file name or path from Python's file functions to text that can be stored and shown.

    Example:
        >>> name_to_text("caf\\udce9.png") == "caf\\ufffdE9.png", name_to_text("café.png")
        (True, 'café.png')
    """
    return name if name.isascii() else _ODD.sub(_bytes_written, name if _IS_UTF8 else _in_utf8(name))


def text_to_name(text: str) -> str:
    """Inverse of `name_to_text`: the name or path to open the file with.

    Example:
        >>> text_to_name("caf\\ufffdE9.png") == "caf\\udce9.png"
        True
    """
    if text.isascii():
        return text
    name = _WRITTEN.sub(_bytes_read, text)
    return name if _IS_UTF8 else os.fsdecode(name.encode("utf-8", "surrogateescape"))


def name_finder(names: Iterable[str]) -> Callable[[str], str | None]:
    """Returns a function that finds a name among `names`: itself, or else the only one that differs just in Unicode normalization; None if there is
    none or several.

    "ü" is one character (NFC), or "u" with a combining mark (NFD), as on macOS and in archives made there; they look the same.

    Example:
        >>> find = name_finder(["Mu\u0308ller.png"])
        >>> find("M\u00fcller.png") == "Mu\u0308ller.png", find("Muller.png")
        (True, None)
    """
    exact, forms = set(names), dict[str, str | None]()

    def find(name: str) -> str | None:
        if name in exact:
            return name
        if not forms:  # needed only where a name is not there as it is
            for each in sorted(exact):
                form = unicodedata.normalize("NFC", each)
                forms[form] = None if form in forms else each
        return forms.get(unicodedata.normalize("NFC", name))

    return find


def _in_utf8(name: str) -> str:
    """Repairs a name that Python decoded with another encoding, such as ASCII; proper text is unchanged."""
    try:
        return os.fsencode(name).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name


def _bytes_written(found: "re.Match[str]") -> str:
    return "".join(f"\N{REPLACEMENT CHARACTER}{byte:02X}" for byte in found[0].encode("utf-8", "surrogateescape"))


def _bytes_read(found: "re.Match[str]") -> str:
    return bytes.fromhex(found[0].replace("\N{REPLACEMENT CHARACTER}", "")).decode("utf-8", "surrogateescape")
