"""Exports for download: one file each in the visitor's folder, within their quota, deleted within the hour."""

import secrets
import shutil
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.errors import InputError
from likeness.io import check_readable, make_folder
from likeness.progress import Progress
from server.addresses import address
from server.jobs import Job
from server.quotas import size_of
from server.visitors import EXPORTS, own_dir

if TYPE_CHECKING:
    from likeness.exports import Written

_KEPT_S = 3600.0
_LOOK_S = 1.0  # between two looks at what an export takes on the disk
_TEXTS = (".csv", ".json", ".md", ".txt", ".yaml")  # files that become smaller when they are packed; pictures and vectors do not
_under_way: set[Path] = set()


@dataclass(frozen=True)
class Download:
    """A file for download; deleted after an hour, or when its visitor exports again."""

    file: Path
    size: int  # bytes
    note: str  # what else there is to say of it

    @property
    def url(self) -> str:
        """Its download address, valid for its visitor."""
        return address(f"/{EXPORTS}/{self.file.parent.name}")


@dataclass(frozen=True)
class Room:
    """Size limit of all exports in a visitor's `folder`."""

    folder: Path
    most_gb: float | None  # None: as much as there is room for

    def check(self, more: float = 0) -> None:
        """Raises InputError if this many more bytes exceed the limit."""
        if self.most_gb is not None and size_of(self.folder) + more > self.most_gb * 1e9:
            raise InputError(
                f"The export is larger than the {max(0.0, self.most_gb):.3g} GB that this server allows; export fewer images or use the command."
            )


def write_download(job: Job, room: Room, name: str, write: "Callable[[Path, Progress], Written]") -> Download:
    """Runs `write` and returns its output as one file, a folder as a ZIP; replaces the visitor's earlier exports.

    Raises:
        InputError: what `write` raises, or it takes more room than there is.
        Stopped: the job was asked to stop.
    """
    remove_ended(room.folder)
    own = room.folder / secrets.token_hex(16)
    _under_way.add(own)
    try:
        make_folder(own)
        written = write(own / name, _progress(job, room))
        file = _packed(job, own / name, room) if (own / name).is_dir() else own / name
        room.check()
        made = Download(file, file.stat().st_size, written.note.replace(str(own / name), name))
    except BaseException:
        shutil.rmtree(own, ignore_errors=True)
        raise
    finally:
        _under_way.discard(own)
    timer = threading.Timer(_KEPT_S, shutil.rmtree, (own,), {"ignore_errors": True})
    timer.daemon = True
    timer.start()
    return made


def remove_ended(folder: Path) -> None:
    """Removes a visitor's exports, except those being written."""
    for each in folder.glob("*"):
        if each not in _under_way:
            shutil.rmtree(each, ignore_errors=True)


def find(token: str) -> Path | None:
    """The visitor's file at an address; None if it does not exist or is not finished."""
    own = next((each for each in (own_dir() / EXPORTS).glob("*") if each.name == token and each not in _under_way), None)
    return next((file for file in own.iterdir() if file.is_file()), None) if own else None


def _progress(job: Job, room: Room) -> Progress:
    looked = 0.0

    def tell(done: int, total: int, stage: str = "") -> None:
        nonlocal looked
        job.report_or_stop(done, total)
        if time.monotonic() - looked > _LOOK_S:
            room.check()
            looked = time.monotonic()

    return tell


def _packed(job: Job, folder: Path, room: Room) -> Path:
    """Packs a folder, following links, into a ZIP file beside it; removes the folder."""
    archive = folder.with_name(f"{folder.name}.zip")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    room.check(sum(check_readable(file).stat().st_size for file in files))
    with zipfile.ZipFile(archive, "x") as packed:
        for number, file in enumerate(files):
            job.report_stage(number, len(files), "Packing files")
            # leaves out times and permissions of linked files
            entry = zipfile.ZipInfo(file.relative_to(folder.parent).as_posix(), time.localtime()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED if file.suffix in _TEXTS else zipfile.ZIP_STORED
            entry.external_attr = 0o644 << 16
            with file.open("rb") as content, packed.open(entry, "w", force_zip64=True) as target:
                shutil.copyfileobj(content, target, 1 << 20)
    job.stage = None
    shutil.rmtree(folder)
    return archive
