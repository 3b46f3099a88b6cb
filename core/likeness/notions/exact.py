"""InDiReCT's objective without gradient descent: the best subspace, by singular vectors and reweighted power steps.

For a matrix U whose columns span the subspace S, the reconstruction of a unit prompt t (Eq. 1 to 3) is U U^T t, normalised: a vector in
S. No vector in S is at a smaller angle to t than its orthogonal projection P t, and the two coincide if the columns are orthonormal.
The loss (Eq. 4) is therefore a function of the subspace alone,

    L(S) = mean_i arccos |P t_i|.

If S has room for all prompts (dim >= rank), L = 0 at every S that holds their span. Otherwise we start at the leading right singular
vectors, which minimise mean_i sin^2 of the same angles, and go down from there. In s = |P t|^2, arccos sqrt(s) is concave where
s > 1/2 (angles below 45 degrees), so its tangents bound it from above: with weights w_i = 1 / (2 sqrt(s_i (1 - s_i))) every subspace
that raises sum_i w_i |P t_i|^2 lowers L. One step of orthogonal iteration, Y <- qr(T^T W T Y), raises it, because T^T W T is positive
semidefinite. So no step size, no line search, and the loss falls at each step (majorise-minimise).
"""

import numpy as np

from likeness.arrays import Floats
from likeness.threads import one_blas_thread

# Below 1e-5 radians a prompt counts as kept: its weight, which tends to infinity, is held there.
_SMALLEST_ANGLE = 1e-5
# Multiply-adds spent on steps, some 0.15 s on one core; nearly all problems converge long before.
_WORK = 2.4e9
_MOST_STEPS = 500
_LEAST_STEPS = 5
_TOLERANCE = 1e-8


@one_blas_thread()
def leading_directions(rows: Floats, count: int) -> Floats:
    """The first right singular vectors of the unit rows (n, r), as orthonormal columns (r, count or rank, whichever is less).

    The rank is numerical: embeddings are float32, so a direction whose singular value is below max(n, r) float32 roundings of the
    largest one is noise, such as the difference between two prompts of the same words.
    """
    few_rows = rows.shape[0] < rows.shape[1]
    values, vectors = largest_eigenpairs(rows @ rows.T if few_rows else rows.T @ rows, count)
    noise = max(rows.shape) * np.finfo(np.float32).eps
    rank = int(np.count_nonzero(values > noise**2 * values[0]))
    vectors = vectors[:, :rank]
    return np.asarray(np.linalg.qr(rows.T @ vectors if few_rows else vectors)[0])


@one_blas_thread()
def largest_eigenpairs(symmetric: Floats, count: int) -> tuple[Floats, Floats]:
    """The largest eigenvalues (count,) of a symmetric matrix (r, r), the largest first, and their eigenvectors as columns (r, count)."""
    size = len(symmetric)
    if count < size // 6:
        # Some are cheaper than all. The start of the iteration is fixed, so that equal prompts give equal results.
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
def best_subspace(rows: Floats, start: Floats) -> tuple[Floats, int]:
    """Orthonormal basis (r, dim) of the subspace with the smallest mean angle to the rows that the steps find, and their number.

    Args:
        rows: (n, r) unit rows, float64.
        start: (r, dim), orthonormal.
    """
    n, r = rows.shape
    if n >= r or start.shape[1] < n // 6:
        return _descend(rows, start)
    # The minimum lies in the span of the rows, where all products are smaller.
    span = leading_directions(rows, n)
    inner, steps = _descend(rows @ span, np.linalg.qr(span.T @ start)[0])
    return span @ inner, steps


def _descend(rows: Floats, start: Floats) -> tuple[Floats, int]:
    n, r = rows.shape
    most = int(np.clip(_WORK / (4 * n * r * start.shape[1]), _LEAST_STEPS, _MOST_STEPS))
    subspace: Floats = start
    codes: Floats = rows @ start
    kept, loss = _measure(codes)
    for step in range(1, most + 1):
        following = _step(rows, subspace, codes, kept, loss)
        if following is None:
            return subspace, step
        before = loss
        subspace, codes, kept, loss = following
        if before - loss <= _TOLERANCE * before:
            return subspace, step
    return subspace, most


def _step(rows: Floats, subspace: Floats, codes: Floats, kept: Floats, loss: float) -> tuple[Floats, Floats, Floats, float] | None:
    """The next subspace, its codes, kept shares and loss; None if none is better."""
    weights = 1 / (2 * np.sqrt(np.maximum(kept, _SMALLEST_ANGLE**2) * np.maximum(1 - kept, _SMALLEST_ANGLE**2)))
    ascent = rows.T @ (weights[:, None] * codes)
    # Rows at more than 45 degrees break the bound, and then a full step can fail; adding a multiple of the subspace shortens it.
    for shift in (0.0, 1.0, 8.0, 64.0):
        following = np.linalg.qr(ascent + shift * weights.sum() * subspace)[0]
        new_codes = rows @ following
        new_kept, new_loss = _measure(new_codes)
        if new_loss < loss:
            return following, new_codes, new_kept, new_loss
    return None


def _measure(codes: Floats) -> tuple[Floats, float]:
    """|P t|^2 of each row, clipped to 0..1 against rounding, and the mean angle."""
    kept = np.minimum(np.einsum("ij,ij->i", codes, codes), 1)
    return kept, float(np.arccos(np.sqrt(kept)).mean())
