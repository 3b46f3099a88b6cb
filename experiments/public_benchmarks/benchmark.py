"""What a public benchmark declares."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from likeness.data import named_dataset
from likeness.errors import InputError
from likeness.progress import Progress

Runs = list[dict[str, Any]]


@dataclass(frozen=True)
class BenchmarkRequest:
    """Settings of a measurement: the folder, an encoder's name or object (None: the default), rows by name, seeds, and a progress callback."""

    folder: str
    encoder: Any
    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    progress: Progress | None = None


@dataclass(frozen=True)
class Benchmark:
    """A public benchmark. Its file declares it as `BENCHMARK`; one line lists it, in `experiments.public_benchmarks`.

    Attributes:
        name: that of the dataset which it reads (`likeness.data.named_datasets`).
        title, help: for people.
        metrics: column of the runs -> its head in the table.
        methods: the rows that are measured where none are named.
        known: all rows that can be named.
        measure: returns a dict per run: task, method, seed and the metrics, as fractions.
    """

    name: str
    title: str
    help: str
    metrics: dict[str, str]
    methods: tuple[str, ...]
    known: tuple[str, ...]
    measure: Callable[[BenchmarkRequest], Runs]

    @property
    def usage(self) -> str:
        """Its usage: "clevr4:FOLDER"."""
        return named_dataset(self.name).usage

    def checked_methods(self, methods: Sequence[str] | None) -> tuple[str, ...]:
        """Names of rows; by default all of `methods`.

        Raises:
            InputError: an unknown one, none, or one that stands twice.
        """
        chosen = self.methods if methods is None else tuple(method.strip() for method in methods)
        unknown = next((method for method in chosen if method not in self.known), None)
        if unknown is not None:
            raise InputError(f"There is no method '{unknown}' for {self.title}; choose from {', '.join(self.known)}.")
        if not chosen or len(set(chosen)) < len(chosen):
            raise InputError(f"The methods '{', '.join(chosen)}' must list each method once; choose from {', '.join(self.known)}.")
        return chosen

    def run(
        self, folder: str, encoder: Any = None, methods: Sequence[str] | None = None, seeds: Sequence[int] = range(5), **options: Any
    ) -> pd.DataFrame:
        """All runs of the benchmark: columns task, method, seed, `metrics`, and `refused`, why a method does not apply (its metrics are NaN).

        Raises:
            InputError: an unknown method, no seed, or a folder of another layout.
        """
        chosen = self.checked_methods(methods)
        if not len(seeds):
            raise InputError("There is no seed to measure with; pass at least one, such as 0.")
        rows = self.measure(BenchmarkRequest(folder, encoder, chosen, tuple(seeds), **options))
        return pd.DataFrame(rows, columns=["task", "method", "seed", *self.metrics, "refused"])
