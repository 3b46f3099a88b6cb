"""Splits beyond what swapping reaches: classes are removed from both halves (ooDML, section 3.3)."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from likeness.errors import InputError
from likeness.shifts.splits import Matrix, Rows, Split, checked_sides, checked_steps, chosen_places, exchange, measured_split

Removal = Literal["paper", "score", "official"]
RULES = ("paper", "score", "official")
_LEAST_SHARE = 0.5


def removal_splits(
    class_means: Any, train: Sequence[int], test: Sequence[int], steps: int, per_step: int = 1, inverse: bool = False, rule: Removal = "paper"
) -> list[Split]:
    """Splits by removing classes (ooDML, Milbich et al., NeurIPS 2021, section 3.3), the start first.

    Args:
        class_means: (c, d), NumPy or torch.
        train, test: rows of the start, usually the last split of `swap_splits`.
        steps: removals to make; under the paper's rules fewer come back where half of the classes would not remain.
        per_step: classes that each side loses in a step, chosen before any of them goes.
        inverse: what is farthest from the other side goes instead ("paper"), or has the lowest score.
        rule: "paper": the classes nearest to the other side's mean go, as printed. "score": those with the highest score of Eq. 2 and 3.
            "official": the authors' code exchanges the classes first; where the distance then rose or stayed, it takes the exchange back and
            removes them, where it fell, it keeps the exchanged split and removes nothing. Its history of places goes on over removals,
            which shift the places, and half of the classes need not remain.

    Raises:
        InputError: as `swap_splits`.
    """
    if rule not in RULES:
        raise InputError(f"There is no rule '{rule}'; choose from {', '.join(RULES)}.")
    means, sides = checked_sides(class_means, train, test, per_step)
    least = [_LEAST_SHARE * len(side) for side in sides]
    measure: Literal["paper", "official"] = "official" if rule == "official" else "paper"
    found, history = [measured_split(means, sides, measure)], list[tuple[int, int]]()
    for _ in range(checked_steps(steps)):
        if rule == "official":
            sides = _tried(means, sides, per_step, inverse, history, found[-1].distance)
        elif any(len(side) - per_step < floor for side, floor in zip(sides, least, strict=True)):
            break
        else:
            sides = _without(sides, _nearest(means, sides, per_step, inverse) if rule == "paper" else chosen_places(means, sides, per_step, inverse))
        found.append(measured_split(means, sides, measure))
    return found


def _tried(means: Matrix, sides: tuple[Rows, Rows], count: int, inverse: bool, history: list[tuple[int, int]], before: float) -> tuple[Rows, Rows]:
    """A step of the authors' code: exchanged where that lowers the distance, else removed."""
    places = chosen_places(means, sides, count, inverse, history)
    history += places
    after = (sides[0].copy(), sides[1].copy())
    for place in places:
        exchange(after, place)
    return after if measured_split(means, after, "official").distance < before else _without(sides, places)


def _nearest(means: Matrix, sides: tuple[Rows, Rows], count: int, inverse: bool) -> list[tuple[int, int]]:
    orders = []
    for own, other in (sides, sides[::-1]):
        distances = np.linalg.norm(means[own] - means[other].mean(axis=0), axis=1)
        orders.append(np.argsort(-distances if inverse else distances, kind="stable")[:count].tolist())
    return list(zip(*orders, strict=True))


def _without(sides: tuple[Rows, Rows], places: list[tuple[int, int]]) -> tuple[Rows, Rows]:
    return np.delete(sides[0], [place[0] for place in places]), np.delete(sides[1], [place[1] for place in places])
