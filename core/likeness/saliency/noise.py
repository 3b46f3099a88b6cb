"""The noise of SmoothGrad's copies: fixed by a seed, the copy's number and the image itself."""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from likeness.saliency.image_model import Pictures


def picture_key(picture: Pictures) -> list[int]:
    """128 bits of the digest of what the model sees of an image, (h, w, 3), as four whole numbers."""
    digest = sha256(picture.tobytes()).digest()
    return [int.from_bytes(digest[start : start + 4], "little") for start in range(0, 16, 4)]


def copy_noise(copies: Sequence[tuple[list[int], int]], height: int, width: int, seed: int) -> NDArray[np.float32]:
    """Standard normal draws (b, 3, height, width), one for each (`picture_key`, number of the copy)."""
    draws = np.empty((len(copies), 3, height, width), dtype=np.float32)
    for out, (key, copy) in zip(draws, copies, strict=True):
        np.random.default_rng([seed, copy, *key]).standard_normal(dtype=np.float32, out=out)
    return draws
