"""Protocol of progress callbacks."""

from typing import Protocol


class Progress(Protocol):
    """Called with done and total units, and the current stage if there are several. Work of a single stage omits `stage`, so that a function of two
    arguments is enough.
    """

    def __call__(self, done: int, total: int, stage: str = "", /) -> None: ...


class Stopped(Exception):  # noqa: N818  (a person's wish, not an error)
    """Raised to end work that was asked to stop."""


def no_progress(done: int, total: int, stage: str = "") -> None:
    """Does nothing."""


def report_progress(progress: Progress | None, done: int, total: int, *stage: str) -> None:
    """Calls the callback, if there is one."""
    if progress:
        progress(done, total, *stage)


def progress_of_part(progress: Progress | None, before: int, total: int) -> Progress | None:
    """The callback for a part of some work, of which `before` units are done and `total` is the sum of all parts."""
    if progress is None:
        return None
    return lambda done, _, *stage: progress(before + done, total, *stage)
