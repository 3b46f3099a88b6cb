"""How well a projection keeps the prompts: the angle between an embedding and its reconstruction, InDiReCT's objective."""

from typing import Any

import numpy as np

from likeness.arrays import Floats, checked_rows, like, to_numpy, unit_rows


def reconstruction_angles(text: Any, U: Any) -> Any:
    """Angle between each prompt and its reconstruction from the projection (Eq. 1 to 4 of the InDiReCT paper).

    Args:
        text: (n, r), NumPy or torch.
        U: (r, dim), in any scale.

    Returns:
        (n,) radians in 0..pi/2, of the kind of `text`: 0 where the projection loses nothing of the prompt. A prompt whose code is zero
        is lost altogether: pi/2.

    Raises:
        InputError: rows that are not finite or all zero.
    """
    rows = unit_rows(checked_rows(text, "The prompt embeddings", np.float64), "The prompt embeddings")
    return like(text)(angles(rows, to_numpy(U).astype(np.float64)))


def angles(rows: Floats, U: Floats) -> Floats:
    """`reconstruction_angles` on unit float64 rows (n, r)."""
    reconstruction = (rows @ U) @ U.T
    lengths = np.linalg.norm(reconstruction, axis=1, keepdims=True)
    unit = np.divide(reconstruction, lengths, out=np.zeros_like(reconstruction), where=lengths > 0)
    # The angle of two unit vectors from the chord and its complement: unlike arccos, exact to 1e-16 near 0.
    return np.asarray(2 * np.arctan2(np.linalg.norm(rows - unit, axis=1), np.linalg.norm(rows + unit, axis=1)))
