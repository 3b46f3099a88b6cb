"""Zero-shot labels: of each image the aspect that it matches best."""

import numpy as np
from numpy.typing import NDArray

_ROWS_AT_ONCE = 1 << 14  # vectors may be a memory-mapped file larger than the memory


def best_aspects(images: NDArray[np.float32], aspects: NDArray[np.float32]) -> NDArray[np.int64]:
    """Place of the aspect that lies nearest to each image, as CLIP classifies without training (Radford et al. 2021).

    Args:
        images: unit rows (n, d).
        aspects: unit rows (k, d), one per aspect; see `aspect_rows`.

    Returns:
        (n,) whole numbers. What the encoder says of the images, so nothing that the encoder could be judged by.
    """
    parts = [(images[begin : begin + _ROWS_AT_ONCE] @ aspects.T).argmax(axis=1) for begin in range(0, len(images), _ROWS_AT_ONCE)]
    return np.concatenate(parts).astype(np.int64)
