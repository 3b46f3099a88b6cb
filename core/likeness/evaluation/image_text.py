"""Retrieval of images by their captions, and of captions by their images."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.search import nearest

KS = (1, 5, 10)


def image_text_metrics(
    images: NDArray[np.float32], texts: NDArray[np.float32], owners: NDArray[np.int64], ks: Sequence[int] = KS
) -> dict[str, float]:
    """Shares, 0 to 1, of texts whose image is among the k nearest images, and of images that have one of their texts among the k nearest texts.

    Args:
        images, texts: unit rows (n, d) and (m, d).
        owners: (m,), the image of each text, as its row; every image has one.
        ks: those above n, or m, are omitted.

    Returns:
        text_to_image_recall_at_{k} and image_to_text_recall_at_{k}, as of Karpathy and Fei-Fei (CVPR 2015).

    Raises:
        InputError: an image without a text, or a text of no image.
    """
    hits = image_text_hits(images, texts, owners, ks)
    return {str(name): float(hits[side][name].mean()) for side in (0, 1) for name in hits[side]}


def image_text_hits(
    images: NDArray[np.float32], texts: NDArray[np.float32], owners: NDArray[np.int64], ks: Sequence[int] = KS
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Whether each text finds its image (m rows), and each image one of its texts (n rows); the means are `image_text_metrics`."""
    if set(owners.tolist()) != set(range(len(images))) or len(owners) != len(texts):
        raise InputError(f"Each of {len(images):,} images needs a text, and each of {len(texts):,} texts one of these images.")
    by_texts = nearest(texts, images, min(max(ks), len(images))).rows == owners[:, None]
    by_images = owners[nearest(images, texts, min(max(ks), len(texts))).rows] == np.arange(len(images))[:, None]
    sides = (("text_to_image", by_texts, len(images)), ("image_to_text", by_images, len(texts)))
    first, second = (
        pd.DataFrame({f"{name}_recall_at_{k}": hits[:, :k].any(axis=1).astype(float) for k in ks if k <= most}) for name, hits, most in sides
    )
    return first, second
