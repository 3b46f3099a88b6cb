"""A click on a neighbor: more like this, or not like this."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Click:
    """What a person says about two images: in what the notion means they are alike, or they are not.

    Args:
        query, neighbor: the images, by their paths in the table (`ImageTable.frame["path"]`), which stay when images are added.
        alike: "more like this", or "not like this".

    Raises:
        InputError: a path that is no text or is blank, one image twice, or an answer that is neither True nor False.

    Example:
        >>> Click("red/1.png", "red/2.png", True)
        Click(query='red/1.png', neighbor='red/2.png', alike=True)
    """

    query: str
    neighbor: str
    alike: bool

    def __post_init__(self) -> None:
        for path in (self.query, self.neighbor):
            if not isinstance(path, str) or not path.strip():
                raise InputError(f"A click names the image {path!r}; give the image's path in the table.")
        if self.query == self.neighbor:
            raise InputError(f"A click compares '{self.query}' with itself; name two images.")
        if not isinstance(self.alike, bool | np.bool_):
            raise InputError(f"A click has the answer {self.alike!r}; give true for alike, or false.")
        object.__setattr__(self, "alike", bool(self.alike))


def read_clicks(listed: Any) -> tuple[Click, ...]:
    """Clicks from a notion file's list: entries with query, neighbor and alike, where every value may be a text.

    Raises:
        InputError: no list of such entries, or a click that is not valid.
    """
    if not isinstance(listed, list) or not all(isinstance(each, dict) and set(each) == {"query", "neighbor", "alike"} for each in listed):
        raise InputError("clicks must be a list whose entries have the keys query, neighbor and alike.")
    answers = {"true": True, "false": False}
    return tuple(Click(each["query"], each["neighbor"], answers.get(str(each["alike"]).lower(), each["alike"])) for each in listed)


def click_pairs(clicks: Iterable[Click], paths: "Sequence[str] | pd.Series[str]") -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The clicks of which both images are here, as rows; the others count again when their images are back.

    Args:
        paths: of the n images, in row order.

    Returns:
        Pairs (c, 2) of rows, and the answers (c,). Two images that were clicked twice count once, with the last answer.
    """
    import pandas as pd

    said = list(clicks)
    column = pd.Series(paths, dtype=object)
    here = np.flatnonzero(column.isin([path for click in said for path in (click.query, click.neighbor)]))
    rows = {column.iloc[row]: int(row) for row in here}
    answers: dict[tuple[int, int], bool] = {}
    for click in said:
        if click.query in rows and click.neighbor in rows:
            first, second = sorted((rows[click.query], rows[click.neighbor]))
            answers[first, second] = click.alike
    pairs = sorted(answers)  # so that their order does not matter, not even in the last digit
    return np.array(pairs, np.int64).reshape(-1, 2), np.array([answers[pair] for pair in pairs], bool)
