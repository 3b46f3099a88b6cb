"""How long work says how far it is: one kind of callback for all of it."""

from typing import Protocol


class Progress(Protocol):
    """Called with units done and in all as work goes on, and with what is being done, where that changes: work of a single stage leaves `stage` out,
    so that a function of two arguments is enough there.
    """

    def __call__(self, done: int, total: int, stage: str = "", /) -> None: ...


class Stopped(Exception):  # noqa: N818  (a person's wish, not an error)
    """Ends work that was asked to stop."""


def no_progress(done: int, total: int, stage: str = "") -> None:
    """Shows nothing."""


def progress_of_part(progress: Progress | None, before: int, total: int) -> Progress | None:
    """What a part of some work calls: `before` units were done before it, of `total` units in all parts."""
    if progress is None:
        return None
    return lambda done, _, *stage: progress(before + done, total, *stage)
