"""How much a visitor of a shared server may keep there; where the server is not shared, as much as there is room for."""

import os
from pathlib import Path
from typing import Protocol

from likeness.errors import InputError
from likeness.io import write_atomic
from server.settings import server
from server.visitors import DRAFTS, exports_dir, own_dir, own_uploads_dir, visitors_dir

_LONGEST_NOTION = 200_000  # letters


def room_for_uploads() -> float | None:
    """Gigabytes that the visitor's uploads together may take now; None: as many as there is room for."""
    return _room(own_uploads_dir())


def room_for_exports() -> float | None:
    """As `room_for_uploads`, of what is made for the visitor to download: as much as of uploads."""
    return _room(exports_dir())


def _room(own: Path) -> float | None:
    settings = server()
    if not settings.shared:
        return None
    of_others = sum(size_of(folder) for folder in visitors_dir().glob(f"*/{own.name}")) - size_of(own)
    return min(settings.visitor_uploads_gb, settings.max_uploads_gb - of_others / 1e9)


def write_draft(name: str, content: bytes) -> None:
    """Keeps a draft of the visitor, and of all their drafts the latest."""
    file = own_dir() / DRAFTS / name
    write_atomic(file, content)
    if server().shared:
        kept = sorted(file.parent.glob("[!.]*"), key=_changed, reverse=True)
        for old in kept[server().visitor_files :]:
            old.unlink(missing_ok=True)


def check_count(folder: Path, what: str) -> None:
    """Raises InputError if a visitor has as many files in this folder as allowed; `what` names them, in the plural."""
    if server().shared and folder.is_dir() and sum(1 for _ in folder.iterdir()) >= server().visitor_files:
        raise InputError(f"You keep {server().visitor_files:,} {what} here, the most that this server allows; remove some.")


class Words(Protocol):
    """What makes prompts: one template or aspect a line."""

    @property
    def templates(self) -> str: ...

    @property
    def aspects(self) -> str: ...


def check_notion(*parts: Words) -> None:
    """Raises InputError for notions of more prompts, all that are joined together, than a shared server embeds; each template makes a prompt of each
    aspect."""
    if not server().shared:
        return
    count = sum((each.templates.count("\n") + 1) * (each.aspects.count("\n") + 1) for each in parts)
    if count > server().max_prompts or sum(len(each.templates) + len(each.aspects) for each in parts) > _LONGEST_NOTION:
        raise InputError(f"The notion makes {count:,} prompts, and this server allows {server().max_prompts:,}; remove some aspects.")


def _changed(file: Path) -> float:
    """When a file was written; long ago where it is gone."""
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder; 0 where there is none."""
    total = 0
    for where, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(where, file)).st_size
            except FileNotFoundError:  # removed meanwhile
                continue
    return total
