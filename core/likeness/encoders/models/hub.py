"""Loads weights that may need a download: first from the local cache, and with a fast error without network."""

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from likeness.encoders.models.download import download
from likeness.encoders.models.hub_files import HubFiles, hub_name, missing_files, missing_text
from likeness.errors import InputError
from likeness.io import TransientError, as_path, cause_of, lacks_memory, reason_of, server_answers
from likeness.progress import Progress

T = TypeVar("T")
Wanted = Callable[[], Sequence[HubFiles]]

_TRUE = ("1", "ON", "YES", "TRUE")  # parsed as huggingface_hub parses its switches
_SHOWN = 200  # characters of an error: torch lists every parameter that does not fit
_one_at_a_time = threading.RLock()
_COPY = re.compile(r"[^\s'\"]*likeness-model-\w+")  # messages should refer to the given folder, not to its copy


def load_from_hub(name: str, load: Callable[[], T], wanted: Wanted) -> T:
    """Calls `load` for a model on this machine, after a download of the files that are `wanted` from the hub and missing. None are wanted if the
    weights are elsewhere, from where `load` gets them. InputError: missing files, and downloads are off, or the hub is unreachable or does not have
    them.
    """
    if missing_files(wanted()):
        fetch_from_hub(name, wanted)
    try:
        return load()
    except InputError:  # the files are there, but were rejected
        raise
    except Exception as error:  # libraries raise a dozen types for damaged weights
        if lacks_memory(error):
            raise TransientError(f"'{name}'", error) from error
        if not wanted():
            fetch_from_hub(name, wanted, cause=error)
        raise InputError(
            f"The weights of '{name}' cannot be loaded: {reason_of(error, _SHOWN)}; remove them from the cache and download them again."
        ) from cause_of(error)


def fetch_from_hub(
    name: str,
    wanted: Wanted,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    cause: BaseException | None = None,
) -> bool:
    """Downloads missing files, as `download`, with a fast InputError if downloads are off or there is no network: by default huggingface_hub repeats
    each request six times, 46 s until "ViT-B-32/openai" fails.
    """
    missing = missing_files(wanted())
    here = missing_text(missing) if missing else "its weights are not on this machine"
    place = "that folder" if len({files.storage for files in missing}) == 1 else "these folders" if missing else "its files"
    copy = f"or use it once on another machine that has a network and copy {place} from there to the same place here; then try again."
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE:
        raise InputError(f"'{name}' cannot be loaded: {here}, and downloads are switched off (HF_HUB_OFFLINE). Switch them on, {copy}") from cause
    if not hub_answers():
        raise InputError(f"'{name}' cannot be downloaded: {here}, and {hub_name()} cannot be reached. Connect to the network, {copy}") from cause
    return download(name, wanted, progress, should_stop)


def load_from_folder(name: str, folder: Path, load: Callable[[], T], wanted: Wanted = tuple) -> T:
    """Calls `load` for a model on disk; only parts that its configuration refers to on the hub (a text tower's configuration) are `wanted` from
    there. InputError: a missing folder, or one without a usable model.
    """
    from huggingface_hub.errors import LocalEntryNotFoundError

    folder = as_path(folder)
    if not folder.is_dir():
        raise InputError(f"The encoder '{name}' was not found: there is no folder '{folder}'; pass the folder that holds the model.")
    for file in folder.iterdir():
        as_path(file)  # a link in it may lead out of the allowed folders
    try:
        return load()
    except InputError as error:
        remedy = "" if ";" in str(error) else "; save it again or choose another."
        raise InputError(f"The model in '{folder}' cannot be loaded: {str(error).rstrip('.') if remedy else error}{remedy}") from error
    except LocalEntryNotFoundError:
        return load_from_hub(name, load, wanted)
    except Exception as error:  # parsers of damaged or foreign files can raise anything
        if lacks_memory(error):
            raise TransientError(f"The model in '{folder}'", error) from error
        reason = _COPY.sub(str(folder), reason_of(error, _SHOWN))
        raise InputError(f"The model in '{folder}' cannot be loaded: {reason}; save it again or choose another.") from cause_of(error)


def hub_answers() -> bool:
    """Whether the hub is reachable within a few seconds; False in huggingface_hub's offline mode."""
    from huggingface_hub import is_offline_mode

    if is_offline_mode():
        return False
    return server_answers(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))


@contextmanager
def hub_offline() -> Iterator[None]:
    """Keeps open_clip and timm off the hub. Unlike transformers, open_clip 3.3 and timm 1.0.31 do not pass `local_files_only` to `hf_hub_download`,
    so this sets huggingface_hub's switch, which is global and needs a lock.
    """
    from huggingface_hub import constants

    with _one_at_a_time:
        before, constants.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE, True
        try:
            yield
        finally:
            constants.HF_HUB_OFFLINE = before
