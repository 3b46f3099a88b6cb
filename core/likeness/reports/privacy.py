"""Texts without the folders of this machine: a report goes to people who should not learn where its images lie."""

import re
from collections.abc import Iterable
from pathlib import Path

_STEP = r"[^\s/\\'\"<>|:;,()\[\]]+"
_PATHS = (
    re.compile(rf"(?<![\w./~\\<])(?:~[\w.-]*|\.{{1,2}}(?:/\.\.)*)?/(?!/)(?:{_STEP}/)*(?P<last>{_STEP})/?"),
    re.compile(rf"(?<!\w)[A-Za-z]:[\\/](?!/)(?:{_STEP}[\\/])*(?P<last>{_STEP})[\\/]?"),
    re.compile(rf"(?<![\w\\])\\\\(?:{_STEP}\\)+(?P<last>{_STEP})"),
)
_WHOLE = re.compile(r"(?:~[\w.-]*|\.{1,2})?/(?!/)|[A-Za-z]:[\\/](?!/)|\\\\")
_FILE_URL = re.compile(r"\bfile:(?://[^/\s]*)?(?=/)", re.IGNORECASE)
_USER = re.compile(r"(?<=://)[^/\s@]+@")
_QUERY = re.compile(r"(\w+://[^\s?#]*)[?#]\S*")


def hide_folders(text: str, places: Iterable[Path] = ()) -> str:
    """A text with the last step in place of each path that is absolute or leads upward, and web addresses without user names and queries.

    A text that is a path as a whole may hold blanks, and so may the names of `places`, folders of this machine.

    Example:
        >>> hide_folders("read from '/home/ada/photos/cats.csv'")
        "read from 'cats.csv'"
        >>> hide_folders("s3://key:secret@host/bucket?token=1")
        's3://host/bucket'
        >>> hide_folders("and/or 3/4")
        'and/or 3/4'
    """
    found = _QUERY.sub(r"\1", _USER.sub("", _FILE_URL.sub("", text)))
    known = {str(each) for place in places for each in (place, place.absolute()) if len(each.parts) > 2}
    for folder in sorted(known, key=len, reverse=True):
        found = re.sub(rf"{re.escape(folder)}(?=[/\\]|\b|$)[/\\]?", "/./", found)
    if _WHOLE.match(found.strip()) and "\n" not in found:
        return re.split(r"[/\\]", found.strip().rstrip("/\\"))[-1].replace("~", "") or "/"
    for pattern in _PATHS:
        found = pattern.sub(lambda match: match["last"], found)
    return found
