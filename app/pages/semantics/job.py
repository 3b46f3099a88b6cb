"""The agreement of spaces with language, measured in the background and kept: shared by all who ask the same."""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import progress
from access import resolve_language
from likeness.evaluation import Semantics, semantics
from likeness.jobs import Job
from likeness.space import Space
from shared import cached


@dataclass(frozen=True, eq=False)
class Asked:
    """What is measured.

    Attributes:
        space: whose agreement.
        rows, labels: the images that take part and their class numbers.
        names: of the classes, as language reads them.
        language: language models.
        neighbors: retrieved for each image.
    """

    space: Space
    rows: NDArray[np.int64]
    labels: NDArray[np.int64]
    names: tuple[str, ...]
    language: tuple[str, ...]
    neighbors: int

    @property
    def key(self) -> str:
        """Equal for what has equal results."""
        digest = hashlib.sha256(self.rows.tobytes() + self.labels.tobytes()).hexdigest()
        return hashlib.sha256(repr((self.space.key, digest, self.names, self.language, self.neighbors)).encode()).hexdigest()[:24]


def begin(asked: Asked) -> Job:
    """The job of this measurement: under way, ended, or begun now. Its result is a `Semantics`."""
    found = cached.jobs("semantics").get(asked.key)
    if found is not None and not found.error:
        return found

    def work(report: progress.Report, should_stop: progress.ShouldStop) -> Semantics:
        from likeness.language import class_similarities

        similarities = class_similarities(list(asked.names), [resolve_language(name) for name in asked.language])
        return semantics(asked.space.vectors[asked.rows], asked.labels, similarities, asked.names, neighbors=asked.neighbors, progress=report)

    return cached.jobs("semantics").begin(asked.key, f"Comparing {asked.space.name} with language", work)
