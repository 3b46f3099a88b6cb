"""Downloads from the hub into its own cache: resumed after interruptions, and checked by hash.

huggingface_hub 2.4 discards interrupted downloads, compares sizes but not hashes, and can only be stopped with its process. Here content is fetched
and checked; huggingface_hub then finds it in its cache and creates the links.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from likeness.encoders.models.hub_files import HubFiles, hub_name, missing_files, repository_storage
from likeness.errors import InputError
from likeness.io import DOWNLOAD_SILENCE, RemoteFile, check_room, download_problem, explained, fetch_files, free_bytes, progress_or_bar, status_of
from likeness.progress import Progress, Stopped

_PASSES = 4  # a configuration may refer to the next repository
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SETTING = "HF_HOME"


@dataclass(frozen=True)
class _HubFile(RemoteFile):
    """A file of the hub. Its hash, which is its name in the cache, is SHA-256 for large files and git's for small ones."""

    repository: str
    revision: str
    file: str


def download(
    name: str, wanted: Callable[[], Sequence[HubFiles]], progress: Progress | None = None, should_stop: Callable[[], bool] | None = None
) -> bool:
    """Fetches files that are not in the hub's cache, and returns whether all are there; arguments and errors as `likeness.encoders.download_encoder`.
    Partial downloads are kept and resumed. `wanted` returns the files that the model needs, as far as known; it is called again when these are
    complete, since a configuration may refer to more.
    """
    stops = should_stop or (lambda: False)
    for _ in range(_PASSES):
        missing = missing_files(wanted())
        if not missing:
            break
        files: list[_HubFile] = []
        with explained(name, files, _problem):
            for each in missing:
                files += _listed(name, each)
            check_room(name, files, free_space()[0], _SETTING)
            with progress_or_bar(name, progress) as report:
                try:
                    fetch_files(files, report, stops)
                    _link(files)
                except (Stopped, InputError):
                    if stops():
                        return False
                    raise
    return True


def free_space() -> tuple[Path, int]:
    """The folder of the hub's cache, and the free bytes on its disk."""
    from huggingface_hub.constants import HF_HUB_CACHE

    folder = Path(HF_HUB_CACHE)
    return folder, free_bytes(folder)


def _listed(name: str, wanted: HubFiles) -> list[_HubFile]:
    """The wanted files of a repository, from the hub."""
    from huggingface_hub import HfApi, constants

    info = HfApi(endpoint=constants.ENDPOINT).model_info(wanted.repository, revision=wanted.revision, files_metadata=True, timeout=DOWNLOAD_SILENCE)
    siblings = {each.rfilename: each for each in info.siblings or []}
    chosen = wanted.chosen(siblings)
    if not chosen:
        raise InputError(f"The hub has a repository '{wanted.repository}' for '{name}', but without {wanted.one_of[0][0]}; check the name.")
    files = []
    for each in (siblings[file] for file in chosen):
        hashed = each.lfs.sha256 if each.lfs else each.blob_id or ""
        if not _HASH.fullmatch(hashed) or each.size is None or not info.sha:
            raise InputError(f"The hub has no hash of '{each.rfilename}' of '{wanted.repository}', so it cannot be checked; try again later.")
        place = repository_storage(wanted.repository) / "blobs" / hashed
        stream = partial(_stream, wanted.repository, each.rfilename, info.sha)
        title = f"'{each.rfilename}' of '{wanted.repository}'"
        files.append(_HubFile(title, place, each.size, hashed, stream, wanted.repository, wanted.revision, each.rfilename))
    return files


def _link(files: Sequence[_HubFile]) -> None:
    """Lets the hub's library link the files, all at the end, so that a repository is in the cache completely or not at all."""
    from huggingface_hub import constants, hf_hub_download

    for file in files:
        hf_hub_download(file.repository, file.file, revision=file.revision, endpoint=constants.ENDPOINT)


@contextmanager
def _stream(repository: str, file: str, commit: str, begin: int) -> Iterator[Any]:
    """The hub's response for a file, from byte `begin` on."""
    from huggingface_hub import constants, get_session, hf_hub_url
    from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

    url = hf_hub_url(repository, file, revision=commit, endpoint=constants.ENDPOINT)
    headers = build_hf_headers() | {"Accept-Encoding": "identity"} | ({"Range": f"bytes={begin}-"} if begin else {})
    with get_session().stream("GET", url, headers=headers, timeout=DOWNLOAD_SILENCE) as response:
        if response.is_error:
            response.read()
        hf_raise_for_status(response)
        yield response


def _problem(error: Exception) -> tuple[str, str] | None:
    """What happened, and what to do; None for a bug."""
    from huggingface_hub import constants
    from huggingface_hub.errors import GatedRepoError

    hub, status = hub_name(), status_of(error)
    if isinstance(error, GatedRepoError) or status in (401, 403):
        return (
            f"{hub} refuses it ({status})",
            "Either there is no such model, or it is open only to those who accept its license: "
            "check the name, accept the license on the model's page, sign in with `hf auth login`, and try again.",
        )
    if status == 404:
        return f"{hub} does not have it (404)", "Check the name, and try again."
    if status == 429:
        wait = str(getattr(getattr(error, "response", None), "headers", {}).get("Retry-After", ""))
        when = f"in {wait} s" if wait.isdecimal() else "in some minutes"
        return f"{hub} has had too many requests from here (429)", f"Try again {when}, or sign in with `hf auth login`, which allows more."
    return download_problem(error, hub, constants.HF_HUB_CACHE, _SETTING)
