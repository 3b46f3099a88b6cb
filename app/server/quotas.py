"""Storage quotas of visitors on a shared server; unlimited elsewhere."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.errors import InputError
from likeness.io import write_atomic
from server.settings import server
from server.visitors import DRAFTS, own_dir, visitors_dir

if TYPE_CHECKING:
    from likeness.notions import Notion

_LONGEST_NOTION = 200_000  # letters


def room_for(own: Path) -> float | None:
    """Quota in GB of a visitor's folder of uploads or exports; None: unlimited."""
    settings = server()
    if not settings.shared:
        return None
    of_others = sum(size_of(folder) for folder in visitors_dir().glob(f"*/{own.name}")) - size_of(own)
    return min(settings.visitor_uploads_gb, settings.max_uploads_gb - of_others / 1e9)


def write_draft(name: str, content: bytes) -> None:
    """Stores a draft and deletes the visitor's oldest drafts beyond the limit."""
    file = own_dir() / DRAFTS / name
    write_atomic(file, content)
    if server().shared:
        kept = sorted(file.parent.glob("[!.]*"), key=_changed, reverse=True)
        for old in kept[server().visitor_files :]:
            old.unlink(missing_ok=True)


def check_count(folder: Path, what: str) -> None:
    """Raises InputError if a visitor has reached the limit of files in this folder; `what` names them, in the plural."""
    if server().shared and folder.is_dir() and sum(1 for _ in folder.iterdir()) >= server().visitor_files:
        raise InputError(f"You have {server().visitor_files:,} {what}, the maximum on this server. Remove some.")


def check_notion(notion: "Notion") -> None:
    """Raises InputError if a notion, with those joined to it, has more prompts than a shared server embeds."""
    if not server().shared:
        return
    parts = [notion, *(each for _, each in notion.joined)]
    count = sum(len(each.templates) * len(each.aspects) for each in parts)
    if count > server().max_prompts or sum(len(text) for each in parts for text in (*each.templates, *each.aspects)) > _LONGEST_NOTION:
        raise InputError(f"The notion makes {count:,} prompts, and this server allows {server().max_prompts:,}. Remove some aspects.")


def _changed(file: Path) -> float:
    """When a file was written; 0 if it is gone."""
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def size_of(folder: Path) -> int:
    """Total bytes of the files in a folder; 0 if there is none."""
    total = 0
    for where, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(where, file)).st_size
            except FileNotFoundError:  # removed meanwhile
                continue
    return total
