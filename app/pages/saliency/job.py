"""Saliency maps in the background: shared by everybody who asks the same; the last ones are kept."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from likeness.jobs import Job, Jobs
from likeness.saliency import saliency_of_spaces
from likeness.space import Space
from shared import cached

_KEPT = 16


@dataclass(frozen=True)
class Asked:
    """What is to be explained: images by row number, seen by spaces of one dataset; the settings of `saliency_of_spaces`."""

    dataset: str
    spaces: tuple[Space, ...]
    rows: tuple[int, ...]
    base: str | int
    samples: int
    noise: float

    @property
    def key(self) -> str:
        """Equal for what has equal maps."""
        content = (self.dataset, [space.key for space in self.spaces], self.rows, self.base, self.samples, self.noise)
        return hashlib.sha256(repr(content).encode()).hexdigest()[:24]


def begin(asked: Asked) -> Job:
    """The job whose result is one `Saliency` for each space; the one of an earlier asking where there is one that was not stopped."""
    job = _jobs().get(asked.key)
    return job if job and not (job.finished and (job.stopped or job.error)) else again(asked)


def find(asked: Asked) -> Job | None:
    """The job of this asking, or None."""
    return _jobs().get(asked.key)


def again(asked: Asked) -> Job:
    """Starts anew what was stopped or went wrong."""
    _forget_oldest()

    def work(report: Callable[..., None], should_stop: Callable[[], bool]) -> object:
        return saliency_of_spaces(
            asked.spaces, asked.rows, base=asked.base, samples=asked.samples, noise=asked.noise, progress=report, should_stop=should_stop
        )

    return _jobs().begin(asked.key, "Looking for what counts", work)


def _forget_oldest() -> None:
    finished: Sequence[str] = [key for key, job in _jobs().all() if job.finished]
    for key in finished[: max(0, len(finished) - _KEPT)]:
        _jobs().forget(key)


def _jobs() -> Jobs:
    return cached.jobs("saliency")
