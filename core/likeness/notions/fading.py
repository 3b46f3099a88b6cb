"""What the paper's procedure leaves of directions that the prompts do not determine: they fade.

Where dim is above the rank of the prompts, the minimum of Eq. 4 is 0 and is attained by many U. The procedure starts from random columns: of their
part outside the span of the prompts, the loss only removes what the prompts' codes would reach, and dim - rank directions of the code space are out
of their reach. There the random start survives, as drawn (deviation 0.1), while the part inside the span grows until each prompt is reconstructed. So
what Adam ends at is, up to a rotation of the code space,

    U = [ gain * Q | 0.1 * (I - Q Q^T) R ],    Q (r, rank) orthonormal, R (r, dim - rank) standard normal:

an image keeps what the prompts speak of, and a faint random projection of the rest.

Directions along which the prompts hardly differ are not learnt either: at its rate of 0.01 Adam comes no closer to the minimum than some 0.003
radians (0.004 with few prompts), and what varies less than that keeps its faint start. Full length there, as the minimum has it, raises directions
along which images vary for other reasons.

None of this is in the paper's equations: the lengths are read off from what Adam reached. `InDiReCT(solver="faded")` is the minimum with these
lengths, and `PCA(fade=True)` principal components with them, so that what the fade gains is seen beside what the subspace does.
"""

import numpy as np

from likeness.arrays import Floats

START_DEVIATION = 0.1
# If no more than this share of the directions is unresolved, the minimum of the loss is kept as it is.
_FEW = 0.05


def resolution(n: int) -> float:
    """Root mean square, in radians, of n prompts along a direction, from which on the paper's procedure gives it full length.

    Below, the lengths that Adam reached fall about as the square: read off for 17 to 569 prompts, dim 16 to 128 of 256 to 512, and
    spectra that fall to 0.0003.
    """
    return min(0.003 + 0.017 / n, 0.004)


def fade_unresolved(subspace: Floats, rows: Floats) -> Floats:
    """`subspace` (r, k), orthonormal, with directions shortened along which the n unit rows (n, r) hardly differ.

    A direction of root mean square s below `resolution(n)` gets the length (s / resolution)^2.
    """
    codes = rows @ subspace
    squares, axes = np.linalg.eigh(codes.T @ codes / len(rows))
    lengths = np.clip(squares / resolution(len(rows)) ** 2, 0, 1)
    return subspace if np.mean(lengths < 1) <= _FEW else (subspace @ axes) * lengths


def inside_gain(r: int, dim: int, rank: int) -> float:
    """Length that the paper's procedure gives to directions inside the span of the prompts, before scaling.

    A fit to what Adam reached at r 256 to 1,024, dim 8 to 256 and 2 to 100 prompts, random around a shared mean (4.3 to 12.3); within 15 % there.
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
