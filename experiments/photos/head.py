"""The head of the photo encoder, in closed form: maps the network's features and sentences into one space."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class HeadRecipe:
    """Hyperparameters of the head.

    Attributes:
        temperature: of the classifier's probabilities.
        names_weight: of the names that the classifier guesses, beside sentences of length 1.
        ridge: of the regression from features to what the names leave.
        evenness: how far the captions' main directions stay ahead of the others; 0 makes all equally long.
        reduced_px, reduced_weight: each photo trains a second time, with so little weight, after its short side was reduced to so many pixels: what
            is small or blurred looks different to the network.
    """

    temperature: float = 3.0
    names_weight: float = 1.5
    ridge: float = 4.5
    evenness: float = 3.0
    reduced_px: int = 32
    reduced_weight: float = 0.5


@dataclass(frozen=True)
class PhotoFeatures:
    """Of n photos: `roots` (n, 1280) of the pooled features, and the classifier's `logits` (n, 1000)."""

    roots: Rows
    logits: Rows

    def __getitem__(self, rows: NDArray[np.integer]) -> "PhotoFeatures":
        return PhotoFeatures(self.roots[rows], self.logits[rows])


def fit_twice(features: PhotoFeatures, reduced: PhotoFeatures, captions: Rows, names: Rows, recipe: HeadRecipe) -> dict[str, Rows]:
    """`fit_head` on photos as they are and, with less weight, on the same photos reduced in size."""
    roots, logits = np.concatenate([features.roots, reduced.roots]), np.concatenate([features.logits, reduced.logits])
    weights = np.repeat([1.0, recipe.reduced_weight], len(captions))
    return fit_head(roots, logits, np.concatenate([captions, captions]), names, recipe, weights)


def fit_head(roots: Rows, logits: Rows, captions: Rows, names: Rows, recipe: HeadRecipe, weights: Rows | None = None) -> dict[str, Rows]:
    """The arrays of the head.

    The guess of an image is the mean of the classes' names by their probabilities. A ridge regression takes the roots of its features to the
    mean of its captions less that guess. Both sides are then multiplied by (C + e I)^-1/2, C the covariance of the captions.

    Args:
        roots: (n, 1280) `root_rows` of the training images' features.
        logits: (n, 1000) of the classifier.
        captions: (n, k, 384) unit vectors of k captions of each image.
        names: (1000, 384) vectors of the classes' names.
        recipe: the constants.
        weights: (n,) of the images; all 1 by default.

    Returns:
        temperature (); names (1000, 384); features (1280, 384); bias (384,); center (384,) and text (384, 384) of the sentences.
    """
    from sklearn.linear_model import Ridge

    sentences = captions.reshape(-1, captions.shape[-1])
    center = sentences.mean(0)
    weighted = recipe.names_weight * (names - names.mean(0))
    left = captions.mean(1) - center - probabilities(logits, recipe.temperature) @ weighted
    regression = Ridge(alpha=recipe.ridge).fit(roots, left, sample_weight=weights)
    text = evening(sentences - center, recipe.evenness)
    return {
        "temperature": np.float64(recipe.temperature),
        "names": weighted @ text,
        "features": regression.coef_.T @ text,
        "bias": regression.intercept_ @ text,
        "center": center,
        "text": text,
    }


def evening(rows: Rows, evenness: float) -> Rows:
    """(C + e I)^-1/2 of centered rows (n, d), C their covariance and e `evenness` times its mean eigenvalue; lengths stay about as they are."""
    values, vectors = np.linalg.eigh(rows.T @ rows / len(rows))
    values = values + evenness * values.mean()
    scaled: Rows = vectors * np.sqrt(values.mean() / values)
    return np.asarray(scaled @ vectors.T)


def probabilities(logits: Rows, temperature: float) -> Rows:
    """Rows (n, c) that sum to 1."""
    return np.asarray(softmax(logits / temperature, axis=1))
