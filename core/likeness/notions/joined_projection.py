"""The one linear map of several notions that are joined and taken away."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from likeness.arrays import Floats, like, to_numpy
from likeness.errors import InputError
from likeness.notions.other_notions import varying_directions
from likeness.notions.projection import LinearProjection


class JoinedProjection(LinearProjection):
    """U = P [sqrt(w_1) U_1 | sqrt(w_2) U_2 | ...], with P = I - (1 - sqrt(1 - s)) N N^T for what is taken away by the share s.

    The product of two images before they are scaled to unit length is then the sum of those in the notions, with the weights w. It is one linear map
    of the encoder's vectors, as that of a single notion is, so that the same index answers.

    Args:
        joined: (weight, fitted linear estimator); none: the encoder's own space.
        removed: (share from 0 to 1, prompts (n, r)) of the notions that are taken away, one after the other.

    Attributes:
        U: (r, d).
        estimators: those that are joined.

    Raises:
        InputError: an estimator that is not linear, or that was fitted for another encoder.
    """

    def __init__(self, joined: Sequence[tuple[float, Any]], removed: Sequence[tuple[float, Any]] = ()) -> None:
        self.estimators = tuple(estimator for _, estimator in joined)
        parts = [(weight, _map_of(estimator)) for weight, estimator in joined]
        widths = {len(U) for _, U in parts} | {np.shape(rows)[1] for _, rows in removed}
        if len(widths) != 1:
            raise InputError("The notions were fitted for encoders of different dimensions; use the same encoder for all.")
        U = np.hstack([np.sqrt(weight) * U for weight, U in parts]) if parts else np.eye(widths.pop())
        for share, rows in removed:
            taken = varying_directions([rows], len(U))
            U = U - (1 - np.sqrt(1 - share)) * taken @ (taken.T @ U)
        self.U = like(joined[0][1].U if joined else removed[0][1])(U)


def _map_of(estimator: Any) -> Floats:
    if not isinstance(estimator, LinearProjection):
        raise InputError(f"{type(estimator).__name__} is not a linear map, so it can't be joined with others; take InDiReCT, scaled PCA or CRL.")
    return np.asarray(to_numpy(estimator.U), np.float64)
