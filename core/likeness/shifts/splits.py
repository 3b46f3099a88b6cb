"""Train-test splits of growing shift: classes are exchanged between the sides, then removed from both (ooDML, section 3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.errors import InputError, check_known
from likeness.shifts.frechet import frechet_distance

Rule = Literal["paper", "official"]
Removal = Literal["paper", "score", "official"]
Rows = NDArray[np.int64]
Matrix = NDArray[np.float64]

# exchanges after which the authors' code uses a position of the lists again
_HISTORY = 5
_FEWEST = 2  # classes of a side, for a distance
_LEAST_SHARE = 0.5  # of the data must remain


@dataclass(frozen=True)
class Split:
    """One step: the classes of both sides, as rows of the class means, and the Frechet distance between the two sets of class means."""

    train: tuple[int, ...]
    test: tuple[int, ...]
    distance: float


def swap_splits(
    class_means: Any, train: Sequence[int], test: Sequence[int], steps: int, per_step: int = 1, inverse: bool = False, rule: Rule = "paper"
) -> list[Split]:
    """Splits by exchanging classes (ooDML, Milbich et al., NeurIPS 2021, Eq. 2 and 3), beginning with the start.

    In each step, the classes with the highest score, the distance from the own side's mean minus that from the other's, change sides; all classes of
    a step are chosen before any is exchanged.

    Args:
        class_means: (c, d), NumPy or torch.
        train, test: classes of the start.
        steps: number of exchanges.
        per_step: classes exchanged per side and step.
        inverse: uses the lowest scores instead, which brings the sides nearer.
        rule: "paper" is Eq. 2 and 3 as printed, which may exchange the same classes back and forth; "official" also skips positions of the two lists
            used in the last five exchanges, as the authors' code, and measures with its epsilon.

    Raises:
        InputError: a class on both sides, repeated or unknown, sides that are too small, or an unknown rule.
    """
    means, sides = _checked_sides(class_means, train, test, steps, per_step)
    if rule not in ("paper", "official"):
        raise InputError(f"There is no rule '{rule}'; choose paper or official.")
    history: list[tuple[int, int]] = []
    found = [_measured_split(means, sides, rule)]
    for _ in range(steps):
        places = _chosen_places(means, sides, per_step, inverse, history if rule == "official" else None)
        for place in places:
            _exchange(sides, place)
        history += places
        found.append(_measured_split(means, sides, rule))
    return found


def removal_splits(
    class_means: Any,
    train: Sequence[int],
    test: Sequence[int],
    steps: int,
    per_step: int = 1,
    inverse: bool = False,
    rule: Removal = "paper",
    images: Sequence[int] | None = None,
) -> list[Split]:
    """Splits by removing classes (ooDML, Milbich et al., NeurIPS 2021, section 3.3), beginning with the start.

    Args:
        class_means: (c, d), NumPy or torch.
        train, test: classes of the start, usually the last split of `swap_splits`.
        steps: number of removals; except with "official" fewer if less than half of the data would remain.
        per_step: classes removed per side and step, all chosen before any is removed.
        inverse: removes the classes farthest from the other side ("paper"), or with the lowest score.
        rule: "paper" removes the classes nearest to the other side's mean, as printed; "score" those with the highest score of Eq. 2 and 3;
            "official", as the authors' code, first exchanges the classes: if the distance decreases, it keeps the exchange and removes nothing, else
            it undoes it and removes them. Its history of positions continues over removals, which shift them, and half of the data need not
            remain.
        images: (c,) images of each class: half of those of the start must remain. None: half of each side's classes.

    Raises:
        InputError: as `swap_splits`.
    """
    check_known("rule", rule, get_args(Removal))
    means, sides = _checked_sides(class_means, train, test, steps, per_step)
    start, counts = sides, None if images is None else np.asarray(images)
    measure: Literal["paper", "official"] = "official" if rule == "official" else "paper"
    found, history = [_measured_split(means, sides, measure)], list[tuple[int, int]]()
    for _ in range(steps):
        if rule == "official":
            sides = _tried(means, sides, per_step, inverse, history, found[-1].distance)
        else:
            places = _nearest(means, sides, per_step, inverse) if rule == "paper" else _chosen_places(means, sides, per_step, inverse)
            smaller = _without(sides, places)
            if min(map(len, smaller)) < _FEWEST or not half_remains(smaller, start, counts):
                break
            sides = smaller
        found.append(_measured_split(means, sides, measure))
    return found


def half_remains(sides: Sequence[Any], start: Sequence[Any], images: NDArray[np.int64] | None = None) -> bool:
    """Whether half of the images of the two sides at the start are left, or, without `images` (c,) of each class, half of each side's classes."""
    if images is None:
        return all(len(side) >= _LEAST_SHARE * len(before) for side, before in zip(sides, start, strict=True))
    left, first = (sum(int(images[list(side)].sum()) for side in pair) for pair in (sides, start))
    return left >= _LEAST_SHARE * first


def _tried(means: Matrix, sides: tuple[Rows, Rows], count: int, inverse: bool, history: list[tuple[int, int]], before: float) -> tuple[Rows, Rows]:
    """A step of the authors' code: an exchange if it lowers the distance, else a removal."""
    places = _chosen_places(means, sides, count, inverse, history)
    history += places
    after = (sides[0].copy(), sides[1].copy())
    for place in places:
        _exchange(after, place)
    return after if _measured_split(means, after, "official").distance < before else _without(sides, places)


def _nearest(means: Matrix, sides: tuple[Rows, Rows], count: int, inverse: bool) -> list[tuple[int, int]]:
    orders = []
    for own, other in (sides, sides[::-1]):
        distances = np.linalg.norm(means[own] - means[other].mean(axis=0), axis=1)
        orders.append(np.argsort(-distances if inverse else distances, kind="stable")[:count].tolist())
    return list(zip(*orders, strict=True))


def _without(sides: tuple[Rows, Rows], places: list[tuple[int, int]]) -> tuple[Rows, Rows]:
    return np.delete(sides[0], [place[0] for place in places]), np.delete(sides[1], [place[1] for place in places])


def _chosen_places(
    means: Matrix, sides: tuple[Rows, Rows], count: int, inverse: bool, history: Sequence[tuple[int, int]] | None = None
) -> list[tuple[int, int]]:
    """Positions in the two lists of the classes with the highest scores (Eq. 2 and 3), best first, or lowest if `inverse`. `history`: earlier
    exchanges, of which the authors' code skips the positions of the last five; None: skips none.
    """
    orders = [_order(means, sides[own], sides[1 - own], inverse) for own in (0, 1)]
    taken: list[tuple[int, int]] = []
    for rank in range(count):
        left_out = taken if history is None else [*history, *taken][-_HISTORY:]
        busy = [{pair[own] for pair in left_out} for own in (0, 1)]
        free = [next((place for place in order[rank:] if place not in those), None) for order, those in zip(orders, busy, strict=True)]
        if free[0] is None or free[1] is None:
            raise InputError("No class is left to exchange, since all were exchanged recently; use fewer steps, or fewer exchanges per step.")
        taken.append((free[0], free[1]))
    return taken


def _order(means: Matrix, own: Rows, other: Rows, inverse: bool) -> list[int]:
    rows = means[own]
    scores = np.linalg.norm(rows - rows.mean(axis=0), axis=1) - np.linalg.norm(rows - means[other].mean(axis=0), axis=1)
    order: list[int] = np.argsort(scores if inverse else -scores, kind="stable").tolist()
    return order


def _exchange(sides: tuple[Rows, Rows], place: tuple[int, int]) -> None:
    """Exchanges the classes at these positions."""
    train, test = sides
    train[place[0]], test[place[1]] = test[place[1]], train[place[0]]


def _measured_split(means: Matrix, sides: tuple[Rows, Rows], rule: Rule) -> Split:
    """The two sides with their distance."""
    train, test = sides
    return Split(tuple(train.tolist()), tuple(test.tolist()), frechet_distance(means[train], means[test], variant=rule))


def _checked_sides(class_means: Any, train: Sequence[int], test: Sequence[int], steps: int, per_step: int) -> tuple[Matrix, tuple[Rows, Rows]]:
    """The class means and the two sides; InputError if they, or the numbers, are invalid."""
    means = to_numpy(class_means).astype(np.float64)
    if means.ndim != 2 or not np.isfinite(means).all():
        raise InputError(f"The class means have shape {means.shape} or are not finite; pass a row of finite numbers per class.")
    sides = (np.array(list(train), dtype=np.int64), np.array(list(test), dtype=np.int64))
    for name, side in zip(("train", "test"), sides, strict=True):
        if len(side) and not 0 <= side.min() <= side.max() < len(means):
            raise InputError(f"The {name} side names class {side.min() if side.min() < 0 else side.max()}, but there are {len(means)} class means.")
        if len(set(side.tolist())) < len(side):
            raise InputError(f"The {name} side has a repeated class; list each once.")
        if len(side) < max(2, per_step):
            raise InputError(f"The {name} side has {len(side)} classes, too few for {per_step} per step; add classes.")
    both = set(sides[0].tolist()) & set(sides[1].tolist())
    if both:
        raise InputError(f"Class {min(both)} is on both sides; choose one side for it.")
    if per_step < 1:
        raise InputError(f"per_step is {per_step}, but must be at least 1.")
    if steps < 0:
        raise InputError(f"steps is {steps}, but must be at least 0.")
    return means, sides
