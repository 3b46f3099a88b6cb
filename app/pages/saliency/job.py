"""Saliency maps in the background, shared by all who request the same; the last ones are kept."""

from collections.abc import Sequence
from dataclasses import dataclass

from likeness.saliency import Saliency, control_spaces, saliency_of_spaces
from likeness.space import Space
from parts.on_request import WorkRequest
from server.jobs import Job, jobs

_OPTIONS = {"max_finished": 16}


@dataclass(frozen=True)
class SaliencyRequest:
    """Images by row number, spaces of one dataset, the last to compare with, and the settings of `saliency_of_spaces`."""

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

    @property
    def dims(self) -> tuple[int, ...]:
        """Numbers of dimensions of the spaces that are compared; 0 for one that is no notion's."""
        return tuple(space.vectors.shape[1] if space.base is not None else 0 for space in self.spaces[:-1])


def work_of(request: SaliencyRequest) -> WorkRequest:
    """Work whose result is one `Saliency` for each space."""
    return WorkRequest("saliency", request.key, "Saliency maps", lambda job: _maps(request, request.spaces, job), _OPTIONS)


def begin_controls(request: SaliencyRequest) -> Job:
    """The job whose result is, for each number of dimensions of the request's notions, the maps of random projections to as many."""
    dims = [dim for dim in dict.fromkeys(request.dims) if dim]
    encoded = next(space.base for space in request.spaces if space.base is not None)

    def work(job: Job) -> dict[int, list[Saliency]]:
        projections = [(dim, space) for dim in dims for space in control_spaces(encoded, dim)]
        found = _maps(request, [space for _, space in projections], job)
        return {dim: [each for (of, _), each in zip(projections, found, strict=True) if of == dim] for dim in dims}

    return jobs().run("saliency", ("controls", *request.key), "Saliency maps of random projections", work, **_OPTIONS)


def _maps(request: SaliencyRequest, spaces: Sequence[Space], job: Job) -> list[Saliency]:
    options = {"base": request.base, "samples": request.samples, "noise": request.noise}
    return saliency_of_spaces(spaces, request.rows, progress=job.report, should_stop=job.should_stop, **options)
