"""Compiled loops of TriMap over triplets; imported only when needed, since numba is heavy."""

from typing import Any

import numpy as np

from likeness.compiled import load_numba

njit = load_numba().njit


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def gradient(positions: Any, triplets: Any, weights: Any) -> Any:
    """Gradient (n, 2) at positions (n, 2) of the sum of w s_ik / (s_ij + s_ik) over triplets (t, 3) of item i, near j and far k with weights w (t,),
    where s_ij = 1 / (1 + |y_i - y_j|^2) (Eq. 1 and 2). With d = 1 / s, a triplet's loss is w d_ij / (d_ij + d_ik)."""
    found = np.zeros_like(positions)
    for t in range(len(triplets)):
        i, j, k = triplets[t]
        near_x, near_y = positions[i, 0] - positions[j, 0], positions[i, 1] - positions[j, 1]
        far_x, far_y = positions[i, 0] - positions[k, 0], positions[i, 1] - positions[k, 1]
        near, far = 1 + near_x * near_x + near_y * near_y, 1 + far_x * far_x + far_y * far_y
        factor = 2 * weights[t] / (near + far) ** 2
        pull_x, pull_y = factor * far * near_x, factor * far * near_y
        push_x, push_y = factor * near * far_x, factor * near * far_y
        found[i, 0] += pull_x - push_x
        found[i, 1] += pull_y - push_y
        found[j, 0] -= pull_x
        found[j, 1] -= pull_y
        found[k, 0] += push_x
        found[k, 1] += push_y
    return found
