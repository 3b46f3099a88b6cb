"""The Frechet distance of two sets of features, exact also where there are fewer rows than dimensions."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import device_of, row_slices, to_numpy
from likeness.errors import InputError

if TYPE_CHECKING:
    import torch

Variant = Literal["paper", "official"]
Matrix = NDArray[np.float64]

# What the authors' code adds to both covariances within the root.
_EPSILON = 1e-8
# Of the smallest to the largest eigenvalue: down to it, squared ones keep more than six digits of their share.
_WORST_CONDITION = 1e-10
# Values of which a copy in float64 is made; of more, parts are read.
_AT_ONCE = 15_000_000


def frechet_distance(features_a: Any, features_b: Any, variant: Variant = "paper") -> float:
    """|mu_a - mu_b|^2 + tr(C_a + C_b - 2 (C_a C_b)^(1/2)) of two sets' means and covariances (ooDML, Milbich et al., NeurIPS 2021, Eq. 1).

    With factors C = F^T F, the trace of the root is the sum of the singular values of F_a F_b^T: no root of a matrix, and no covariance
    where rows are fewer than dimensions. F are the centred rows themselves, or, of more rows than dimensions, the triangle of their QR
    decomposition. Zero or more; zero for equal sets.

    Args:
        features_a, features_b: (n, d) and (m, d), NumPy or torch, two rows or more. Many may be memory-mapped, and are
            read in parts of some 16 MB. Where both are tensors on one GPU, of more rows than dimensions, that computes, in float64 and in parts;
            few rows and covariances that are nearly singular take the way of the host, and so does Apple's MPS, which has no float64.
        variant: "paper" is Eq. 1; "official" adds 1e-8 to both diagonals within the root, as the authors' code does, and so comes out too
            low: by 2e-8 d where covariances have full rank, and by far more where they have not.

    Raises:
        InputError: fewer than two rows, other dimensions, values that are not finite, or an unknown variant.
    """
    if variant not in ("paper", "official"):
        raise InputError(f"There is no variant '{variant}'; choose paper or official.")
    if device_of(features_a) is not None and device_of(features_a) == device_of(features_b):
        found = distance_on_device(features_a, features_b, 0.0 if variant == "paper" else _EPSILON)
        if found is not None:
            return max(found, 0.0) if variant == "paper" else found
    (mean_a, factor_a), (mean_b, factor_b) = _moments(features_a, "The first features"), _moments(features_b, "The second features")
    if len(mean_a) != len(mean_b):
        raise InputError(f"The features have {len(mean_a)} and {len(mean_b)} dimensions; give features of one encoder.")
    traces = float(sum(np.einsum("ij,ij->", factor, factor) for factor in (factor_a, factor_b)))
    root = _trace_of_root(factor_a, factor_b) if variant == "paper" else _official_root(factor_a, factor_b)
    distance = float(np.square(mean_a - mean_b).sum()) + traces - 2 * root
    return max(distance, 0.0) if variant == "paper" else distance


def _moments(features: Any, what: str) -> tuple[Matrix, Matrix]:
    """The mean (d,) and F (k, d) with F^T F the covariance, which has n - 1 as its divisor."""
    rows = to_numpy(features)
    if rows.ndim == 2 and len(rows) > rows.shape[1] and rows.size > _AT_ONCE:
        return _moments_of_many(rows, what)
    rows = _checked(rows, what, least=2)
    mean = rows.mean(axis=0)
    centered = rows - mean
    centered /= np.sqrt(len(rows) - 1)
    return mean, centered


def _moments_of_many(rows: NDArray[Any], what: str) -> tuple[Matrix, Matrix]:
    """The same of rows that are read in parts: F is a triangle of the covariance, or, where that has lost small eigenvalues, of the rows."""
    mean, scatter, count = np.zeros(rows.shape[1]), np.zeros((rows.shape[1],) * 2), 0
    for part in row_slices(*rows.shape):
        # merged as by Chan, Golub and LeVeque (1983), so that order and size of the parts matter in the last digits only
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

    Of more rows than dimensions on both sides it is also that of the roots of the eigenvalues of C_a C_b, a symmetric problem, in a fourth of
    the time. Squaring costs half of the digits where eigenvalues are small against the largest, so it counts only where none is.
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
    """Of the product of two covariances, in ascending order: those of L^T B L with A = L L^T; a zero where A has no such root."""
    import scipy.linalg

    try:
        lower = scipy.linalg.cholesky(a.T, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return np.zeros(1)
    half = scipy.linalg.blas.dtrmm(1.0, lower, b.T, lower=1, trans_a=1, overwrite_b=1)
    whole = scipy.linalg.blas.dtrmm(1.0, lower, half, side=1, lower=1, overwrite_b=1)
    return np.asarray(scipy.linalg.eigvalsh(whole, overwrite_a=True, check_finite=False))


def _official_root(a: Matrix, b: Matrix) -> float:
    """The same with 1e-8 on both diagonals. Outside the rows' span, where they are few, both covariances are 1e-8 times the identity."""
    dim = a.shape[1]
    if len(a) + len(b) < dim:
        basis = np.linalg.qr(np.vstack([a, b]).T)[0]
        a, b = a @ basis, b @ basis
    return float(_trace_of_root(_widened(a), _widened(b)) + _EPSILON * (dim - a.shape[1]))


def _small(factor: Matrix, covariance: Matrix | None) -> Matrix:
    """A factor of as many rows as dimensions at most: a triangle of the covariance, or, where that has lost small eigenvalues, of the rows."""
    if len(factor) <= factor.shape[1]:
        return factor
    whole = _root_of(factor.T @ factor if covariance is None else covariance)
    return np.asarray(np.linalg.qr(factor, mode="r")) if whole is None else whole


def _root_of(covariance: Matrix) -> Matrix | None:
    """The triangle F (d, d) with F^T F this covariance; None where it holds small eigenvalues with few digits."""
    values = np.linalg.eigvalsh(covariance)
    return np.asarray(np.linalg.cholesky(covariance).T) if values[0] > _WORST_CONDITION * values[-1] else None


def _widened(factor: Matrix) -> Matrix:
    return np.vstack([factor, np.sqrt(_EPSILON) * np.eye(factor.shape[1])])


def _checked(features: Any, what: str, least: int, first: int = 0) -> Matrix:
    """Rows (n, d) in float64; they may be a part, from row number `first` on."""
    rows = to_numpy(features)
    if rows.ndim != 2 or rows.dtype.kind not in "fiu" or not rows.shape[1]:
        raise InputError(f"{what} have shape {rows.shape}, type {rows.dtype}; give numbers of shape (rows, dimensions).")
    if len(rows) < least:
        raise InputError(f"{what} have {len(rows)} rows; a covariance needs two.")
    rows = rows.astype(np.float64, copy=False)
    if not np.isfinite(rows).all():
        place = tuple(int(each) for each in np.argwhere(~np.isfinite(rows))[0])
        raise InputError(f"{what} are {rows[place]} in row {first + place[0]}, column {place[1]}; take such rows out.")
    return rows


def distance_on_device(a: "torch.Tensor", b: "torch.Tensor", epsilon: float) -> float | None:
    """|mu_a - mu_b|^2 + tr(C_a + C_b) - 2 tr((C_a + epsilon I) (C_b + epsilon I))^(1/2) of a (n, d) and b (m, d), the root's trace from the
    eigenvalues of L^T C_b L with C_a = L L^T, all in float64.

    None where the host has to decide: no more rows than dimensions, eigenvalues that are small beside the largest, or what is no matrix of
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
    """The mean (d,) and the covariance (d, d), in float64; of the rows only parts are copied."""
    import torch

    rows = rows.detach()
    mean, scatter = (torch.zeros(shape, dtype=torch.float64, device=rows.device) for shape in (rows.shape[1:], (rows.shape[1],) * 2))
    for part in row_slices(*rows.shape):
        mean += rows[part].double().sum(0) / len(rows)
    for part in row_slices(*rows.shape):
        centered = rows[part].double() - mean
        scatter.addmm_(centered.T, centered)
    return mean, scatter / (len(rows) - 1)
