"""Faults of the machine at this moment: too little memory, too many open files, a failing disk or network. What meets one is tried again."""

import errno
import mmap
import os

from likeness.errors import InputError

_NAMES = "ENOMEM EMFILE ENFILE EIO EAGAIN EINTR EBUSY ESTALE EREMOTEIO ETIMEDOUT ECONNRESET ECONNREFUSED ECONNABORTED EHOSTUNREACH ENETUNREACH EPIPE"
_NUMBERS = frozenset(getattr(errno, name) for name in _NAMES.split() if hasattr(errno, name))
# Room that the decoder of a large image may need; codecs answer a lack of it in the words that they have for damaged content.
_DECODING_BYTES = 1 << 31


class TransientError(InputError):
    """What cannot be read now and may be later; never remembered. `reason` leaves out the name."""

    def __init__(self, what: str, error: BaseException) -> None:
        self.reason = transient_reason(error)
        super().__init__(f"{what} cannot be read now: {self.reason}; try again when the machine is less busy.")


def is_transient(error: BaseException) -> bool:
    """Whether an error speaks of the machine at this moment, and not of what was read."""
    return isinstance(error, MemoryError | TimeoutError) or (isinstance(error, OSError) and error.errno in _NUMBERS)


def transient_reason(error: BaseException) -> str:
    """Why something cannot be had now, in a few words."""
    number = getattr(error, "errno", None)
    if isinstance(error, MemoryError) or number == errno.ENOMEM:
        return "there is not enough memory now"
    return os.strerror(number).lower() if number else "it took too long" if isinstance(error, TimeoutError) else " ".join(str(error).split())[:100]


def check_memory() -> None:
    """Raises MemoryError where two more gigabytes cannot be had at this moment; nothing is written there, so it takes microseconds."""
    try:
        mmap.mmap(-1, _DECODING_BYTES).close()
    except OSError as error:
        raise MemoryError from error
