"""Loading weights that may have to be downloaded: from the local cache first, and with a quick answer where there is no network."""

import logging
import os
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import TypeVar

from likeness.encoders.models.config_keys import check_hub_id
from likeness.errors import InputError
from likeness.io import as_path

T = TypeVar("T")

_PROBE_SECONDS = 4.0
_TRUE = ("1", "ON", "YES", "TRUE")  # as huggingface_hub reads its switches
_one_at_a_time = threading.RLock()
_COPY = re.compile(r"[^\s'\"]*likeness-model-\w+")  # messages name the folder that was given, not its copy


def load_from_hub(name: str, load: Callable[[bool], T]) -> T:
    """Calls `load(local_files_only=True)`, and without that only if files are missing and the hub answers.

    Where HF_HUB_OFFLINE is set, nothing is downloaded, by whatever library.

    Left alone, huggingface_hub repeats each request six times: 46 s without network until "ViT-B-32/openai" fails.

    Raises:
        InputError: if files are missing, and downloads are off or the hub does not answer or does not have them.
    """
    try:
        return load(True)
    except InputError:  # it is here, and refused
        raise
    except Exception as error:  # the libraries answer a missing file with any of a dozen types
        cause = error
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE:
        raise InputError(
            f"The weights of '{name}' are not on this machine, and downloads are switched off (HF_HUB_OFFLINE); use 'cars', or have them put here."
        ) from cause
    if not hub_answers():
        raise InputError(
            f"The weights of '{name}' cannot be downloaded: they are not on this machine and {_endpoint()} cannot be reached; "
            f"connect to the network, or use 'cars' or a copy on disk as 'local-dir:FOLDER'."
        ) from cause
    try:
        return load(False)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"The weights of '{name}' cannot be loaded: {short(error)}; check the name, or use 'cars' or a copy on disk as 'local-dir:FOLDER'."
        ) from error


def load_from_folder(name: str, folder: Path, load: Callable[[bool], T]) -> T:
    """Calls `load(local_files_only=True)` for a model on disk; the hub is asked only for parts that its configuration names there.

    Such parts are a text tower or a tokenizer.

    Raises:
        InputError: if the folder is missing or holds no usable model.
    """
    folder = as_path(folder)
    if not folder.is_dir():
        raise InputError(f"The encoder '{name}' is not here: there is no folder '{folder}'; give the folder that holds the model.")
    for file in folder.iterdir():
        as_path(file)  # a link in it may lead out of what may be read
    try:
        return load(True)
    except InputError as error:
        remedy = "" if ";" in str(error) else "; save it again or choose another."
        raise InputError(f"The model in '{folder}' cannot be loaded: {str(error).rstrip('.') if remedy else error}{remedy}") from error
    except Exception as error:  # damaged or foreign files raise whatever their parsers raise
        if misses_hub(error):
            return load_from_hub(name, load)
        said = _COPY.sub(str(folder), short(error))
        raise InputError(f"The model in '{folder}' cannot be loaded: {said}; save it again or choose another.") from error


def hub_folder(hub_id: str, files: tuple[str, ...], weights: tuple[tuple[str, ...], ...], local_files_only: bool) -> Path:
    """The folder of the hub's cache that holds a model's files; the hub is asked where it may be.

    Args:
        hub_id: "ORG/NAME", or "ORG/NAME@REVISION".
        files: patterns of what is wanted where the model has it.
        weights: groups of patterns of weights; those of the first group that the model has are fetched.
        local_files_only: only what is here already.

    Raises:
        InputError: no id of the hub.
        huggingface_hub.errors.LocalEntryNotFoundError: it is not here.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    name, _, revision = hub_id.partition("@")
    check_hub_id(name, "The model's name")
    if local_files_only:
        folder = Path(snapshot_download(name, revision=revision or None, local_files_only=True))
        if weights and not _first_group(weights, [file.name for file in folder.iterdir()]):
            raise LocalEntryNotFoundError(f"the weights of {name} are not here")
        return folder
    listed = [file.rfilename for file in HfApi().model_info(name, revision=revision or None).siblings or []]
    wanted = [*files, *_first_group(weights, listed)]
    return Path(snapshot_download(name, revision=revision or None, allow_patterns=wanted))


def _first_group(groups: tuple[tuple[str, ...], ...], names: list[str]) -> tuple[str, ...]:
    return next((group for group in groups if any(fnmatch(name, group[0]) for name in names)), ())


def hub_answers() -> bool:
    """Whether the hub can be reached within a few seconds; false in huggingface_hub's offline mode."""
    from huggingface_hub import is_offline_mode

    if is_offline_mode():
        return False
    try:
        with urllib.request.urlopen(urllib.request.Request(_endpoint(), method="HEAD"), timeout=_PROBE_SECONDS):
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co")


@contextmanager
def hub_switch(local_files_only: bool) -> Iterator[None]:
    """Keeps open_clip and timm off the network if `local_files_only`; what takes that argument itself, as transformers does, needs no switch.

    open_clip 3.3 and timm 1.0.31 hand no such argument on to `hf_hub_download`, so that huggingface_hub's own switch is what remains; it is
    global, hence the lock. What open_clip logs as an error is only the first attempt, and our own error says it better.
    """
    if not local_files_only:
        yield
        return
    from huggingface_hub import constants

    here, root = threading.get_ident(), logging.getLogger()

    def elsewhere(record: logging.LogRecord) -> bool:
        return record.thread != here

    with _one_at_a_time:
        before, constants.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE, True
        root.addFilter(elsewhere)  # open_clip writes to the root logger itself
        try:
            yield
        finally:
            constants.HF_HUB_OFFLINE = before
            root.removeFilter(elsewhere)


def misses_hub(error: BaseException | None) -> bool:
    """Whether an error arose because something has to be fetched from the hub."""
    while error is not None:
        if type(error).__module__.startswith("huggingface_hub"):
            return True
        error = error.__cause__ or error.__context__
    return False


def short(error: BaseException) -> str:
    """At most 200 characters of an error, on one line: torch lists every parameter that does not fit."""
    return " ".join(str(error).split())[:200].rstrip(".: ")
