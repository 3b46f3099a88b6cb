"""Lengths that the paper's procedure gives to directions that the prompts do not determine.

Where dim is above the rank of the prompts, the minimum of Eq. 4 is 0 and is attained by many U. The procedure starts from random columns. Outside the
span of the prompts, the loss removes only what the prompts' codes reach, and they do not reach dim - rank directions of the code space: there the
random start survives as drawn (deviation 0.1), while the part inside the span grows until each prompt is reconstructed. Up to a rotation of the code
space, Adam ends at

    U = [ gain * Q | 0.1 * (I - Q Q^T) R ],    Q (r, rank) orthonormal, R (r, dim - rank) standard normal:

an image keeps what the prompts describe, and a faint random projection of the rest.

Directions in which the prompts hardly differ are not learned either: with learning rate 0.01 Adam stays about 0.003 radians from the minimum (0.004
with few prompts), and what varies less than that keeps its faint start. The minimum gives full length there, which amplifies directions in which
images vary for other reasons.

None of this is in the paper's equations: the lengths are fitted to Adam's results. `InDiReCT(solver="faded")` is the minimum with these lengths, and
`PCA(fade=True)` principal components with them, to separate the effect of the lengths from that of the subspace.
"""

import numpy as np

from likeness.arrays import Floats

START_DEVIATION = 0.1
# up to this share of unresolved directions, the minimum of the loss is kept as it is
_FEW = 0.05


def resolution(n: int) -> float:
    """Root mean square in radians of n prompts along a direction above which the paper's procedure gives it full length.

    Below, Adam's lengths fall about quadratically: measured for 17 to 569 prompts, dim 16 to 128 of 256 to 512, and spectra down to 0.0003.
    """
    return min(0.003 + 0.017 / n, 0.004)


def fade_unresolved(subspace: Floats, rows: Floats) -> Floats:
    """Shortens the directions of an orthonormal `subspace` (r, k) in which the unit rows (n, r) hardly differ.

    A direction of root mean square s below `resolution(n)` gets the length (s / resolution)^2.
    """
    codes = rows @ subspace
    # principal axes of the codes; the eigenvalues are the mean squares along them
    squares, axes = np.linalg.eigh(codes.T @ codes / len(rows))
    lengths = np.clip(squares / resolution(len(rows)) ** 2, 0, 1)
    return subspace if np.mean(lengths < 1) <= _FEW else (subspace @ axes) * lengths


def inside_gain(r: int, dim: int, rank: int) -> float:
    """Length that the paper's procedure gives to directions inside the span of the prompts, before scaling.

    A fit to what Adam reached at r 256 to 1,024, dim 8 to 256 and 2 to 100 prompts, random around a shared mean (4.3 to 12.3); within 15 % there. It
    includes the effect of the learning rate 0.01 and the patience of 100 steps.
    """
    return float(0.086 * r**0.64 * dim**0.24 / rank**0.25)


def outside_columns(basis: Floats, dim: int, seed: int) -> Floats:
    """The dim - rank faint random columns, orthogonal to `basis` (r, rank), that the paper's procedure leaves.

    Their length relative to the columns of `basis` is that of the random start relative to Adam's columns inside the span.
    """
    r, rank = basis.shape
    columns = np.random.default_rng(seed).standard_normal((r, dim - rank))
    columns -= basis @ (basis.T @ columns)
    return np.asarray(START_DEVIATION / inside_gain(r, dim, rank) * columns)
