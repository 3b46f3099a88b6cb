"""How near the labels are of what spaces retrieve, measured over all images in the background and kept."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import progress
from likeness.errors import InputError
from likeness.evaluation import continuous_comparison
from likeness.evaluation.continuous_comparison import FEWEST, spread_queries
from likeness.jobs import Job
from likeness.space import Space
from pages.continuous.labels import Labels
from shared import cached
from shared.sidebar import readable


@dataclass(frozen=True, eq=False)
class Asked:
    """What is measured.

    Attributes:
        spaces: whose retrieval; two of different keys at most.
        labels: that judge it.
        places: (n,) of the images that take part, in `labels`.
    """

    spaces: Sequence[Space]
    labels: Labels
    places: NDArray[np.int64]

    @cached_property
    def key(self) -> str:
        """Equal for what has equal results."""
        digest = hashlib.sha256(self.places.tobytes()).hexdigest()
        names = [(space.key, readable(space.name)) for space in self.spaces]
        return hashlib.sha256(repr((names, self.labels.key, digest)).encode()).hexdigest()[:24]

    @property
    def queries(self) -> NDArray[np.int64]:
        """Numbers of the images in `places` that ask: all, or so many evenly spread ones."""
        return spread_queries(len(self.places))


def begin(asked: Asked) -> Job:
    """The job whose result is a table for `likeness.plots.continuous_curves`: a row per space, with the bounds in each."""
    return cached.jobs("continuous").get(asked.key) or again(asked)


def again(asked: Asked) -> Job:
    """Starts anew what was stopped or went wrong.

    Raises:
        InputError: too few images.
    """
    if len(asked.places) < FEWEST:
        told = f"{len(asked.places):,} images with a label are too few to measure retrieval; let at least {FEWEST} match the filters."
        raise InputError(told)

    def work(report: progress.Report, should_stop: progress.ShouldStop) -> pd.DataFrame | None:
        rows = asked.labels.rows[asked.places]
        spaces = {readable(space.name): space.vectors[rows] for space in asked.spaces}
        return continuous_comparison(spaces, asked.labels.distances, asked.places, progress=report, should_stop=should_stop)

    return cached.jobs("continuous").begin(asked.key, "Measuring the retrieval of every image", work)
