"""Train-test splits of growing shift: classes are exchanged between the halves, then removed from both (ooDML, section 3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.errors import InputError
from likeness.shifts.frechet import frechet_distance

Rule = Literal["paper", "official"]
Rows = NDArray[np.int64]
Matrix = NDArray[np.float64]

# Exchanges after which the authors' code lets a place of the lists take part again.
_HISTORY = 5


@dataclass(frozen=True)
class Split:
    """One step of a construction.

    Attributes:
        train, test: rows of the class means, a class each.
        distance: Frechet distance between the two sets of class means.
    """

    train: tuple[int, ...]
    test: tuple[int, ...]
    distance: float


def swap_splits(
    class_means: Any, train: Sequence[int], test: Sequence[int], steps: int, per_step: int = 1, inverse: bool = False, rule: Rule = "paper"
) -> list[Split]:
    """Splits by exchanging classes (ooDML, Milbich et al., NeurIPS 2021, Eq. 2 and 3), the start first.

    In each step the classes of either side with the highest score, the distance from the own side's mean minus that from the other's, go
    over to the other side; all choices of a step are made before its exchanges.

    Args:
        class_means: (c, d), NumPy or torch.
        train, test: rows of the start.
        steps: exchanges to make.
        per_step: classes that each side gives in a step.
        inverse: the lowest scores instead, which brings the sides nearer.
        rule: "paper" is Eq. 2 and 3 as printed, under which the same classes may go back and forth; "official" also leaves out every place
            of the two lists that took part in one of the last five exchanges, as the authors' code does, and measures with its epsilon.

    Raises:
        InputError: a class on both sides, twice or not there, sides that are too small, or unknown rules.
    """
    means, sides = checked_sides(class_means, train, test, per_step)
    if rule not in ("paper", "official"):
        raise InputError(f"There is no rule '{rule}'; choose paper or official.")
    history: list[tuple[int, int]] = []
    found = [measured_split(means, sides, rule)]
    for _ in range(checked_steps(steps)):
        places = chosen_places(means, sides, per_step, inverse, history if rule == "official" else None)
        for place in places:
            exchange(sides, place)
        history += places
        found.append(measured_split(means, sides, rule))
    return found


def chosen_places(
    means: Matrix, sides: tuple[Rows, Rows], count: int, inverse: bool, history: Sequence[tuple[int, int]] | None = None
) -> list[tuple[int, int]]:
    """The places in the two lists whose classes have the highest scores (Eq. 2 and 3), best first; the lowest where `inverse`.

    history: earlier exchanges, of which the authors' code leaves out the places of the last five; None: no such rule.
    """
    orders = [_order(means, sides[own], sides[1 - own], inverse) for own in (0, 1)]
    taken: list[tuple[int, int]] = []
    for rank in range(count):
        left_out = taken if history is None else [*history, *taken][-_HISTORY:]
        busy = [{pair[own] for pair in left_out} for own in (0, 1)]
        free = [next((place for place in order[rank:] if place not in those), None) for order, those in zip(orders, busy, strict=True)]
        if free[0] is None or free[1] is None:
            raise InputError("No class is left to exchange, since all took part of late; make fewer steps, or fewer exchanges in each.")
        taken.append((free[0], free[1]))
    return taken


def _order(means: Matrix, own: Rows, other: Rows, inverse: bool) -> list[int]:
    rows = means[own]
    scores = np.linalg.norm(rows - rows.mean(axis=0), axis=1) - np.linalg.norm(rows - means[other].mean(axis=0), axis=1)
    order: list[int] = np.argsort(scores if inverse else -scores, kind="stable").tolist()
    return order


def exchange(sides: tuple[Rows, Rows], place: tuple[int, int]) -> None:
    """Lets the classes at these places change sides."""
    train, test = sides
    train[place[0]], test[place[1]] = test[place[1]], train[place[0]]


def measured_split(means: Matrix, sides: tuple[Rows, Rows], rule: Rule) -> Split:
    """The sides as they are, with their distance."""
    train, test = sides
    return Split(tuple(train.tolist()), tuple(test.tolist()), frechet_distance(means[train], means[test], variant=rule))


def checked_steps(steps: int) -> int:
    """Raises InputError for a negative number."""
    if steps < 0:
        raise InputError(f"steps is {steps}, but there can't be fewer than none.")
    return steps


def checked_sides(class_means: Any, train: Sequence[int], test: Sequence[int], per_step: int) -> tuple[Matrix, tuple[Rows, Rows]]:
    """The class means and the two sides; InputError where they do not fit."""
    means = to_numpy(class_means).astype(np.float64)
    if means.ndim != 2 or not np.isfinite(means).all():
        raise InputError(f"The class means have shape {means.shape} or are not finite; give a row of finite numbers per class.")
    sides = (np.array(list(train), dtype=np.int64), np.array(list(test), dtype=np.int64))
    for name, side in zip(("train", "test"), sides, strict=True):
        if len(side) and not 0 <= side.min() <= side.max() < len(means):
            raise InputError(f"The {name} side names class {side.min() if side.min() < 0 else side.max()}, but there are {len(means)} class means.")
        if len(set(side.tolist())) < len(side):
            raise InputError(f"The {name} side names a class twice; name each once.")
        if len(side) < max(2, per_step):
            raise InputError(f"The {name} side has {len(side)} classes, too few to give {per_step} in a step; give it more.")
    both = set(sides[0].tolist()) & set(sides[1].tolist())
    if both:
        raise InputError(f"Class {min(both)} is on both sides; a class trains or tests.")
    if per_step < 1:
        raise InputError(f"per_step is {per_step}, but each side must give at least one class.")
    return means, sides
