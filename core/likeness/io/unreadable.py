"""Errors of unreadable files: transient faults of the machine, worth a retry, and permanent ones, until the file changes.

Transient faults are too little memory, too many open files, a failing disk or network.
"""

import errno
import mmap
import os
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from likeness.errors import InputError
from likeness.io.text import one_line, plain_name

_NAMES = "ENOMEM EMFILE ENFILE EIO EAGAIN EINTR EBUSY ESTALE EREMOTEIO ETIMEDOUT ECONNRESET ECONNREFUSED ECONNABORTED EHOSTUNREACH ENETUNREACH EPIPE"
_NUMBERS = frozenset(getattr(errno, name) for name in _NAMES.split() if hasattr(errno, name))
_NO_MEMORY = re.compile(r"(cannot|can't|unable to) allocate|failed to map segment|can't start new thread|bad_alloc|out of memory", re.IGNORECASE)
# Room that the decoder of a large image may need; codecs answer a lack of it in the words that they have for damaged content.
_DECODING_BYTES = 1 << 31
# Options of libraries that let a file run code, which their errors tell people to set.
_TRUSTING = ("weights_only", "allow_pickle", "add_safe_globals", "trust_remote_code")


class TransientError(InputError):
    """Something cannot be read now but may be later; never cached. `reason` omits the name."""

    def __init__(self, what: str, error: BaseException) -> None:
        self.reason = transient_reason(error)
        super().__init__(f"{what} cannot be read now: {self.reason}; try again when the machine is less busy.")


def lacks_memory(error: BaseException | None) -> bool:
    """True if an error or its cause reports a lack of memory; libraries use various types and messages when they are loaded or start threads."""
    for each in _chain(error):
        # only these types are matched by text: an OSError carries its number, and other errors may quote user data
        said = isinstance(each, ImportError | RuntimeError | SystemError) and _NO_MEMORY.search(str(each))
        if said or isinstance(each, MemoryError) or getattr(each, "errno", None) == errno.ENOMEM:
            return True
    return False


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and its causes, each once: a library may raise an error from itself."""
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def is_transient(error: BaseException) -> bool:
    """True if an error is a passing fault of the machine rather than of the file."""
    return lacks_memory(error) or isinstance(error, TimeoutError) or (isinstance(error, OSError) and error.errno in _NUMBERS)


def transient_reason(error: BaseException) -> str:
    """A short reason for a transient error."""
    number = getattr(error, "errno", None)
    if lacks_memory(error):
        return "there is not enough memory now"
    return os.strerror(number).lower() if number else "it took too long" if isinstance(error, TimeoutError) else " ".join(str(error).split())[:100]


def reason_of(error: BaseException, longest: int = 100) -> str:
    """A library's reason for a read error, on one line of at most `longest` characters, without the advice of torch, NumPy and transformers to read
    it in a mode that may execute code.
    """
    if _advises_trust(error):
        return "it is damaged, or would execute code, which is not allowed"
    return one_line(error, longest).rstrip(".: ")


def cause_of(error: BaseException) -> BaseException | None:
    """The `__cause__` to chain; None if the library's error would show such advice in a traceback."""
    return None if _advises_trust(error) else error


def _advises_trust(error: BaseException | None) -> bool:
    return any(word in str(each) for each in _chain(error) for word in _TRUSTING)


def check_memory() -> None:
    """Raises MemoryError if two gigabytes cannot be allocated now; the pages are not touched, so it takes microseconds."""
    try:
        mmap.mmap(-1, _DECODING_BYTES).close()
    except OSError as error:
        raise MemoryError from error


class UnreadableImageError(InputError):
    """An image that stays unreadable until its file changes; `reason` omits the name."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The image '{name}' cannot be read: {reason}; replace or remove it.")
        self.reason = reason


class RefusedImageError(UnreadableImageError):
    """An image refused by the decoder process; `reason` includes the remedy."""

    def __init__(self, name: str, reason: str) -> None:
        InputError.__init__(self, f"The image '{plain_name(name)}' {reason}")
        self.reason = reason


class MissingPackageError(TransientError):
    """A file whose format needs a package that is not installed; it is retried once it is."""

    def __init__(self, name: str, package: str, extra: str) -> None:
        self.reason = f"needs the package {package}; install it with `pip install 'likeness[{extra}]'`."
        self.package, self.extra = package, extra
        InputError.__init__(self, f"The image '{plain_name(name)}' {self.reason}")


def needed(module: str, package: str, extra: str, name: str) -> Any:
    """Imports the module that a file needs; raises MissingPackageError, which names the file, if its package is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(name, package, extra) from error
