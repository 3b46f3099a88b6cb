"""Scores of classes made into probabilities that can be believed: one temperature, fitted on labels that were held out."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LOWEST, _HIGHEST = 0.05, 20.0
_PRIOR = 4.0  # labels that speak for a temperature of 1


def temper(logs: Floats, temperature: float) -> Floats:
    """Probabilities (n, c): the softmax of log scores (n, c) over a temperature."""
    from scipy.special import softmax

    return np.asarray(softmax(logs / temperature, axis=1))


def fit_temperature(logs: Floats, numbers: NDArray[np.int64]) -> float:
    """The temperature at which held-out labels are most probable (Guo, Pleiss, Sun and Weinberger, ICML 2017), between 0.05 and 20.

    With few labels it stays near 1: the square of its logarithm counts as much as four labels do; without any it is 1.

    Args:
        logs: (m, c) log scores of labeled images, made without their own labels.
        numbers: (m,) their classes.
    """
    if not len(numbers):
        return 1.0
    from scipy.optimize import minimize_scalar
    from scipy.special import log_softmax

    own = np.arange(len(numbers)), numbers

    def loss(exponent: float) -> float:
        return float(-log_softmax(logs / np.exp(exponent), axis=1)[own].sum() + _PRIOR * exponent**2)

    found = minimize_scalar(loss, bounds=(np.log(_LOWEST), np.log(_HIGHEST)), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))
