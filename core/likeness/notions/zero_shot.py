"""Zero-shot labels: of each image the aspect that it matches best."""

import numpy as np
from numpy.typing import NDArray

_ROWS_AT_ONCE = 1 << 14  # vectors may be a memory-mapped file larger than the memory


def best_aspects(images: NDArray[np.float32], aspects: NDArray[np.float32]) -> NDArray[np.int64]:
    """Place (n,) of the aspect, of unit rows (k, d), that lies nearest to each image (n, d), as CLIP classifies without training (Radford et al.
    2021).

    That is what the encoder says of the images, so nothing that the encoder could be judged by.
    """
    parts = [(images[begin : begin + _ROWS_AT_ONCE] @ aspects.T).argmax(axis=1) for begin in range(0, len(images), _ROWS_AT_ONCE)]
    return np.concatenate(parts).astype(np.int64)
