"""The Frechet distance of features that lie on a torch device, where the covariances have full rank."""

from typing import TYPE_CHECKING

from likeness.arrays import row_slices

if TYPE_CHECKING:
    import torch


def distance_on_device(a: "torch.Tensor", b: "torch.Tensor", epsilon: float, worst_condition: float) -> float | None:
    """|mu_a - mu_b|^2 + tr(C_a + C_b) - 2 tr((C_a + epsilon I) (C_b + epsilon I))^(1/2), the root's trace from the eigenvalues of L^T C_b L with
    C_a = L L^T, all in float64.

    Args:
        a, b: (n, d) and (m, d).
        epsilon: on both diagonals within the root.
        worst_condition: of the smallest to the largest eigenvalue, down to which squared ones keep enough digits.

    Returns:
        None where the host has to decide: no more rows than dimensions, small eigenvalues, or what is no matrix of finite floats.
    """
    import torch

    if not (a.is_floating_point() and b.is_floating_point()) or a.ndim != 2 or b.ndim != 2 or not 0 < a.shape[1] == b.shape[1] < min(len(a), len(b)):
        return None
    (mean_a, covariance_a), (mean_b, covariance_b) = _moments(a), _moments(b)
    rest = (mean_a - mean_b).square().sum() + covariance_a.trace() + covariance_b.trace()
    if not bool(torch.isfinite(rest)):
        return None
    for covariance in (covariance_a, covariance_b):
        covariance.diagonal().add_(epsilon)
    lower, fault = torch.linalg.cholesky_ex(covariance_a)
    if int(fault):
        return None
    values = torch.linalg.eigvalsh(lower.T @ covariance_b @ lower)
    if not bool(values[0] > worst_condition * values[-1]):
        return None
    return float(rest - 2 * values.sqrt().sum())


def _moments(rows: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
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
