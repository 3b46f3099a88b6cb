"""A click on a neighbor: more like this, or not like this."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


MOST_PASSED = 5  # of the neighbors before the one that is refused, the nearest to it
_KEYS = {"query", "neighbor", "alike"}


@dataclass(frozen=True)
class Click:
    """What a person says about two images: in what the notion means they are alike, or they are not.

    Args:
        query, neighbor: the images, by their paths in the table (`ImageTable.frame["path"]`), which stay when images are added.
        alike: "more like this", or "not like this".
        passed: of "not like this", neighbors that stood before this one, nearer to the query, and were let pass. A person who points at what is wrong
            says something about them, too: without them clicks would tell of a notion's mistakes alone.

    Raises:
        InputError: a path that is no text or is blank, one image twice, an answer that is neither True nor False, or images passed by "more like
            this".

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
            raise InputError(f"A click passed {self.passed!r}; give a list of images by their paths in the table.")
        object.__setattr__(self, "passed", tuple(self.passed))
        for path in (self.query, self.neighbor, *self.passed):
            if not isinstance(path, str) or not path.strip():
                raise InputError(f"A click names the image {path!r}; give the image's path in the table.")
        if self.query in (self.neighbor, *self.passed):
            raise InputError(f"A click compares '{self.query}' with itself; name two images.")
        if not isinstance(self.alike, bool | np.bool_):
            raise InputError(f"A click has the answer {self.alike!r}; give true for alike, or false.")
        object.__setattr__(self, "alike", bool(self.alike))
        if self.alike and self.passed:
            raise InputError("A click that says alike passed images; only what is not alike does.")

    @property
    def fields(self) -> dict[str, Any]:
        """As a notion file has it."""
        told: dict[str, Any] = {"query": self.query, "neighbor": self.neighbor, "alike": self.alike}
        return told | ({"passed": list(self.passed)} if self.passed else {})

    def answers(self) -> Iterator[tuple[str, str, bool, bool]]:
        """Images, whether they are alike, and whether this was said; what was let pass comes first."""
        yield from ((self.query, path, True, False) for path in self.passed)
        yield self.query, self.neighbor, self.alike, True


class ClickPairs(NamedTuple):
    """Answers (c,) about pairs of images, rows (c, 2): whether they are alike, and whether a person said so, or let the pair pass."""

    pairs: NDArray[np.int64]
    alike: NDArray[np.bool_]
    said: NDArray[np.bool_]


def read_clicks(listed: Any) -> tuple[Click, ...]:
    """Clicks from a notion file's list: entries with query, neighbor and alike, where every value may be a text, and perhaps a list passed;
    InputError otherwise.
    """
    if not isinstance(listed, list) or not all(isinstance(each, dict) and set(each) - {"passed"} == _KEYS for each in listed):
        raise InputError("clicks must be a list whose entries have the keys query, neighbor and alike.")
    answers = {"true": True, "false": False}
    return tuple(Click(**each | {"alike": answers.get(str(each["alike"]).lower(), each["alike"])}) for each in listed)


def click_pairs(clicks: Iterable[Click], paths: "Sequence[str] | pd.Series[str]") -> ClickPairs:
    """The clicks of which both images are here, as places in `paths` (n,); the others count again when their images are back.

    Two images that were clicked twice count once, with the last answer; one that a person gave counts in any case, whatever was let pass later.
    """
    import pandas as pd

    given = sorted((answer for click in clicks for answer in click.answers()), key=lambda answer: answer[3])  # what was said counts last
    column = pd.Series(paths, dtype=object)
    here = np.flatnonzero(column.isin([path for first, second, *_ in given for path in (first, second)]))
    rows = {column.iloc[row]: int(row) for row in here}
    answers: dict[tuple[int, int], tuple[bool, bool]] = {}
    for first, second, alike, said in given:
        if first in rows and second in rows:
            low, high = sorted((rows[first], rows[second]))
            answers[low, high] = (alike, said)
    pairs = sorted(answers)  # so that their order does not matter, not even in the last digit
    told = np.array([answers[pair] for pair in pairs], bool).reshape(-1, 2)
    return ClickPairs(np.array(pairs, np.int64).reshape(-1, 2), told[:, 0], told[:, 1])
