"""Checks shared by the estimators that learn from prompts."""

from typing import Any

import numpy as np

from likeness.arrays import Floats, checked_rows, unit_rows
from likeness.errors import InputError


def prompt_rows(text: Any, dim: Any) -> Floats:
    """Unit rows (n, r), float64, of the prompts' embeddings (Eq. 1), for an estimator of `dim` dimensions.

    InputError: unusable embeddings, dim below 1 or above r, fewer than two different prompts.
    """
    rows = unit_rows(checked_rows(text, "The prompt embeddings", np.float64), "The prompt embeddings")
    check_dim(dim, rows.shape[1])
    if len(rows) < 2:
        raise InputError("There is only one prompt, so nothing varies; pass at least two different ones.")
    if np.abs(rows - rows[0]).max() < 1e-6:
        raise InputError(
            f"All {len(rows)} prompts have the same embedding, so nothing varies: the encoder does not know the aspects, or truncates "
            "the prompts before them; choose other aspects, or shorten the template."
        )
    return rows


def check_dim(dim: Any, r: int) -> None:
    """InputError: dim is not a whole number from 1 to the encoder's width r."""
    if not isinstance(dim, (int, np.integer)) or not 1 <= dim <= r:
        raise InputError(f"dim is {dim!r}, but the encoder has {r} dimensions; choose a whole number from 1 to {r}.")


def fitted_width(estimator: Any) -> int:
    """Dimensions r that an estimator was fitted for. InputError, which is also scikit-learn's NotFittedError: it is not fitted."""
    if not hasattr(estimator, "n_features_in_"):
        from likeness.notions.not_fitted import NotFittedInputError

        raise NotFittedInputError(f"This {type(estimator).__name__} is not fitted yet; call fit(text, ...) with the prompts' embeddings first.")
    return int(estimator.n_features_in_)


def check_width(rows: Any, r: int) -> None:
    """InputError: the images (m, r) are not as wide as what was fitted."""
    if rows.shape[1] != r:
        raise InputError(f"The images have {rows.shape[1]} dimensions, but the notion was fitted in {r}; use the same encoder for both.")


def image_rows(images: Any, r: int, normalize: bool = True) -> Floats:
    """Rows (m, r) of images' embeddings, in their precision. InputError: not finite, of another width than the prompts, or (normalize) all zero."""
    rows = checked_rows(images, "The image embeddings", None)
    check_width(rows, r)
    return unit_rows(rows, "The image embeddings") if normalize else rows
