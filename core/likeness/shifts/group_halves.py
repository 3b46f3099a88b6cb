"""Halves of the classes that keep siblings together: whoever tests on a warbler has then trained on none."""

from collections import Counter
from collections.abc import Sequence

from likeness.errors import InputError

_FEWEST = 2


def group_halves(groups: Sequence[str]) -> tuple[list[int], list[int]]:
    """Numbers of the classes of two halves, about equally large, where classes of the same group are on the same side.

    The groups go to the smaller side one by one, the largest first, those of the same size by their names, so that nothing is drawn.

    Args:
        groups: (c,) the group of each class.

    Returns:
        The side that has the first group, and the other one; each in ascending order.

    Raises:
        InputError: groups that leave fewer than two classes on a side.
    """
    sizes = Counter(groups)
    sides: tuple[list[str], list[str]] = ([], [])
    for group, _ in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        min(sides, key=lambda side: sum(sizes[each] for each in side)).append(group)
    first, second = ([number for number, group in enumerate(groups) if group in side] for side in sides)
    if min(len(first), len(second)) < _FEWEST:
        raise InputError(f"{len(sizes)} groups of {len(groups)} classes leave {len(second)} of them on one side; each side needs {_FEWEST}.")
    return first, second
