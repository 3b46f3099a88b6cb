"""Images at URLs, on object stores or web servers, through fsspec."""

import errno
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from likeness.data.readers.folder import is_shown_image, natural_key
from likeness.data.readers.folder_columns import folder_columns
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import check_url, name_to_text, text_to_name

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "abfss": "adlfs"}
# what tells one state of an object from the next, by the names that the file systems give it; the first that is there counts
_MARKS = ("ETag", "etag", "md5Hash", "Content-MD5", "LastModified", "Last-Modified", "last_modified", "updated", "mtime", "created")
_AT_ONCE = 32


def is_url(text: str) -> bool:
    """True if a path is a URL ("s3://bucket/a.png", "https://...") rather than a local path."""
    return _URL.match(text) is not None


def read_remote_folder(url: str) -> ImageTable:
    """All images below a URL, in natural order, like `read_folder` of a local folder; `path` holds each image's own URL. Only for sources given by
    the person who runs the program, because URLs allow reading anything the machine can reach.

    Raises:
        InputError: unknown protocol, a missing package, or the URL cannot be listed or has no images.
    """
    files, place = file_system(url)
    try:
        paths = map(str, files.find(place))
        found = sorted((path for path in paths if is_shown_image(path.removeprefix(place).strip("/").split("/"))), key=natural_key)
    except Exception as error:  # every file system raises its own kinds
        raise InputError(f"'{url}' cannot be listed ({_reason(error)}); check the URL and your permissions.") from error
    if not found:
        raise InputError(f"There are no images below '{url}'; check the URL, or pass a CSV or Parquet file with a column of URLs.")
    frame = pd.DataFrame({"path": [name_to_text(files.unstrip_protocol(path)) for path in found]})
    for column, values in folder_columns([name_to_text(path).removeprefix(place).strip("/").rpartition("/")[0] for path in found]).items():
        frame[column] = values
    # pathlib folds the two slashes of a URL into one: `root` names the place in messages and stores, `path` is what is opened
    return ImageTable(place.rstrip("/").rsplit("/", 1)[-1] or url, Path(url), frame)


def file_system(url: str) -> tuple[Any, str]:
    """The fsspec file system of a URL and the path in it. Raises InputError for an unknown protocol or a missing package."""
    import fsspec

    url = text_to_name(url)
    check_url(url)
    protocol = url.partition("://")[0].lower()
    try:
        files, place = fsspec.core.url_to_fs(url)
    except ImportError as error:
        package = _PACKAGES.get(protocol, "")
        remedy = f"install it with `pip install {package}`" if package else f"install what fsspec needs ({error})"
        raise InputError(f"'{url}' needs the package for '{protocol}://', which is not installed; {remedy}.") from error
    except Exception as error:  # every file system checks its own address
        raise InputError(f"'{url}' cannot be reached ({_reason(error)}); write a URL such as 's3://bucket/photos'.") from error
    return files, str(place)


def remote_states(urls: Sequence[str]) -> list[str | OSError]:
    """Size and version (ETag, checksum or modification time) of each object, or the error. Objects of servers that report neither are assumed to
    never change.
    """
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="likeness-state") as pool:
        return list(pool.map(_state, urls))


def fetch(urls: Sequence[str]) -> list[bytes | OSError]:
    """The content of each object, or the error; objects of one file system are fetched concurrently."""
    found: dict[str, bytes | OSError] = {}
    by_system: dict[int, tuple[Any, list[tuple[str, str]]]] = {}
    for url in urls:
        files, place = file_system(url)
        by_system.setdefault(id(files), (files, []))[1].append((url, place))
    for files, places in by_system.values():
        try:
            # not `cat`: it takes ? * [ in a name for a pattern
            contents = files.cat_ranges([place for _, place in places], None, None, on_error="return")
        except Exception as error:  # a timeout of all of them together is raised, whatever is asked for
            contents = [error] * len(places)
        for (url, _), content in zip(places, contents, strict=True):
            found[url] = as_os_error(content) if isinstance(content, Exception) else bytes(content)
    return [found[url] for url in urls]


def as_os_error(error: Exception) -> OSError:
    """Converts an error of any file system to an OSError, as raised for local files."""
    if isinstance(error, MemoryError):
        return OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    return error if isinstance(error, OSError) else OSError(_reason(error))


def _state(url: str) -> str | OSError:
    files, place = file_system(url)
    try:
        info = files.info(place)
    except Exception as error:  # every file system raises its own kinds
        return as_os_error(error)
    mark = next((info[name] for name in _MARKS if info.get(name)), "")
    return f"{info.get('size')} {mark.timestamp() if isinstance(mark, datetime) else mark}"


def _reason(error: Exception) -> str:
    """The first line of an error, short enough for a sentence."""
    return (" ".join(str(error).split()) or type(error).__name__)[:150]
