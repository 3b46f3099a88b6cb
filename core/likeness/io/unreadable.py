"""What is raised where something cannot be read: now, for a fault of the machine, so that it is tried again; or until the file changes.

Faults of the machine at this moment are too little memory, too many open files, a failing disk or network.
"""

import errno
import mmap
import os
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from likeness.errors import InputError
from likeness.io.text import plain_name

_NAMES = "ENOMEM EMFILE ENFILE EIO EAGAIN EINTR EBUSY ESTALE EREMOTEIO ETIMEDOUT ECONNRESET ECONNREFUSED ECONNABORTED EHOSTUNREACH ENETUNREACH EPIPE"
_NUMBERS = frozenset(getattr(errno, name) for name in _NAMES.split() if hasattr(errno, name))
_NO_MEMORY = re.compile(r"(cannot|can't|unable to) allocate|failed to map segment|can't start new thread|bad_alloc|out of memory", re.IGNORECASE)
# Room that the decoder of a large image may need; codecs answer a lack of it in the words that they have for damaged content.
_DECODING_BYTES = 1 << 31
# Options of libraries that let a file run code, which their errors tell people to set.
_TRUSTING = ("weights_only", "allow_pickle", "add_safe_globals", "trust_remote_code")


class TransientError(InputError):
    """What cannot be read now and may be later; never remembered. `reason` leaves out the name."""

    def __init__(self, what: str, error: BaseException) -> None:
        self.reason = transient_reason(error)
        super().__init__(f"{what} cannot be read now: {self.reason}; try again when the machine is less busy.")


def lacks_memory(error: BaseException | None) -> bool:
    """Whether an error says that memory is lacking, in whatever words and of whatever kind: libraries that are loaded or begin a thread have their
    own.
    """
    for each in _chain(error):
        said = isinstance(each, ImportError | RuntimeError | SystemError) and _NO_MEMORY.search(str(each))
        if said or isinstance(each, MemoryError) or getattr(each, "errno", None) == errno.ENOMEM:
            return True
    return False


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it, each once: a library may raise one from itself."""
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def is_transient(error: BaseException) -> bool:
    """Whether an error speaks of the machine at this moment, and not of what was read."""
    return lacks_memory(error) or isinstance(error, TimeoutError) or (isinstance(error, OSError) and error.errno in _NUMBERS)


def transient_reason(error: BaseException) -> str:
    """Why something cannot be had now, in a few words."""
    number = getattr(error, "errno", None)
    if lacks_memory(error):
        return "there is not enough memory now"
    return os.strerror(number).lower() if number else "it took too long" if isinstance(error, TimeoutError) else " ".join(str(error).split())[:100]


def reason_of(error: BaseException, longest: int = 100) -> str:
    """Why a library cannot read a file, on one line of at most so many letters; not the advice of torch, NumPy and transformers to read it so that it
    may run code.
    """
    if _advises_trust(error):
        return "it is damaged, or would have to run code, which is never done"
    line = " ".join(str(error).split()) or type(error).__name__
    return (line if len(line) <= longest else f"{line[:longest]}…").rstrip(".: ")


def cause_of(error: BaseException) -> BaseException | None:
    """What an error of ours has for its cause: none where the library's would show such advice in a traceback."""
    return None if _advises_trust(error) else error


def _advises_trust(error: BaseException | None) -> bool:
    return any(word in str(each) for each in _chain(error) for word in _TRUSTING)


def check_memory() -> None:
    """Raises MemoryError where two more gigabytes cannot be had at this moment; nothing is written there, so it takes microseconds."""
    try:
        mmap.mmap(-1, _DECODING_BYTES).close()
    except OSError as error:
        raise MemoryError from error


class UnreadableImageError(InputError):
    """An image whose content cannot be read, now or later, until the file changes; `reason` leaves out the name."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The image '{name}' cannot be read: {reason}; replace it or leave it out.")
        self.reason = reason


class RefusedImageError(UnreadableImageError):
    """An image that the process that decodes foreign images refuses; `reason` says why, and what to do."""

    def __init__(self, name: str, reason: str) -> None:
        InputError.__init__(self, f"The image '{plain_name(name)}' {reason}")
        self.reason = reason


class MissingPackageError(TransientError):
    """A file of a format whose package is not installed: it is tried again once it is."""

    def __init__(self, name: str, package: str, extra: str) -> None:
        self.reason = f"needs the package {package}; install it with `pip install 'likeness[{extra}]'`."
        self.package, self.extra = package, extra
        InputError.__init__(self, f"The image '{plain_name(name)}' {self.reason}")


def needed(module: str, package: str, extra: str, name: str) -> Any:
    """A module that is imported where a file needs it; raises MissingPackageError with the file's name where its package is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(name, package, extra) from error
