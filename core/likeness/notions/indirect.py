"""InDiReCT: a projection learned from the embeddings of a few prompts and applied to the embeddings of images."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import Floats, is_torch, like, to_numpy
from likeness.errors import check_known
from likeness.notions.descent import Descent, descend
from likeness.notions.exact import best_subspace, leading_directions
from likeness.notions.fading import fade_unresolved, outside_columns
from likeness.notions.method import NotionMethod
from likeness.notions.projection import LinearProjection
from likeness.notions.prompt_rows import prompt_rows
from likeness.threads import one_blas_thread, threads_for

if TYPE_CHECKING:
    import torch

SOLVERS = ("exact", "adam", "faded")
# the authors' arccos is linear where its slope tends to infinity
_EDGE = 1e-7


class InDiReCT(LinearProjection):
    """Kobs et al., InDiReCT (WACV 2023), section 3: `InDiReCT(dim).fit(text).transform(images)`.

    Args:
        dim: dimensions r' of the space, at most those of the encoder.
        solver: "exact" is a minimum of Eq. 4 (see `likeness.notions.exact`), about a hundred times faster than the paper's procedure and with at most
            its loss, unless Adam finds a better one of several minima; if dim is above the rank of the prompts it keeps their span, and the other
            columns are zero. "adam" is the paper's procedure (section 4): random U, Adam, patience 100; it stops short of the minimum. "faded" is the
            minimum with faint directions where the prompts determine little, fitted to Adam's results (see `likeness.notions.fading`). With few
            prompts and many dimensions it retrieves about as well as "adam", with 569 car names better than either. With as few dimensions as the
            prompts suggest, all three agree. Only "adam" needs torch.
        seed: of Adam's start, or of the random columns of "faded".

    Attributes:
        U: (r, dim), of the input's type.
        loss_: mean angle between prompts and reconstructions, radians (Eq. 4).
        angles_: (n,) the angle of each prompt, radians.
        n_iter_: steps or iterations.
        last_gain_: decrease of the loss in radians by the last step, if "exact" or "faded" ended at their bound of work; 0 if the loss converged.

    Example:
        >>> text = np.eye(4)[:3] + 1
        >>> space = InDiReCT(dim=2).fit(text)
        >>> space.transform(np.eye(4)).shape
        (4, 2)
    """

    def __init__(self, dim: int = 128, solver: str = "exact", seed: int = 0) -> None:
        self.dim, self.solver, self.seed = dim, solver, seed

    def fit(self, text: Any, y: Any = None) -> "InDiReCT":
        """Learns U from the prompts' embeddings (n, r), NumPy or torch. Duplicates are allowed: each counts in the loss.

        InputError: unusable embeddings (shape, NaN, zeros), fewer than two different prompts, dim below 1 or above r, an unknown solver.
        """
        check_known("solver", self.solver, SOLVERS)
        rows = prompt_rows(text, self.dim)
        U = self._adam(text, rows.shape[1]) if self.solver == "adam" else self._minimum(rows)
        lost = angles(rows, U)
        self.angles_, self.loss_ = like(text)(lost), float(lost.mean())
        self.U = like(text)(U)
        return self

    def describe_loss(self) -> str:
        """The loss in words, such as "mean angle 10.7 degrees"; also the gain of the last step if the steps ended at their bound."""
        degrees = float(np.degrees(self.loss_))
        text = f"mean angle {f'{degrees:.3g}' if degrees > 1e-3 else '0'} degrees"
        if not self.last_gain_:
            return text
        return f"{text} after {self.n_iter_} steps, the last of which lowered it by {np.degrees(self.last_gain_):.1g}"

    @one_blas_thread()
    def _minimum(self, rows: Floats) -> Floats:
        basis = leading_directions(rows, self.dim)
        r, found = basis.shape
        subspace, self.n_iter_, self.last_gain_ = best_subspace(rows, basis) if found == self.dim else (basis, 0, 0.0)
        if self.solver == "exact":
            return np.hstack([subspace, np.zeros((r, self.dim - found))])
        return np.hstack([fade_unresolved(subspace, rows), outside_columns(basis, self.dim, self.seed)])

    def _adam(self, text: Any, r: int) -> Floats:
        tensor = text if is_torch(text) else to_numpy(text).astype(np.float32)
        # multiply-adds of a step: two products forward, four backward
        with threads_for(6 * tensor.shape[0] * r * self.dim):
            fit = fit_adam(tensor, random_start(r, self.dim, self.seed))
        self.n_iter_, self.last_gain_ = fit.n_iter, 0.0
        return to_numpy(fit.best[0]).astype(np.float64)


INDIRECT_EXACT = NotionMethod(
    "exact",
    "InDiReCT (exact)",
    "InDiReCT: keeps the directions in which the prompts lie, computed directly.",
    lambda dim, seed: InDiReCT(dim, "exact", seed),
    paper="Kobs et al., WACV 2023",
)
_INDIRECT_ADAM = "InDiReCT as in the paper: the same objective by gradient descent, which takes some seconds."
INDIRECT_ADAM = NotionMethod("adam", "InDiReCT (Adam)", _INDIRECT_ADAM, lambda dim, seed: InDiReCT(dim, "adam", seed), paper="Kobs et al., WACV 2023")
_INDIRECT_FADED = "InDiReCT with faint directions where the prompts hardly differ, fitted to the results of gradient descent."
INDIRECT_FADED = NotionMethod("faded", "InDiReCT (faded)", _INDIRECT_FADED, lambda dim, seed: InDiReCT(dim, "faded", seed))


def angles(rows: Floats, U: Floats) -> Floats:
    """Angles (n,), radians in 0..pi/2, between unit prompts (n, r), float64, and their reconstructions from U (r, dim) of any scale (Eq. 1 to 4): 0
    if nothing is lost, pi/2 if the code is zero.
    """
    reconstruction = (rows @ U) @ U.T
    lengths = np.linalg.norm(reconstruction, axis=1, keepdims=True)
    unit = np.divide(reconstruction, lengths, out=np.zeros_like(reconstruction), where=lengths > 0)
    # the angle of two unit vectors from the chord and its complement: exact to 1e-16 near 0, unlike arccos
    return np.asarray(2 * np.arctan2(np.linalg.norm(rows - unit, axis=1), np.linalg.norm(rows + unit, axis=1)))


def random_start(r: int, dim: int, seed: int) -> "torch.Tensor":
    """U (r, dim) as initialized (section 4 of the paper): N(0, 0.1), where 0.1 is the standard deviation in the authors' code."""
    import torch

    return torch.randn(r, dim, generator=torch.Generator().manual_seed(seed)) * 0.1


def safe_arccos(cosines: "torch.Tensor") -> "torch.Tensor":
    """arccos with finite gradients: for |x| > 1 - 1e-7 a line that reaches 0 at 1 and pi at -1, as in the authors' code.

    Rounding can put a cosine above 1, so a loss near 0 can be slightly negative.
    """
    import torch

    inner = torch.arccos(cosines.clamp(-1 + _EDGE, 1 - _EDGE))
    # lines that meet arccos at the edge, and 0 or pi at the end
    slope = float(np.arccos(1 - _EDGE)) / _EDGE
    near_one = (1 - cosines) * slope
    near_minus_one = torch.pi - (1 + cosines) * slope
    return torch.where(cosines > 1 - _EDGE, near_one, torch.where(cosines < -1 + _EDGE, near_minus_one, inner))


def loss(rows: "torch.Tensor", U: "torch.Tensor") -> "torch.Tensor":
    """Mean angle between unit rows (n, r) and their reconstructions, radians (Eq. 2 to 4), differentiable in U (r, dim)."""
    from torch.nn.functional import normalize

    codes = normalize(rows @ U)
    return safe_arccos((rows * normalize(codes @ U.T)).sum(dim=1)).mean()


def fit_adam(rows: Any, start: Any) -> Descent:
    """Trains from U (r, dim) on prompts (n, r), which are normalized here (Eq. 1), in float32, on their device; see `descend`."""
    import torch
    from torch.nn.functional import normalize

    rows = normalize((rows if is_torch(rows) else torch.as_tensor(rows)).detach().float())

    def objective(parameters: "Sequence[torch.Tensor]", gradients: "Sequence[torch.Tensor]") -> "torch.Tensor":
        U = parameters[0].detach().requires_grad_()
        value = loss(rows, U)
        gradients[0].copy_(torch.autograd.grad(value, U)[0])
        return value

    return descend([(start if is_torch(start) else torch.as_tensor(start)).detach().to(rows)], objective)
