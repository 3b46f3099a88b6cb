"""Pictures that visitors search with, stored with their uploads so that a link can reopen the search."""

import os
import re
import secrets
import shutil
from pathlib import Path

from likeness.data import save_uploads
from likeness.errors import InputError
from likeness.io import foreign_image
from server.access import check_may, upload_limits
from server.settings import UPLOADS, server
from server.visitors import QUERY_PREFIX, own_dir, visitors_dir

_TOKEN = re.compile(r"[0-9a-f]{24}-[0-9a-f]{16}")
_KEPT = 100  # pictures of one visitor; those that were given longest ago make room


def keep(name: str, content: bytes) -> str:
    """Stores a picture and returns its unguessable token for links. Raises InputError: the visitor may not upload, it cannot be read as an image, or
    there is no room left for uploads."""
    check_may("edit")
    foreign_image(content, name)  # a ZIP of images is none
    token = secrets.token_hex(12)
    table = save_uploads([(name, content)], f"{QUERY_PREFIX}{token}", own_dir() / UPLOADS, upload_limits())
    for old in sorted((own_dir() / UPLOADS).glob(f"{QUERY_PREFIX}*"), key=os.path.getmtime, reverse=True)[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    return table.root.name.removeprefix(QUERY_PREFIX)


def find(token: str) -> Path:
    """The file of a stored picture; anyone with the token may see it. Raises InputError: it is no longer stored."""
    uploads = visitors_dir().glob(f"*/{UPLOADS}") if server().shared else [own_dir() / UPLOADS]
    files = (file for folder in uploads for file in (folder / f"{QUERY_PREFIX}{token}").glob("*") if file.is_file())
    found = next(files, None) if _TOKEN.fullmatch(token) else None
    if found is None:
        raise InputError("The picture of this link has been removed. Search with the picture again.")
    return found
