"""A metric: its name, what it means, and how it is computed and shown."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

Kind = Literal["retrieval", "clustering", "structure", "continuous", "words", "own"]
# (vectors, labels, names, distance, seed) -> a number for each name
Compute = Callable[[Any, Any, Sequence[str], Literal["cosine", "euclidean"], int], dict[str, float]]


@dataclass(frozen=True)
class Metric:
    """A metric. A file of `likeness.evaluation.definitions` declares it, alone or with those that are computed with it; one line there lists it.

    Attributes:
        name, title, help: as it stands in tables, as people read it, and one sentence; "{k}" in it is one for each k, as in "recall_at_{k}".
        kind: what it judges: "retrieval", "clustering" and "structure" by class labels, "continuous" by label distances, "words" by a notion's
            aspects; "own" is somebody's.
        compute: from vectors (n, d) and labels (n,); metrics with the same function are computed in one call. None: not from class labels.
        larger_is_better: None where it is a property, and neither is better.
        format: of a value, as Python writes it.
        compared: whether a comparison of methods measures it by default.
    """

    name: str
    title: str
    help: str
    kind: Kind
    compute: Compute | None = None
    larger_is_better: bool | None = True
    format: str = ".3f"
    compared: bool = False

    def better(self, value: float, than: float | None) -> bool:
        """Whether a value is better than another one; anything is better than none."""
        return than is None or (value < than if self.larger_is_better is False else value > than)

    def at(self, name: str) -> "Metric | None":
        """This metric where `name` is its name, or its name at some k; None where it is not."""
        if name == self.name:
            return self
        match = re.fullmatch(re.escape(self.name).replace(r"\{k\}", r"(?P<k>[1-9]\d*)"), name)
        if match is None or "k" not in match.groupdict():
            return None
        return replace(self, name=name, title=self.title.replace("{k}", match["k"]), help=self.help.replace("{k}", match["k"]))


def own_metric(function: Callable[[Any, Any], float]) -> Metric:
    """The metric that a function (vectors, labels) -> number is, under its own name; the first line of its docstring is its help."""
    name = getattr(function, "__name__", type(function).__name__)
    about = (function.__doc__ or "").strip().splitlines() or [f"{name}, as its function says."]
    return Metric(name, name, about[0], "own", lambda rows, labels, names, distance, seed: {name: float(function(rows, labels))})
