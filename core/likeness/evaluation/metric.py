"""What a metric declares about itself."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

Kind = Literal["retrieval", "open_set", "clustering", "structure", "continuous", "captions", "words", "own"]
# (vectors, labels, names, distance, seed) -> a number for each name
Compute = Callable[[Any, Any, Sequence[str], str, int], dict[str, float]]


@dataclass(frozen=True)
class Metric:
    """A metric. `likeness.evaluation.definitions` lists all.

    Attributes:
        name, title, help: in tables, for people, and one sentence; "{k}" stands for any number, as in "recall_at_{k}".
        kind: what it measures: "retrieval", "open_set", "clustering" and "structure" by class labels, "continuous" by label distances, "captions" by
            texts of single images, "words" by a notion's aspects; "own" for functions of users.
        compute: from vectors (n, d) and labels (n,); metrics with the same function are computed in one call. None: not from class labels.
        larger_is_better: None for a property without better and worse.
        format: format specification of a value.
        compared: measured by default in comparisons of methods.
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
        """Whether a value is better than another; any value is better than None."""
        return than is None or (value < than if self.larger_is_better is False else value > than)

    def at(self, name: str) -> "Metric | None":
        """This metric if `name` is its name, or its name at some k; else None."""
        if name == self.name:
            return self
        match = re.fullmatch(re.escape(self.name).replace(r"\{k\}", r"(?P<k>[1-9]\d*)"), name)
        if match is None or "k" not in match.groupdict():
            return None
        return replace(self, name=name, title=self.title.replace("{k}", match["k"]), help=self.help.replace("{k}", match["k"]))


def own_metric(function: Callable[[Any, Any], float]) -> Metric:
    """Wraps a function (vectors, labels) -> number as a metric with the function's name; the first line of its docstring is the help."""
    name = getattr(function, "__name__", type(function).__name__)
    about = (function.__doc__ or "").strip().splitlines() or [f"{name}, a function of your own."]
    return Metric(name, name, about[0], "own", lambda rows, labels, names, distance, seed: {name: float(function(rows, labels))})
