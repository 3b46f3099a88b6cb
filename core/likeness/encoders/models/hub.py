"""Loading weights that may have to be downloaded: from the local cache first, and with a quick answer where there is no network."""

import logging
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from likeness.errors import InputError
from likeness.io.paths import as_path

T = TypeVar("T")

_PROBE_SECONDS = 4.0
_TRUE = ("1", "ON", "YES", "TRUE")  # as huggingface_hub reads its switches
_one_at_a_time = threading.RLock()


def load_from_hub(name: str, load: Callable[[], T]) -> T:
    """Calls `load` without the network, and with it only if files are missing and the hub answers.

    Where HF_HUB_OFFLINE is set, nothing is downloaded, by whatever library.

    Left alone, huggingface_hub repeats each request six times: 46 s without network until "ViT-B-32/openai" fails.

    Raises:
        InputError: if files are missing, and downloads are off or the hub does not answer or does not have them.
    """
    try:
        with offline():
            return load()
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
        return load()
    except Exception as error:
        raise InputError(
            f"The weights of '{name}' cannot be loaded: {short(error)}; check the name, or use 'cars' or a copy on disk as 'local-dir:FOLDER'."
        ) from error


def load_from_folder(name: str, folder: Path, load: Callable[[], T]) -> T:
    """Calls `load` for a model on disk; the hub is asked only for parts that its configuration names there (a text tower, a tokenizer).

    Raises:
        InputError: if the folder is missing or holds no usable model.
    """
    folder = as_path(folder)
    if not folder.is_dir():
        raise InputError(f"The encoder '{name}' is not here: there is no folder '{folder}'; give the folder that holds the model.")
    try:
        with offline():
            return load()
    except Exception as error:  # damaged or foreign files raise whatever their parsers raise
        if misses_hub(error):
            return load_from_hub(name, load)
        raise InputError(f"The model in '{folder}' cannot be loaded: {short(error)}; save it again or choose another.") from error


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
def offline() -> Iterator[None]:
    """huggingface_hub's offline mode, which transformers and open_clip follow; the switch is global, hence the lock.

    Logging is off meanwhile: open_clip logs as an error what is only the first attempt, and our own error says it better.
    """
    from huggingface_hub import constants

    with _one_at_a_time:
        before, logged = constants.HF_HUB_OFFLINE, logging.root.manager.disable
        constants.HF_HUB_OFFLINE = True
        logging.disable(logging.ERROR)
        try:
            yield
        finally:
            constants.HF_HUB_OFFLINE = before
            logging.disable(logged)


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
