"""Datasets that are downloaded on first use: one archive, verified by hash and unpacked in the cache."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.io import (
    DOWNLOAD_SILENCE,
    RemoteFile,
    cache_dir,
    check_room,
    compute_once_locked,
    download_problem,
    explained,
    fetch_files,
    file_hash,
    make_folder,
    progress_or_bar,
    server_answers,
    size_text,
)
from likeness.progress import Progress, Stopped

_SETTING = "LIKENESS_CACHE"
_TRUE = ("1", "ON", "YES", "TRUE")  # as huggingface_hub reads its switches
_DONE = ".unpacked"


@dataclass(frozen=True)
class WebArchive:
    """An archive on the web.

    Attributes:
        name: name of the dataset and of its folder in the cache.
        url: of the archive.
        page: page to read about it and download it by hand.
        size, sha256: of the archive, in bytes.
        license: of the images.
        unpack: (archive, folder) -> None; writes the images into the folder, and nothing outside of it, whatever the archive holds.
    """

    name: str
    url: str
    page: str
    size: int
    sha256: str
    license: str
    unpack: Callable[[Path, Path], None]

    @property
    def folder(self) -> Path:
        """Folder of the downloaded images."""
        return cache_dir() / "downloads" / self.name

    @property
    def archive(self) -> Path:
        """Path of the archive until it is unpacked; it may be put there by hand."""
        return self.folder.with_name(self.url.rsplit("/", 1)[-1])

    @property
    def is_here(self) -> bool:
        """True if the images were downloaded and unpacked."""
        return (self.folder / _DONE).is_file()

    @property
    def facts(self) -> str:
        """`caltech-101.zip (137 MB, CC BY 4.0) from https://...`."""
        return f"{self.archive.name} ({size_text(self.size)}, {self.license}) from {self.page}"

    def fetch(self, progress: Progress | None = None, should_stop: Callable[[], bool] | None = None) -> bool:
        """Downloads and unpacks the images if needed; partial downloads survive a stop or an error. Returns True when complete, False after a stop.

        Args:
            progress: called with downloaded and total bytes; by default a bar on stderr.
            should_stop: called at least every ten seconds.

        Raises:
            InputError: downloads are disabled, the server does not answer, refuses or disconnects, the hash differs, or the disk is full.
        """
        stops = should_stop or (lambda: False)
        if self.is_here:
            return True
        try:
            with explained(self.name, [self._file], self._problem):
                if self.archive.is_file():
                    if file_hash(self.archive, self.sha256) != self.sha256:
                        raise InputError(f"'{self.archive}' is not {self.facts} (its hash differs); delete it and try again.")
                else:
                    self._check_network()
                    check_room(self.name, [self._file], self.folder, _SETTING)
                    with progress_or_bar(self.name, progress) as report:
                        fetch_files([self._file], report, stops)
                self._unpack_once(stops)
        except (Stopped, InputError):
            if stops():
                return False
            raise
        return True

    @property
    def _file(self) -> RemoteFile:
        return RemoteFile(f"'{self.archive.name}' of '{self.name}'", self.archive, self.size, self.sha256, self._stream)

    @contextmanager
    def _stream(self, begin: int) -> Iterator[Any]:
        import httpx2

        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={begin}-"} if begin else {})
        with httpx2.stream("GET", self.url, headers=headers, timeout=DOWNLOAD_SILENCE, follow_redirects=True) as response:
            response.raise_for_status()
            yield response

    def _check_network(self) -> None:
        if os.environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE:
            raise InputError(f"'{self.name}' is not on this machine, and downloads are disabled (HF_HUB_OFFLINE). {self._by_hand}")
        if not server_answers(self.url):
            raise InputError(f"'{self.name}' is not on this machine, and its server cannot be reached. {self._by_hand}")

    @property
    def _by_hand(self) -> str:
        return f"Connect to the network and try again, or put {self.facts} into {self.archive.parent}."

    def _problem(self, error: Exception) -> tuple[str, str] | None:
        found = download_problem(error, self.url, self.archive.parent, _SETTING)
        return found and (found[0], f"{found[1]} Or put {self.facts} into {self.archive.parent}.")

    def _unpack_once(self, stops: Callable[[], bool]) -> None:
        """Unpacks atomically: a folder without its marker file was left by an interrupted process."""
        with compute_once_locked(self.folder / _DONE, stops) as is_missing:
            if not is_missing:
                return
            staging = self.folder.with_name(f"{self.name}.incomplete")
            shutil.rmtree(staging, ignore_errors=True)
            shutil.rmtree(self.folder, ignore_errors=True)
            make_folder(staging)
            try:
                self.unpack(self.archive, staging)
                (staging / _DONE).touch()
                staging.replace(self.folder)
            except BaseException:
                shutil.rmtree(staging, ignore_errors=True)
                raise
            self.archive.unlink(missing_ok=True)
