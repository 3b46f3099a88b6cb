"""Loading weights that may have to be downloaded: from the local cache first, and with a quick answer where there is no network."""

import logging
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

_TRUE = ("1", "ON", "YES", "TRUE")  # as huggingface_hub reads its switches
_SHOWN = 200  # letters of an error: torch lists every parameter that does not fit
_one_at_a_time = threading.RLock()
_COPY = re.compile(r"[^\s'\"]*likeness-model-\w+")  # messages name the folder that was given, not its copy


def load_from_hub(name: str, load: Callable[[bool], T], wanted: Wanted) -> T:
    """Calls `load(local_files_only=True)`, after a download only if files are missing and the hub answers. Where HF_HUB_OFFLINE is set, nothing is
    downloaded, by whatever library. `load` is called with False only where nothing is `wanted` of the hub, since the weights lie elsewhere. Raises
    InputError where files are missing, and downloads are off, or the hub does not answer or does not have them.
    """
    try:
        return load(True)
    except InputError:  # it is here, and refused
        raise
    except Exception as error:  # the libraries answer a missing file with any of a dozen types
        if lacks_memory(error):
            raise TransientError(f"'{name}'", error) from error
        cause = error
    if missing_files(wanted()) or not wanted():
        fetch_from_hub(name, wanted, cause=cause)
        try:
            return load(bool(wanted()))
        except InputError:
            raise
        except Exception as error:
            cause = error
    raise InputError(
        f"The weights of '{name}' cannot be loaded: {reason_of(cause, _SHOWN)}; remove them from the cache and download them again."
    ) from cause_of(cause)


def fetch_from_hub(
    name: str,
    wanted: Wanted,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    cause: BaseException | None = None,
) -> bool:
    """Downloads what is not in the hub's cache, as `download`; with a quick InputError where downloads are off or there is no network. Left alone,
    huggingface_hub repeats each request six times: 46 s without network until "ViT-B-32/openai" fails.
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
    """Calls `load` for a model on disk; the hub is asked only for parts that its configuration names there (that of a text tower), which are
    `wanted`. Raises InputError where the folder is missing or holds no usable model.
    """
    folder = as_path(folder)
    if not folder.is_dir():
        raise InputError(f"The encoder '{name}' is not here: there is no folder '{folder}'; give the folder that holds the model.")
    for file in folder.iterdir():
        as_path(file)  # a link in it may lead out of what may be read
    try:
        return load()
    except InputError as error:
        remedy = "" if ";" in str(error) else "; save it again or choose another."
        raise InputError(f"The model in '{folder}' cannot be loaded: {str(error).rstrip('.') if remedy else error}{remedy}") from error
    except Exception as error:  # damaged or foreign files raise whatever their parsers raise
        if lacks_memory(error):
            raise TransientError(f"The model in '{folder}'", error) from error
        if misses_hub(error):
            return load_from_hub(name, lambda local: load(), wanted)
        said = _COPY.sub(str(folder), reason_of(error, _SHOWN))
        raise InputError(f"The model in '{folder}' cannot be loaded: {said}; save it again or choose another.") from cause_of(error)


def hub_answers() -> bool:
    """Whether the hub can be reached within a few seconds; false in huggingface_hub's offline mode."""
    from huggingface_hub import is_offline_mode

    if is_offline_mode():
        return False
    return server_answers(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))


@contextmanager
def hub_switch(local_files_only: bool) -> Iterator[None]:
    """Keeps open_clip and timm off the network if `local_files_only`. open_clip 3.3 and timm 1.0.31 hand no such argument on to `hf_hub_download`,
    as transformers does, so that huggingface_hub's own switch remains; it is global, hence the lock. What open_clip logs as an error is only the
    first attempt, and our own error says it better.
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
