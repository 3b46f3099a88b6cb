"""Saliency maps in the background: shared by everybody who asks the same; the last ones are kept."""

from dataclasses import dataclass

from background import Job, jobs, run_in_background
from likeness.saliency import saliency_of_spaces
from likeness.space import Space

_KEPT = 16


@dataclass(frozen=True)
class SaliencyRequest:
    """What is to be explained: images by row number, seen by spaces of one dataset; the settings of `saliency_of_spaces`."""

    dataset: str
    spaces: tuple[Space, ...]
    rows: tuple[int, ...]
    base: str | int
    samples: int
    noise: float

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for what has equal maps."""
        return self.dataset, tuple(space.key for space in self.spaces), self.rows, self.base, self.samples, self.noise


def begin(request: SaliencyRequest) -> Job:
    """The job whose result is one `Saliency` for each space."""

    def work(job: Job) -> object:
        return saliency_of_spaces(
            request.spaces,
            request.rows,
            base=request.base,
            samples=request.samples,
            noise=request.noise,
            progress=job.report,
            should_stop=job.should_stop,
        )

    return run_in_background("saliency", request.key, "Computing saliency maps", work, kept=_KEPT)


def find(request: SaliencyRequest) -> Job | None:
    """The job of this asking, or None."""
    return jobs().find("saliency", request.key)
