"""Frechet distance of two sets of features, exact also for fewer rows than dimensions."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import device_of, row_slices, to_numpy
from likeness.errors import InputError

if TYPE_CHECKING:
    import torch

Variant = Literal["paper", "official"]
Matrix = NDArray[np.float64]

# added to both covariances within the root by the authors' code
_EPSILON = 1e-8
# smallest to largest eigenvalue: above it, squared ones keep more than six digits
_WORST_CONDITION = 1e-10
# larger arrays are read in parts instead of copied to float64
_AT_ONCE = 15_000_000


def frechet_distance(features_a: Any, features_b: Any, variant: Variant = "paper") -> float:
    """|mu_a - mu_b|^2 + tr(C_a + C_b - 2 (C_a C_b)^(1/2)) of two sets' means and covariances (ooDML, Milbich et al., NeurIPS 2021, Eq. 1).

    With factors C = F^T F, the trace of the root is the sum of the singular values of F_a F_b^T: no matrix root, and no covariance of fewer rows than
    dimensions. F are the centered rows, or the triangle of their QR decomposition if there are more rows than dimensions. At least 0; 0 for equal
    sets.

    Args:
        features_a, features_b: (n, d) and (m, d), NumPy or torch, at least two rows. Memory-mapped arrays are read in parts of about 16 MB. Two
            tensors on one GPU with more rows than dimensions are computed there, in float64 and in parts; few rows, nearly singular covariances and
            Apple's MPS, which has no float64, are computed on the host.
        variant: "paper" is Eq. 1; "official" adds 1e-8 to both diagonals within the root, as the authors' code, which is too low by 2e-8 d for
            covariances of full rank, and by far more for others.

    Raises:
        InputError: fewer than two rows, different dimensions, values that are not finite, or an unknown variant.
    """
    if variant not in ("paper", "official"):
        raise InputError(f"There is no variant '{variant}'; choose paper or official.")
    if device_of(features_a) is not None and device_of(features_a) == device_of(features_b):
        found = distance_on_device(features_a, features_b, 0.0 if variant == "paper" else _EPSILON)
        if found is not None:
            return max(found, 0.0) if variant == "paper" else found
    (mean_a, factor_a), (mean_b, factor_b) = _moments(features_a, "The first features"), _moments(features_b, "The second features")
    if len(mean_a) != len(mean_b):
        raise InputError(f"The features have {len(mean_a)} and {len(mean_b)} dimensions; pass features of one encoder.")
    traces = float(sum(np.einsum("ij,ij->", factor, factor) for factor in (factor_a, factor_b)))
    root = _trace_of_root(factor_a, factor_b) if variant == "paper" else _official_root(factor_a, factor_b)
    distance = float(np.square(mean_a - mean_b).sum()) + traces - 2 * root
    return max(distance, 0.0) if variant == "paper" else distance


def _moments(features: Any, what: str) -> tuple[Matrix, Matrix]:
    """Mean (d,) and F (k, d) with F^T F the covariance (divisor n - 1)."""
    rows = to_numpy(features)
    if rows.ndim == 2 and len(rows) > rows.shape[1] and rows.size > _AT_ONCE:
        return _moments_of_many(rows, what)
    rows = _checked(rows, what, least=2)
    mean = rows.mean(axis=0)
    centered = rows - mean
    centered /= np.sqrt(len(rows) - 1)
    return mean, centered


def _moments_of_many(rows: NDArray[Any], what: str) -> tuple[Matrix, Matrix]:
    """The same, reading rows in parts: F is a triangle of the covariance, or of the rows if the covariance has lost small eigenvalues."""
    mean, scatter, count = np.zeros(rows.shape[1]), np.zeros((rows.shape[1],) * 2), 0
    for part in row_slices(*rows.shape):
        # merged as by Chan, Golub and LeVeque (1983), so order and size of the parts only matter in the last digits
        given = _checked(rows[part], what, least=0, first=part.start)
        own, total = given.mean(axis=0), count + len(given)
        centered, gap = given - own, own - mean
        scatter += centered.T @ centered + np.outer(gap, gap) * (count * len(given) / total)
        mean, count = mean + gap * (len(given) / total), total
    whole = _root_of(scatter / (count - 1))
    if whole is not None:
        return mean, whole
    triangle = np.empty((0, rows.shape[1]))
    for part in row_slices(*rows.shape):
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, rows[part] - mean]), mode="r"))
    return mean, triangle / np.sqrt(count - 1)


def _trace_of_root(a: Matrix, b: Matrix) -> float:
    """tr (C_a C_b)^(1/2), the sum of the singular values of F_a F_b^T.

    For more rows than dimensions on both sides, also the sum of the roots of the eigenvalues of C_a C_b, a symmetric problem that takes a fourth of
    the time. Squaring loses half of the digits of small eigenvalues, so it is used only if there are none.
    """
    covariances: tuple[Matrix | None, Matrix | None] = (None, None)
    if min(len(a), len(b)) > a.shape[1]:
        covariances = a.T @ a, b.T @ b
        values = _eigenvalues_of_product(*(each.copy() for each in covariances))
        if values[0] > _WORST_CONDITION * values[-1]:
            return float(np.sqrt(values).sum())
    small_a, small_b = (_small(factor, covariance) for factor, covariance in zip((a, b), covariances, strict=True))
    return float(np.linalg.svd(small_a @ small_b.T, compute_uv=False).sum())


def _eigenvalues_of_product(a: Matrix, b: Matrix) -> Matrix:
    """Eigenvalues of the product of two covariances, ascending: those of L^T B L with A = L L^T; a single 0 if A has no such root."""
    import scipy.linalg

    try:
        lower = scipy.linalg.cholesky(a.T, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return np.zeros(1)
    # triangular products, half the work of general ones
    half = scipy.linalg.blas.dtrmm(1.0, lower, b.T, lower=1, trans_a=1, overwrite_b=1)
    whole = scipy.linalg.blas.dtrmm(1.0, lower, half, side=1, lower=1, overwrite_b=1)
    return np.asarray(scipy.linalg.eigvalsh(whole, overwrite_a=True, check_finite=False))


def _official_root(a: Matrix, b: Matrix) -> float:
    """The same with 1e-8 on both diagonals. Outside the span of few rows, both covariances are 1e-8 times the identity."""
    dim = a.shape[1]
    if len(a) + len(b) < dim:
        basis = np.linalg.qr(np.vstack([a, b]).T)[0]
        a, b = a @ basis, b @ basis
    return float(_trace_of_root(_widened(a), _widened(b)) + _EPSILON * (dim - a.shape[1]))


def _small(factor: Matrix, covariance: Matrix | None) -> Matrix:
    """A factor with at most as many rows as dimensions: a triangle of the covariance, or of the rows if it has lost small eigenvalues."""
    if len(factor) <= factor.shape[1]:
        return factor
    whole = _root_of(factor.T @ factor if covariance is None else covariance)
    return np.asarray(np.linalg.qr(factor, mode="r")) if whole is None else whole


def _root_of(covariance: Matrix) -> Matrix | None:
    """Triangle F (d, d) with F^T F this covariance; None if it has lost digits of small eigenvalues."""
    values = np.linalg.eigvalsh(covariance)
    return np.asarray(np.linalg.cholesky(covariance).T) if values[0] > _WORST_CONDITION * values[-1] else None


def _widened(factor: Matrix) -> Matrix:
    return np.vstack([factor, np.sqrt(_EPSILON) * np.eye(factor.shape[1])])


def _checked(features: Any, what: str, least: int, first: int = 0) -> Matrix:
    """Rows (n, d) in float64; `first` is the number of the first row, for messages."""
    rows = to_numpy(features)
    if rows.ndim != 2 or rows.dtype.kind not in "fiu" or not rows.shape[1]:
        raise InputError(f"{what} have shape {rows.shape}, type {rows.dtype}; pass numbers of shape (rows, dimensions).")
    if len(rows) < least:
        raise InputError(f"{what} have {len(rows)} rows; a covariance needs two.")
    rows = rows.astype(np.float64, copy=False)
    if not np.isfinite(rows).all():
        place = tuple(int(each) for each in np.argwhere(~np.isfinite(rows))[0])
        raise InputError(f"{what} are {rows[place]} in row {first + place[0]}, column {place[1]}; remove such rows.")
    return rows


def distance_on_device(a: "torch.Tensor", b: "torch.Tensor", epsilon: float) -> float | None:
    """|mu_a - mu_b|^2 + tr(C_a + C_b) - 2 tr((C_a + epsilon I) (C_b + epsilon I))^(1/2) of a (n, d) and b (m, d), the root's trace from the
    eigenvalues of L^T C_b L with C_a = L L^T, all in float64.

    None if the host must compute it: not more rows than dimensions, eigenvalues much smaller than the largest, or input that is not a matrix of
    finite floats.
    """
    import torch

    if not (a.is_floating_point() and b.is_floating_point()) or a.ndim != 2 or b.ndim != 2 or not 0 < a.shape[1] == b.shape[1] < min(len(a), len(b)):
        return None
    (mean_a, covariance_a), (mean_b, covariance_b) = _moments_on_device(a), _moments_on_device(b)
    rest = (mean_a - mean_b).square().sum() + covariance_a.trace() + covariance_b.trace()
    if not bool(torch.isfinite(rest)):
        return None
    for covariance in (covariance_a, covariance_b):
        covariance.diagonal().add_(epsilon)
    lower, fault = torch.linalg.cholesky_ex(covariance_a)
    if int(fault):
        return None
    values = torch.linalg.eigvalsh(lower.T @ covariance_b @ lower)
    if not bool(values[0] > _WORST_CONDITION * values[-1]):
        return None
    return float(rest - 2 * values.sqrt().sum())


def _moments_on_device(rows: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
    """Mean (d,) and covariance (d, d) in float64; copies only parts of the rows."""
    import torch

    rows = rows.detach()
    mean, scatter = (torch.zeros(shape, dtype=torch.float64, device=rows.device) for shape in (rows.shape[1:], (rows.shape[1],) * 2))
    for part in row_slices(*rows.shape):
        mean += rows[part].double().sum(0) / len(rows)
    for part in row_slices(*rows.shape):
        centered = rows[part].double() - mean
        scatter.addmm_(centered.T, centered)
    return mean, scatter / (len(rows) - 1)
