"""Each cause once: what the sidebar has said in a run of the page, the page does not say again."""

from state import Item


class _Kept:
    """shown: the problems that stand on the page."""

    prefix = "problems_"
    shown = Item[set[str]](make=set)


_kept = _Kept()


def begin() -> None:
    """Nothing has been said yet; called first in each run."""
    _kept.shown = set()


def is_new(problem: str) -> bool:
    """Whether this sentence stands nowhere on the page yet; from now on it does."""
    new = problem not in _kept.shown
    _kept.shown.add(problem)
    return new
