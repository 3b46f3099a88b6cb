"""InDiReCT: a projection learnt on the embeddings of a few prompts, applied to the embeddings of images."""

from typing import Any

import numpy as np

from likeness.arrays import Floats, is_torch, like, to_numpy
from likeness.errors import InputError
from likeness.notions.adam import fit_adam, random_start
from likeness.notions.exact import best_subspace, leading_directions
from likeness.notions.method import Method
from likeness.notions.outside import fade_unresolved, outside_columns
from likeness.notions.projection import LinearProjection
from likeness.notions.prompt_rows import prompt_rows
from likeness.notions.reconstruction import angles
from likeness.threads import threads_for

SOLVERS = ("exact", "adam")
OUTSIDE = ("paper", "none")


class InDiReCT(LinearProjection):
    """Kobs et al., InDiReCT (WACV 2023), section 3: `InDiReCT(dim).fit(text).transform(images)`.

    Args:
        dim: dimensions r' of the space, at most those of the encoder.
        solver: "adam" is the paper's procedure (section 4): random U, Adam, patience 100. "exact" goes to the minimum directly (see
            `likeness.notions.exact`), some hundred times faster and with a loss that is not higher; it needs no torch.
        seed: of Adam's start; in "exact", of the random columns outside the span of the prompts.
        outside: what "exact" does with what the prompts do not determine (see `likeness.notions.outside`). "paper" retrieves as Adam does:
            where dim is above the rank of the prompts, so that many U have loss 0, a faint random projection of what no prompt speaks of
            stays, and directions along which the prompts differ by less than Adam resolves, 0.003 to 0.004 radians, are shortened. "none" is the
            minimum of the loss alone, and drops what no prompt speaks of.

    Attributes:
        U: (r, dim), of the kind that the text came in.
        loss_: mean angle between prompts and reconstructions, radians (Eq. 4).
        angles_: (n,) the angle of each prompt, radians.
        n_iter_: steps or iterations.

    Example:
        >>> text = np.eye(4)[:3] + 1
        >>> space = InDiReCT(dim=2).fit(text)
        >>> space.transform(np.eye(4)).shape
        (4, 2)
    """

    def __init__(self, dim: int = 128, solver: str = "exact", seed: int = 0, outside: str = "paper") -> None:
        self.dim, self.solver, self.seed, self.outside = dim, solver, seed, outside

    def fit(self, text: Any) -> "InDiReCT":
        """Learns U from the prompts' embeddings (n, r), NumPy or torch.

        Duplicates are allowed: each counts in the loss.

        Raises:
            InputError: unusable embeddings (shape, NaN, zeros), fewer than two different prompts, dim below 1 or above r, an unknown
                solver.
        """
        self._check()
        rows = prompt_rows(text, self.dim)
        U = self._adam(text, rows.shape[1]) if self.solver == "adam" else self._exact(rows)
        lost = angles(rows, U)
        self.angles_, self.loss_ = like(text)(lost), float(lost.mean())
        self.U = like(text)(U)
        return self

    def _check(self) -> None:
        if self.solver not in SOLVERS:
            raise InputError(f"There is no solver '{self.solver}'; choose from {', '.join(SOLVERS)}.")
        if self.outside not in OUTSIDE:
            raise InputError(f"There is no outside '{self.outside}'; choose from {', '.join(OUTSIDE)}.")

    def _exact(self, rows: Floats) -> Floats:
        basis = leading_directions(rows, self.dim)
        r, found = basis.shape
        subspace, self.n_iter_ = best_subspace(rows, basis) if found == self.dim else (basis, 0)
        as_paper = self.outside == "paper"
        inside = fade_unresolved(subspace, rows) if as_paper else subspace
        if found == self.dim:
            return inside
        return np.hstack([inside, outside_columns(basis, self.dim, self.seed) if as_paper else np.zeros((r, self.dim - found))])

    def _adam(self, text: Any, r: int) -> Floats:
        tensor = text if is_torch(text) else to_numpy(text).astype(np.float32)
        # two products forward, four backward
        with threads_for(6 * tensor.shape[0] * r * self.dim):
            fit = fit_adam(tensor, random_start(r, self.dim, self.seed))
        self.n_iter_ = fit.n_iter
        return to_numpy(fit.U).astype(np.float64)


INDIRECT_EXACT = Method(
    "exact",
    "InDiReCT (exact)",
    "InDiReCT: keeps the directions in which the prompts lie, computed at once.",
    lambda dim, seed: InDiReCT(dim, "exact", seed),
)
INDIRECT_ADAM = Method(
    "adam",
    "InDiReCT (Adam)",
    "InDiReCT as in the paper: the same aim, reached by gradient steps that take some seconds.",
    lambda dim, seed: InDiReCT(dim, "adam", seed),
)
