"""The tensors that the network of a run is shown, batch by batch."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, from_numpy
from torch.utils.data import Dataset, Sampler

from likeness.samplers import ClassBatches, NeighbourBatches
from likeness.training.data.pixels import jittered, middle, random_crops
from likeness.training.data.run_images import RunImages
from likeness.training.loop.place import ALONE, Place

if TYPE_CHECKING:
    from likeness.training.data.pixels import Pixels


class Batches(Dataset[tuple[Tensor, ...]]):
    """Batch number t as (inputs, labels, rows), where views are asked for also a second view; a function of the seed and t alone.

    The labels are class numbers (n,), or, where the batches have anchors, the label distances (a, n) of the first a rows to all. Where
    several processes share a batch, inputs and second view are those of this process's rows, and labels and rows those of all.

    Args:
        inputs: of all images: kept pixels (n, s, s, 3), or features (n, f).
        images: the run's images.
        batches: rows of `images.train` for each number.
        size: side of what the network is shown.
        augment: random crops and mirrors, or "jitter"; otherwise the middle.
        seed: of the crops.
        views: a second view of each image comes as well, another random crop, whether or not the first is one; features have none.
        place: which of the run's processes this is.
    """

    def __init__(
        self,
        inputs: "Pixels | NDArray[np.float32]",
        images: RunImages,
        batches: ClassBatches | NeighbourBatches,
        size: int,
        augment: bool | str,
        seed: int,
        views: bool = False,
        place: Place = ALONE,
    ) -> None:
        self.inputs, self.images, self.batches = inputs, images, batches
        self.size, self.augment, self.seed, self.views, self.place = size, augment, seed, views, place

    def __getitem__(self, number: int) -> tuple[Tensor, ...]:
        rows = self.images.train[self.batches.batch(number)]
        part = self.place.part(len(rows))
        taken: NDArray[Any] = self.inputs[rows[part]]
        batch = self._shown(taken, number, part, len(rows)), self._labels(rows), from_numpy(rows)
        if not self.views or taken.ndim == 2:
            return batch
        return *batch, random_crops(taken, self.size, np.random.default_rng([self.seed, number, 3]), part, len(rows))

    def _labels(self, rows: NDArray[np.int64]) -> Tensor:
        if isinstance(self.batches, ClassBatches):
            return from_numpy(self.images.labels[rows])
        assert self.images.distances is not None
        return from_numpy(self.images.distances.between(rows[: self.batches.anchors], rows))

    def _shown(self, taken: NDArray[Any], number: int, part: slice, total: int) -> Tensor:
        if taken.ndim == 2:
            return from_numpy(taken)
        if not self.augment:
            return middle(taken, self.size)
        crops = jittered if self.augment == "jitter" else random_crops
        return crops(taken, self.size, np.random.default_rng([self.seed, number, 2]), part, total)


class Remaining(Sampler[int]):
    """The numbers from `start` to `total`; its length is `total`, as Lightning counts the batches of the whole run."""

    def __init__(self, start: int, total: int) -> None:
        self.start, self.total = start, total

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.start, self.total))

    def __len__(self) -> int:
        return self.total
