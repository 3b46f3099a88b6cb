"""How near the labels are of what spaces retrieve, measured over all images in the background and kept."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import cached
import progress
from continuous_labels import Labels
from likeness.errors import InputError
from likeness.evaluation import DISTANCE_KS, NDCG_KS, chance_level, continuous_metrics, oracle_metrics
from likeness.jobs import Job
from likeness.spaces import Space
from sidebar import readable

MOST_QUERIES = 2_000
FEWEST = DISTANCE_KS[-1] + 1  # images: each asks all others
_ENTRIES = 1_000_000  # label distances at once
_CHANCE_DRAWS = 4_000  # queries of random vectors, at least


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
        return np.unique(np.linspace(0, len(self.places) - 1, min(len(self.places), MOST_QUERIES)).round().astype(np.int64))


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
        queries, found = asked.queries, list[tuple[int, pd.DataFrame]]()
        for block in _blocks(queries, len(asked.places)):
            report(sum(count for count, _ in found), len(queries))
            if should_stop():
                return None
            found.append((len(block), _measured(asked, block)))
        report(len(queries), len(queries))
        # every metric is a mean over queries
        means = sum(count * table for count, table in found) / len(queries)
        return pd.DataFrame(means).rename_axis("row").reset_index()

    return cached.jobs("continuous").begin(asked.key, "Measuring the retrieval of every image", work)


def _blocks(queries: NDArray[np.int64], images: int) -> Iterator[NDArray[np.int64]]:
    size = max(1, _ENTRIES // images)
    for start in range(0, len(queries), size):
        yield queries[start : start + size]


def _measured(asked: Asked, block: NDArray[np.int64]) -> pd.DataFrame:
    """The metrics of some queries, a line for each space."""
    places, others = asked.places, len(asked.places) - 1
    apart = asked.labels.distances.between(places[block], places)
    distance_ks, ndcg_ks = DISTANCE_KS, [k for k in NDCG_KS if k <= others]
    kept = [*(f"mean_label_distance_at_{k}" for k in distance_ks), *(f"ndcg_at_{k}" for k in ndcg_ks)]
    ks = (*distance_ks, *ndcg_ks)
    oracle = oracle_metrics(apart, distance_ks, exclude=block)
    bounds = {f"oracle_{name}": oracle[name] for name in kept if name in oracle}
    bounds["chance_mean_label_distance"] = chance_level(apart) * len(places) / others  # the query's own 0 is no retrieval
    by_chance = [_by_chance(apart, block, ks, draw) for draw in range(max(1, -(-_CHANCE_DRAWS // len(asked.queries))))]
    bounds |= {f"chance_{name}": float(np.mean([each[name] for each in by_chance])) for name in kept if name.startswith("ndcg")}
    rows = asked.labels.rows[places]
    lines = {}
    for space in asked.spaces:
        vectors = space.vectors[rows]
        found = continuous_metrics(apart, vectors[block], vectors, ks, exclude=block)
        lines[readable(space.name)] = {name: found[name] for name in kept} | bounds
    return pd.DataFrame.from_dict(lines, orient="index")


def _by_chance(apart: NDArray[np.float32], block: NDArray[np.int64], ks: Sequence[int], draw: int) -> dict[str, float]:
    """The metrics of random vectors, which have nothing to do with the images."""
    vectors = np.random.default_rng([draw, 11]).standard_normal((apart.shape[1], 4)).astype(np.float32)
    return continuous_metrics(apart, vectors[block], vectors, ks, exclude=block)
