"""The tensors that the network of a run is shown, batch by batch."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, from_numpy
from torch.utils.data import Dataset, Sampler

from likeness.miners import ClassBatches
from likeness.training.pixels import middle, random_crops
from likeness.training.run_images import RunImages

if TYPE_CHECKING:
    from likeness.training.pixels import Pixels


class Batches(Dataset[tuple[Tensor, ...]]):
    """Batch number t as (inputs, labels, rows), where views are asked for also a second view; a function of the seed and t alone.

    Args:
        inputs: of all images: kept pixels (n, s, s, 3), or features (n, f).
        images: the run's images.
        batches: rows of `images.train` for each number.
        size: side of what the network is shown.
        augment: random crops and mirrors; otherwise the middle.
        seed: of the crops.
        views: a second view of each image comes as well, another random crop, whether or not the first is one; features have none.
    """

    def __init__(
        self,
        inputs: "Pixels | NDArray[np.float32]",
        images: RunImages,
        batches: ClassBatches,
        size: int,
        augment: bool,
        seed: int,
        views: bool = False,
    ) -> None:
        self.inputs, self.images, self.batches = inputs, images, batches
        self.size, self.augment, self.seed, self.views = size, augment, seed, views

    def __getitem__(self, number: int) -> tuple[Tensor, ...]:
        rows = self.images.train[self.batches.batch(number)]
        taken: NDArray[Any] = self.inputs[rows]
        batch = self._shown(taken, number), from_numpy(self.images.labels[rows]), from_numpy(rows)
        if not self.views or taken.ndim == 2:
            return batch
        return *batch, random_crops(taken, self.size, np.random.default_rng([self.seed, number, 3]))

    def _shown(self, taken: NDArray[Any], number: int) -> Tensor:
        if taken.ndim == 2:
            return from_numpy(taken)
        if not self.augment:
            return middle(taken, self.size)
        return random_crops(taken, self.size, np.random.default_rng([self.seed, number, 2]))


class Remaining(Sampler[int]):
    """The numbers from `start` to `total`; its length is `total`, as Lightning counts the batches of the whole run."""

    def __init__(self, start: int, total: int) -> None:
        self.start, self.total = start, total

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.start, self.total))

    def __len__(self) -> int:
        return self.total
