"""What InDiReCT does with the part of an image that no prompt speaks of, when there are more dimensions than the prompts fill.

Then a loss of 0 is attained and the optimum is not unique. The paper's procedure starts from random columns: of their part outside the
span of the prompts, the loss only removes what the prompts' codes would reach, and dim - rank directions of the code space are out of
their reach. There the random start survives, as drawn (deviation 0.1), while the part inside the span grows until each prompt is
reconstructed. So the fitted U is, up to a rotation of the code space,

    U = [ gain * Q | 0.1 * (I - Q Q^T) R ],    Q (r, rank) orthonormal, R (r, dim - rank) standard normal:

an image keeps what the prompts speak of, and a faint random projection of the rest.

Directions along which the prompts hardly differ are not learnt either: at its rate of 0.01 Adam comes no closer to the optimum than some
0.003 radians, and what varies less than that keeps its faint start. Full length there would raise directions along which images vary
for other reasons; the loss hardly notices, retrieval does where such directions are many (569 car names, of which the model knows little
more than the body type).
"""

import numpy as np

from likeness.notions.arrays import Floats

START_DEVIATION = 0.1
# Root mean square, in radians, of the prompts along a direction, from which on it has full length. Below, Adam's lengths fall about as
# the square: measured for 17 to 569 prompts, dim 16 to 128 of 256 to 512, and spectra down to 0.0003.
_RESOLVED = 0.003
# Fewer unresolved directions than this share change nothing that could be measured, and the minimum of the loss is kept as it is.
_FEW = 0.1


def fade_unresolved(subspace: Floats, rows: Floats) -> Floats:
    """`subspace` (r, k), orthonormal, with directions shortened along which the unit rows (n, r) hardly differ: by (rms / 0.003 rad)^2."""
    codes = rows @ subspace
    squares, axes = np.linalg.eigh(codes.T @ codes / len(rows))
    lengths = np.clip(squares / _RESOLVED**2, 0, 1)
    return subspace if np.mean(lengths < 1) <= _FEW else (subspace @ axes) * lengths


def inside_gain(r: int, dim: int, rank: int) -> float:
    """Length that the paper's procedure gives to directions inside the span of the prompts, before scaling.

    A fit to what Adam reached at r 256 to 1,024, dim 8 to 256 and 2 to 100 prompts of CLIP-like embeddings (4.3 to 12.3); within 15 % there.
    The dimensionless learning rate 0.01 and the patience of 100 steps are in it.
    """
    return float(0.086 * r**0.64 * dim**0.24 / rank**0.25)


def outside_columns(basis: Floats, dim: int, seed: int) -> Floats:
    """The dim - rank faint random columns that the paper's procedure leaves at right angles to `basis` (r, rank).

    Their scale is to the columns of `basis` as the random start is to what Adam makes of the inside.
    """
    r, rank = basis.shape
    columns = np.random.default_rng(seed).standard_normal((r, dim - rank))
    columns -= basis @ (basis.T @ columns)
    return np.asarray(START_DEVIATION / inside_gain(r, dim, rank) * columns)
