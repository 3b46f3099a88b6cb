"""InDiReCT's minimum without gradient descent: singular vectors and reweighted power iterations.

For a matrix U whose columns span the subspace S, the reconstruction of a unit prompt t (Eq. 1 to 3) is U U^T t, normalized: a vector in S. No vector
in S has a smaller angle to t than its orthogonal projection P t, and the two coincide if the columns are orthonormal. The loss (Eq. 4) is therefore a
function of the subspace alone,

    L(S) = mean_i arccos |P t_i|.

If dim >= rank, L = 0 at every S that contains the span of the prompts. Otherwise we start at the leading right singular vectors, which minimize
mean_i sin^2 of the same angles, and descend from there. In s = |P t|^2, arccos sqrt(s) is concave where s > 1/2 (angles below 45 degrees), so its
tangents bound it from above: with weights w_i = 1 / (2 sqrt(s_i (1 - s_i))) every subspace that increases sum_i w_i |P t_i|^2 decreases L. One step
of orthogonal iteration, Y <- qr(T^T W T Y), increases it, because T^T W T is positive semidefinite. So the loss decreases at each step without step
size or line search (majorize-minimize), until it stops changing or a bound of work is reached; then the gain of the last step is reported.
"""

import numpy as np

from likeness.arrays import Floats
from likeness.notions.pca import principal_axes
from likeness.threads import one_blas_thread

# below 1e-5 radians a prompt counts as kept; its weight, which tends to infinity, is capped there
_SMALLEST_ANGLE = 1e-5
# below this, 1 - |P t|^2 has lost digits of the angle, which the residual t - P t still has
_NEAR = 1e-6
# multiply-adds spent on steps, about 0.15 s on one core; with few prompts the loss converges long before
_WORK = 2.4e9
_MOST_STEPS = 500
_LEAST_STEPS = 5
# the loss has converged if a step lowers it by less than this share, or if it is below the rounding of float32 prompts
_TOLERANCE = 1e-8
_ROUNDING = float(np.finfo(np.float32).eps)
# squared singular values, as a share of the largest, above which the Gram matrix resolves the singular vectors
_RESOLVED = 1e-8


# Orthonormal columns (r, dim), the number of steps, and the gain in radians of the last step if they ended at the bound of work; 0
# if the loss converged.
Subspace = tuple[Floats, int, float]


@one_blas_thread()
def leading_directions(rows: Floats, count: int) -> Floats:
    """The first right singular vectors of rows (n, r), as orthonormal columns (r, count or rank, whichever is less).

    The rank is numerical, as in `principal_axes`: values below float32 rounding are not directions, such as the difference of two prompts of the same
    words. The Gram matrix is faster but squares the singular values, so small ones are lost in rounding; it is used only if all requested ones are
    large.
    """
    few_rows = rows.shape[0] < rows.shape[1]
    values, vectors = largest_eigenpairs(rows @ rows.T if few_rows else rows.T @ rows, count)
    if len(values) == count and values[-1] > _RESOLVED * max(values[0], 1):
        return np.asarray(np.linalg.qr(rows.T @ (vectors if few_rows else rows @ vectors))[0])
    return np.ascontiguousarray(principal_axes(rows)[1][:count].T)


@one_blas_thread()
def largest_eigenpairs(symmetric: Floats, count: int) -> tuple[Floats, Floats]:
    """The largest eigenvalues (count,) of a symmetric matrix (r, r), the largest first, and their eigenvectors as columns (r, count)."""
    size = len(symmetric)
    if count < size // 6:
        # a few are cheaper than all; the start of the iteration is fixed, so that equal prompts give equal results
        from scipy.sparse.linalg import ArpackError, eigsh

        try:
            values, vectors = eigsh(symmetric, k=count, which="LA", tol=1e-8, v0=np.random.default_rng(0).standard_normal(size))
            order = np.argsort(values)[::-1]
            return values[order], vectors[:, order]
        except ArpackError:
            pass
    values, vectors = np.linalg.eigh(symmetric)
    return values[: -count - 1 : -1], vectors[:, : -count - 1 : -1]


@one_blas_thread()
def best_subspace(rows: Floats, start: Floats) -> Subspace:
    """The subspace with the smallest mean angle to the unit rows (n, r), float64, found by steps from orthonormal columns (r, dim).

    Its loss is never above that of the start.
    """
    n, r = rows.shape
    if n >= r or start.shape[1] < n // 6:
        return _descend(rows, start)
    # the minimum lies in the span of the rows, where all products are smaller
    span = np.linalg.qr(rows.T)[0]
    inner, steps, last_gain = _descend(rows @ span, np.linalg.qr(span.T @ start)[0])
    return span @ inner, steps, last_gain


def _descend(rows: Floats, start: Floats) -> Subspace:
    n, r = rows.shape
    most = int(np.clip(_WORK / (4 * n * r * start.shape[1]), _LEAST_STEPS, _MOST_STEPS))
    subspace: Floats = start
    codes: Floats = rows @ start
    kept, lost, loss = _measure(rows, codes, start)
    gain = 0.0
    for step in range(most):
        following = _step(rows, subspace, codes, kept, lost, loss) if loss > _ROUNDING else None
        if following is None:
            return subspace, step, 0.0
        before = loss
        subspace, codes, kept, lost, loss = following
        gain = before - loss
        if gain <= _TOLERANCE * before:
            return subspace, step + 1, 0.0
    return subspace, most, gain


def _step(
    rows: Floats, subspace: Floats, codes: Floats, kept: Floats, lost: Floats, loss: float
) -> tuple[Floats, Floats, Floats, Floats, float] | None:
    """The next subspace, its codes, kept and lost shares and loss; None if no step is better."""
    weights = 1 / (2 * np.sqrt(np.maximum(kept, _SMALLEST_ANGLE**2) * np.maximum(lost, _SMALLEST_ANGLE**2)))
    ascent = rows.T @ (weights[:, None] * codes)
    # rows at more than 45 degrees violate the bound, so a full step can fail; adding a multiple of the subspace shortens it
    for shift in (0.0, 1.0, 8.0, 64.0):
        following = np.linalg.qr(ascent + shift * weights.sum() * subspace)[0]
        new_codes = rows @ following
        new_kept, new_lost, new_loss = _measure(rows, new_codes, following)
        if new_loss < loss:
            return following, new_codes, new_kept, new_lost, new_loss
    return None


def _measure(rows: Floats, codes: Floats, subspace: Floats) -> tuple[Floats, Floats, float]:
    """|P t|^2 and |t - P t|^2 of each row, and the mean angle between t and P t."""
    kept = np.einsum("ij,ij->i", codes, codes)
    lost = np.maximum(1 - kept, 0)
    near = np.flatnonzero(lost < _NEAR)
    residuals = rows[near] - codes[near] @ subspace.T
    lost[near] = np.einsum("ij,ij->i", residuals, residuals)
    # arctan2 of both legs: arccos(sqrt(kept)) would lose half of the digits near 0
    return kept, lost, float(np.arctan2(np.sqrt(lost), np.sqrt(kept)).mean())
