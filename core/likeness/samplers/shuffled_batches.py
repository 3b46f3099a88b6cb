"""Batches of images in random order."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError


class ShuffledBatches:
    """Each epoch has all `count` images once, in an order of its own, without those that fill no batch. Batch t depends on the seed and t alone.

    InputError: a batch larger than the number of images, or of fewer than two.
    """

    def __init__(self, count: int, size: int, seed: int = 0) -> None:
        if not 2 <= size <= count:
            raise InputError(f"A batch of {size} images does not fit {count} training images; choose 2 to {count}.")
        self.count, self.size, self.seed = count, size, seed
        self.epoch = count // size

    def batch(self, number: int) -> NDArray[np.int64]:
        """Row numbers (size,) of batch `number`."""
        epoch, place = divmod(number, self.epoch)
        order = np.random.default_rng([self.seed, epoch, 4]).permutation(self.count)
        return order[place * self.size : (place + 1) * self.size].astype(np.int64)
