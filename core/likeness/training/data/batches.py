"""The batches of a run as tensors, and the sampler by which a run resumes."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, from_numpy
from torch.utils.data import Dataset, Sampler

from likeness.samplers import MPerClassBatches, NeighborBatches
from likeness.training.data.pixels import center_crops, jittered_crops, mirrored_crops, random_crops
from likeness.training.data.run_images import RunImages
from likeness.training.data.whole_images import whole_crops
from likeness.training.dist_context import SINGLE_PROCESS, DistContext

if TYPE_CHECKING:
    from likeness.training.data.pixels import Pixels
    from likeness.training.data.whole_images import WholeImages


class Batches(Dataset[tuple[Tensor, ...]]):
    """Batch number t as (inputs, labels, rows), with `views` also a second view; a function of the seed and t alone.

    The labels are class numbers (n,), or, where the batches have anchors, the label distances (a, n) of the first a rows to all. Where
    several processes share a batch, inputs and second view are those of this process's rows; labels and rows are those of the whole batch.

    Args:
        inputs: of all images: kept pixels (n, s, s, 3), whole images (n,), of which there are random crops alone, or features (n, f).
        images: the run's images.
        batches: rows of `images.train` for each number.
        size: side of the images that the network reads.
        augment: random crops and mirrors, "jitter" or "mirror"; false: the center.
        seed: of the crops.
        views: add a second view of each image, another random crop, whatever `augment` is; features have none.
        dist: which of the run's processes this is.
    """

    def __init__(
        self,
        inputs: "Pixels | WholeImages | NDArray[np.float32]",
        images: RunImages,
        batches: MPerClassBatches | NeighborBatches,
        size: int,
        augment: bool | str,
        seed: int,
        views: bool = False,
        dist: DistContext = SINGLE_PROCESS,
    ) -> None:
        self.inputs, self.images, self.batches = inputs, images, batches
        self.size, self.augment, self.seed, self.views, self.dist = size, augment, seed, views, dist

    def __getitem__(self, number: int) -> tuple[Tensor, ...]:
        rows = self.images.train[self.batches.batch(number)]
        part = self.dist.part(len(rows))
        chosen: NDArray[Any] = self.inputs[rows[part]]
        batch = self._inputs(chosen, number, part, len(rows)), self._labels(rows), from_numpy(rows)
        if not self.views or chosen.ndim == 2:
            return batch
        return *batch, _crops(chosen)(chosen, self.size, np.random.default_rng([self.seed, number, 3]), part, len(rows))

    def _labels(self, rows: NDArray[np.int64]) -> Tensor:
        if isinstance(self.batches, MPerClassBatches):
            return from_numpy(self.images.labels[rows])
        assert self.images.taught is not None
        return from_numpy(self.images.taught.between(rows[: self.batches.anchors], rows))

    def _inputs(self, chosen: NDArray[Any], number: int, part: slice, total: int) -> Tensor:
        if chosen.ndim == 2:
            return from_numpy(chosen)
        if not self.augment:
            return center_crops(chosen, self.size)
        crops = {"jitter": jittered_crops, "mirror": mirrored_crops}.get(str(self.augment)) or _crops(chosen)
        return crops(chosen, self.size, np.random.default_rng([self.seed, number, 2]), part, total)


def _crops(chosen: NDArray[Any]) -> Callable[..., Tensor]:
    """How random crops are cut from these images: whole ones are records."""
    return whole_crops if chosen.dtype.names else random_crops


class ResumeSampler(Sampler[int]):
    """Batch numbers from `start` to `total`; its length is `total`, since Lightning counts the batches of the whole run."""

    def __init__(self, start: int, total: int) -> None:
        self.start, self.total = start, total

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.start, self.total))

    def __len__(self) -> int:
        return self.total
