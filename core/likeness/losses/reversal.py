"""Gradient reversal: one step trains a network and its adversary (Ganin & Lempitsky, ICML 2015)."""

from torch import Tensor


def reversed_gradient(rows: Tensor) -> Tensor:
    """The same values; what flows back through them changes its sign, so that what comes before opposes what comes after."""
    return 2 * rows.detach() - rows
