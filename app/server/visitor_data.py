"""The data that a shared server stores for each visitor, and its removal: on request, and by hourly cleanup."""

import json
import logging
import shutil
import time
import zipfile
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from likeness.data import DatasetEntry, list_datasets, remove_dataset
from likeness.encoders import stored_of
from likeness.errors import InputError
from likeness.io import cache_dir
from server import hand_labels
from server.access import redact
from server.audit import record
from server.backup import kept_files, whole
from server.quotas import size_of
from server.settings import UPLOADS, server
from server.visitors import DRAFTS, EMBEDDINGS, EXPORTS, LABELS, QUERY_PREFIX, SPLITS, own_dir, visitors_dir

SEEN = "seen"  # a file that is touched at each visit
_REMOVED = ".removed-"
_EVERY_SECONDS = 3600.0
# Of the cache: what is computed again where it is missing.
_COMPUTED = ("maps", "label_distances", "outputs", "pixels", "grids", "texts", "thresholds")


def all_visitors() -> list[dict[str, object]]:
    """For every visitor, the latest first: id (it begins with the account's name), day of the last visit, and size of their data."""
    owned = [entry.owner for entry in list_datasets()]
    found: list[dict[str, object]] = []
    for folder in sorted(_folders(), key=last_seen, reverse=True):
        day = datetime.fromtimestamp(last_seen(folder), UTC).strftime("%Y-%m-%d")
        counts = {part: sum(1 for _ in (folder / part).glob("[!.]*")) for part in (DRAFTS, "notions", SPLITS, "views")}
        about = {"id": folder.name, "seen": day, "datasets": owned.count(folder.name), **counts}
        found.append({**about, "megabytes": round(size_of(folder) / 1e6, 1)})
    return found


def remove_visitor(id: str, by: str) -> None:
    """Deletes all data of a visitor: pictures, vectors, labels, drafts, notions, splits, views, and their datasets from the list. Raises InputError:
    there is no such visitor, or their files cannot be removed."""
    _check(id)
    for entry in list_datasets():
        if entry.owner == id:
            remove_dataset(entry.id)
    _remove(visitors_dir() / id)
    record("visitor removed", by, id)


def remove_upload(entry: DatasetEntry, by: str) -> None:
    """Removes a visitor's dataset from the list, and its pictures, vectors and labels unless another of their datasets shows the same pictures.
    Raises InputError: its files cannot be removed."""
    remove_dataset(entry.id)
    shared = any(other.owner == entry.owner and other.source == entry.source for other in list_datasets())
    first, _, name = entry.source.partition("/")
    if entry.owner and first == UPLOADS and name and not shared:
        own = visitors_dir() / entry.owner
        for folder in (stored_of(own / UPLOADS / name, own / EMBEDDINGS), own / UPLOADS / name, own / LABELS / entry.id):
            _remove(folder)
        hand_labels.remove(entry)
    record("dataset removed", by, entry.name)


def export_visitor(id: str, file: Path) -> None:
    """Writes all data of a visitor and the names of their datasets into a ZIP file. Raises InputError: there is no such visitor, or the file is there
    already or cannot be written."""
    _check(id)
    entries = [asdict(entry) for entry in list_datasets() if entry.owner == id]
    folder = visitors_dir() / id
    try:
        with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("datasets.json", json.dumps(entries, indent=1))
            for path in kept_files(folder):
                with whole(path) as copy:
                    archive.write(copy, path.relative_to(folder).as_posix())
    except OSError as error:
        raise InputError(f"'{file}' cannot be written ({error.strerror or error}); choose another file.") from error


def remove_old(days: float) -> list[str]:
    """Deletes the data of visitors who have not come for this many days; returns their ids."""
    gone = [folder.name for folder in _folders() if time.time() - last_seen(folder) > days * 86_400]
    for id in gone:
        remove_visitor(id, "keep_days")
    return gone


def remove_leftovers(hours: float = 24) -> None:
    """Deletes uploads without a dataset after this many hours, vectors without a dataset, files for download, and remains of interrupted removals."""
    entries = [entry for entry in list_datasets() if entry.owner]
    kept = {visitors_dir() / entry.owner / entry.source for entry in entries}
    kept |= {stored_of(upload, upload.parents[1] / EMBEDDINGS) for upload in kept}
    for folder in _folders(hidden=True):
        if folder.name.startswith(_REMOVED):
            shutil.rmtree(folder, ignore_errors=True)
            continue
        for part in (UPLOADS, EMBEDDINGS, EXPORTS):
            for each in (folder / part).glob("*"):
                is_query = part == UPLOADS and each.name.startswith(QUERY_PREFIX)  # kept until newer ones take its room, or its owner stays away
                if not is_query and each not in kept and time.time() - each.stat().st_mtime > hours * 3600:
                    shutil.rmtree(each, ignore_errors=True)


def keep_house() -> None:
    """Runs the cleanup once an hour, forever."""
    while True:
        try:
            clear_away()
        except (OSError, InputError) as error:
            logging.getLogger(__name__).warning("Some files could not be deleted: %s", redact(error))
        time.sleep(_EVERY_SECONDS)


def clear_away() -> None:
    """Deletes abandoned files, data of visitors who have not come back, and the least recently used computed files."""
    settings = server()
    if settings.keep_days is not None:
        remove_old(settings.keep_days)
    remove_leftovers()
    used: list[tuple[float, int, Path]] = []
    for file in (file for part in _COMPUTED for file in (cache_dir() / part).rglob("*") if file.is_file()):
        with suppress(FileNotFoundError):  # removed meanwhile
            stat = file.stat()
            used.append((max(stat.st_atime, stat.st_mtime), stat.st_size, file))
    total = 0
    for _, size, file in sorted(used, reverse=True):
        total += size
        if total > settings.max_cache_gb * 1e9:
            file.unlink(missing_ok=True)


def last_seen(folder: Path) -> float:
    """Time of a visitor's last visit, in seconds since 1970."""
    return (folder / SEEN if (folder / SEEN).is_file() else folder).stat().st_mtime


def note_visit() -> None:
    """Records the visit on a shared server, if the visitor has data."""
    if server().shared and own_dir().is_dir():
        with suppress(OSError):  # a full disk keeps nobody out
            (own_dir() / SEEN).touch()


def _folders(hidden: bool = False) -> list[Path]:
    found = [folder for folder in visitors_dir().glob("*") if folder.is_dir() and not folder.is_symlink()]
    return [folder for folder in found if hidden or not folder.name.startswith(".")]


def _check(id: str) -> None:
    if id not in {folder.name for folder in _folders()}:
        raise InputError(f"There is no visitor '{id}'; run `likeness admin list` to see all.")


def _remove(folder: Path) -> None:
    """Renames the folder first, so that it is gone at once for everyone else."""
    if not folder.is_dir():
        return
    gone = folder.with_name(f"{_REMOVED}{folder.name}-{time.time_ns()}")
    try:
        folder.rename(gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise InputError(
            f"'{folder.name}' could not be removed completely ({error.strerror or error}); fix the file permissions and try again."
        ) from error
