"""Folders of shards: local, on the network, or behind a URL."""

import time
from pathlib import Path
from typing import Any

from likeness.data import as_os_error, file_system, is_url
from likeness.io import write_atomic

SUFFIX = ".npz"
_LEFTOVER = ".*.partial"


class LocalFolder:
    """A folder of atomically written files at a local path. `names` are those of shards, sorted; `read` returns None for a missing file; `write`
    raises OSError; `remove` ignores missing files; `remove_leftovers` deletes temporary files of killed processes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def names(self) -> list[str]:
        return sorted(file.name for file in self.path.glob(f"*{SUFFIX}") if file.is_file()) if self.path.is_dir() else []

    def read(self, name: str) -> bytes | None:
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        write_atomic(self.path / name, content)

    def remove(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)

    def remove_leftovers(self, older_than_seconds: float) -> None:
        for path in self.path.glob(_LEFTOVER) if self.path.is_dir() else ():
            try:
                if time.time() - path.stat().st_mtime > older_than_seconds:
                    path.unlink()
            except FileNotFoundError:
                continue


class RemoteFolder:
    """The same behind a URL; objects appear there completely, after their upload."""

    def __init__(self, files: Any, place: str, url: str) -> None:
        self._files, self._place, self._url = files, place.rstrip("/"), url

    def __str__(self) -> str:
        return self._url

    def names(self) -> list[str]:
        self._files.invalidate_cache()  # workers elsewhere write too
        try:
            found = self._files.ls(self._place, detail=False)
        except FileNotFoundError:
            return []
        except Exception as error:  # every file system raises its own kinds
            raise as_os_error(error) from error
        return sorted(name for path in found if (name := str(path).rsplit("/", 1)[-1]).endswith(SUFFIX))

    def read(self, name: str) -> bytes | None:
        try:
            return bytes(self._files.cat_file(f"{self._place}/{name}"))
        except FileNotFoundError:
            return None
        except Exception as error:  # every file system raises its own kinds
            raise as_os_error(error) from error

    def write(self, name: str, content: bytes) -> None:
        try:
            self._files.pipe_file(f"{self._place}/{name}", content)
        except Exception as error:  # every file system raises its own kinds
            raise as_os_error(error) from error

    def remove(self, name: str) -> None:
        if self.read(name) is not None:
            self._files.rm_file(f"{self._place}/{name}")

    def remove_leftovers(self, older_than_seconds: float) -> None:
        """Nothing to remove: incomplete uploads leave no objects."""


ShardFolder = LocalFolder | RemoteFolder


def shard_folder(place: Path | str) -> ShardFolder:
    """The folder at a path or URL; "file://" is a path. InputError: a URL of an unknown protocol, or whose package is missing."""
    if isinstance(place, Path) or not is_url(place):
        return LocalFolder(Path(place))
    files, inside = file_system(place)
    return LocalFolder(Path(inside)) if files.protocol in ("file", ("file", "local")) else RemoteFolder(files, inside, place)
