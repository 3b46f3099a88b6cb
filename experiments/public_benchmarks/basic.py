"""BASIC, a fusion of the similarities to an image and to a text without training (Psomas et al., NeurIPS 2025, arXiv 2510.25387)."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

# What a picture may be besides what it shows: the corpus that is taken away. Ours; the authors' lists are in their repository, billpsomas/icir.
STYLES = (
    *(
        "a drawing",
        "a pencil sketch",
        "an oil painting",
        "a watercolor",
        "a cartoon",
        "a sculpture",
        "a toy",
        "an old photo",
        "an origami",
        "a tattoo",
    ),
    *("at night", "at sunset", "in the rain", "in the snow", "in fog", "under water", "on a beach", "in a forest", "in a city", "in a kitchen"),
    *("seen from above", "seen from behind", "close up", "far away", "in black and white", "with people", "in a mirror", "on a poster", "indoors"),
)


class BASIC:
    """s = s_i s_t - lambda (s_i + s_t)^2, Harris's criterion of two similarities that are both to be large.

    1. Images are centered by the mean of images, texts by the mean of texts that name things.
    2. The query image is projected on the leading eigenvectors of (1 - alpha) S_things - alpha S_styles, scatter matrices of text rows (contrastive
       PCA), of eigenvalues above 0 and `dim` at most.
    3. s_i and s_t, inner products with the centered images, are shifted and scaled by the least similarity seen beforehand, (s - min) / |min|, and
       what is below 0 is 0.

    Here the means and least similarities are of the benchmark's own images and texts, without labels; the authors take means over LAION-1M and least
    similarities of generated pictures, add names of things to each text, and their code divides s_t by the minimum of s_i. The corpora differ, too:
    here ImageNet's class names and `STYLES`. Query expansion is left out, as in the figure 34.35.

    Args:
        alpha: weight of the styles, 0.2 in the paper.
        dim: most directions that are kept, 250 in the paper.
        harris: lambda, 0.1 in the paper.
    """

    def __init__(self, alpha: float = 0.2, dim: int = 250, harris: float = 0.1) -> None:
        self.alpha, self.dim, self.harris = alpha, dim, harris

    def fit(self, images: NDArray[np.floating], texts: NDArray[np.floating], things: NDArray[np.floating], styles: NDArray[np.floating]) -> "BASIC":
        """Takes unit rows: images (n, d), texts of queries (k, d), names of things (a, d), of styles (b, d).

        Raises:
            InputError: fewer than two things or styles.
        """
        if min(len(things), len(styles)) < 2:
            raise InputError("BASIC needs at least two object names and two style names; add more.")
        self.image_mean_, self.text_mean_ = images.mean(axis=0), things.mean(axis=0)
        scatter = (1 - self.alpha) * _scatter(things - self.text_mean_) - self.alpha * _scatter(styles - self.text_mean_)
        values, vectors = np.linalg.eigh(scatter.astype(np.float64))
        kept = np.flatnonzero(values > 0)[::-1][: self.dim]
        self.projection_ = (vectors[:, kept] @ vectors[:, kept].T).astype(np.float32)
        centered = images - self.image_mean_
        self.least_image_ = float((centered @ self.projection_ @ centered.T).min())
        self.least_text_ = float(((texts - self.text_mean_) @ centered.T).min())
        return self

    def score(self, image: NDArray[np.floating], text: NDArray[np.floating], gallery: NDArray[np.floating]) -> NDArray[np.float32]:
        """Unit rows of query images and their texts (q, d) and of a gallery (n, d) -> (q, n)."""
        centered = (gallery - self.image_mean_).T
        by_image = _normalized((image - self.image_mean_) @ self.projection_ @ centered, self.least_image_)
        by_text = _normalized((text - self.text_mean_) @ centered, self.least_text_)
        return np.asarray(by_image * by_text - self.harris * (by_image + by_text) ** 2, np.float32)


def _scatter(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    return rows.T @ rows / (len(rows) - 1)


def _normalized(similarities: NDArray[np.floating], least: float) -> NDArray[np.floating]:
    return np.asarray(np.maximum((similarities - least) / max(abs(least), 1e-6), 0))
