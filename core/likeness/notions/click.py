"""A click on a neighbor: "more like this" or "not like this"."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError

MOST_PASSED = 5  # of the neighbors before the rejected one, those nearest to it
_KEYS = {"query", "neighbor", "alike"}


@dataclass(frozen=True)
class Click:
    """A person's answer about two images: alike in the notion, or not.

    InputError: a path that is not a text or blank, the same image twice, an answer that is not a bool, or passed images with "more like this".

    Args:
        query, neighbor: paths of the images in the table (`ImageTable.frame["path"]`), which stay valid when images are added.
        alike: "more like this", or "not like this".
        passed: for "not like this", nearer neighbors that were shown before this one and not rejected. They count as alike: otherwise clicks would
            only report a notion's mistakes.

    Example:
        >>> Click("red/1.png", "red/2.png", True)
        Click(query='red/1.png', neighbor='red/2.png', alike=True, passed=())
    """

    query: str
    neighbor: str
    alike: bool
    passed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.passed, list | tuple):
            raise InputError(f"A click passed {self.passed!r}; expected a list of image paths.")
        object.__setattr__(self, "passed", tuple(self.passed))
        for path in (self.query, self.neighbor, *self.passed):
            if not isinstance(path, str) or not path.strip():
                raise InputError(f"A click names the image {path!r}; expected its path in the table.")
        if self.query in (self.neighbor, *self.passed):
            raise InputError(f"A click compares '{self.query}' with itself; name two different images.")
        if not isinstance(self.alike, bool | np.bool_):
            raise InputError(f"A click has the answer {self.alike!r}; expected true or false.")
        object.__setattr__(self, "alike", bool(self.alike))
        if self.alike and self.passed:
            raise InputError("A click that says alike has passed images; only 'not alike' can have them.")

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as in a notion file."""
        told: dict[str, Any] = {"query": self.query, "neighbor": self.neighbor, "alike": self.alike}
        return told | ({"passed": list(self.passed)} if self.passed else {})

    def answers(self) -> Iterator[tuple[str, str, bool, bool]]:
        """Image pairs, whether they are alike, and whether the person said so; passed images come first."""
        yield from ((self.query, path, True, False) for path in self.passed)
        yield self.query, self.neighbor, self.alike, True


class ClickPairs(NamedTuple):
    """Answers (c,) about pairs of images, rows (c, 2): whether they are alike, and whether a person said so or only passed the pair."""

    pairs: NDArray[np.int64]
    alike: NDArray[np.bool_]
    said: NDArray[np.bool_]


def read_clicks(listed: Any) -> tuple[Click, ...]:
    """Clicks from the list in a notion file: entries with query, neighbor, alike and optionally passed, where all values may be texts.

    InputError: anything else.
    """
    if not isinstance(listed, list) or not all(isinstance(each, dict) and set(each) - {"passed"} == _KEYS for each in listed):
        raise InputError("clicks must be a list whose entries have the keys query, neighbor and alike.")
    answers = {"true": True, "false": False}
    return tuple(Click(**each | {"alike": answers.get(str(each["alike"]).lower(), each["alike"])}) for each in listed)


def click_pairs(clicks: Iterable[Click], paths: "Sequence[str] | pd.Series[str]") -> ClickPairs:
    """The clicks on images in `paths` (n,), as row numbers; the others apply again when their images are back.

    A pair that was clicked twice counts once, with the last answer; explicit answers win over passed ones.
    """
    given = sorted(
        (answer for click in clicks for answer in click.answers()), key=lambda answer: answer[3]
    )  # explicit answers last, so that they win
    column = pd.Series(paths, dtype=object)
    here = np.flatnonzero(column.isin([path for first, second, *_ in given for path in (first, second)]))
    rows = {column.iloc[row]: int(row) for row in here}
    answers: dict[tuple[int, int], tuple[bool, bool]] = {}
    for first, second, alike, said in given:
        if first in rows and second in rows:
            low, high = sorted((rows[first], rows[second]))
            answers[low, high] = (alike, said)
    pairs = sorted(answers)  # sorted, so that the order of clicks does not matter even in the last digit
    told = np.array([answers[pair] for pair in pairs], bool).reshape(-1, 2)
    return ClickPairs(np.array(pairs, np.int64).reshape(-1, 2), told[:, 0], told[:, 1])
