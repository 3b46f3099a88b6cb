"""Batches of a run, on the host and as the network reads them, and the sampler for resumed runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, from_numpy
from torch.utils.data import Dataset, Sampler

from likeness.io import mapped_array
from likeness.samplers import MPerClassBatches, NeighborBatches, ShuffledBatches
from likeness.training.data.crops import MIDDLE, Crops, cut_crops, jittered_crops, mirrored_crops, random_crops, whole_crops
from likeness.training.data.run_images import RunImages
from likeness.training.data.transforms import transform_images
from likeness.training.dist_context import SINGLE_PROCESS, DistContext

if TYPE_CHECKING:
    from likeness.training.data.pixels import Pixels, WholeImages


class Batch(NamedTuple):
    """A batch on its way to the device: 8-bit images, and how to crop them there.

    Attributes:
        inputs: of this process's part: 8-bit images (m, s, s, 3), features (m, f), or row numbers (m,) if all images are on the device.
        labels: of the whole batch: class numbers (n,), or, for batches with anchors, label distances (a, n) of the first a rows to all.
        rows: (n,) of the whole batch.
        crops, view: crops of the images, and other random crops if an objective reads a second view; features have none.
    """

    inputs: Tensor
    labels: Tensor
    rows: Tensor
    crops: Crops | None = None
    view: Crops | None = None

    def in_float32(self) -> "Batch":
        """For devices without double precision, such as Apple's, where positions are accurate to about 1e-5 of a pixel."""
        crops, view = (each and each._replace(boxes=each.boxes if each.boxes is None else each.boxes.float()) for each in (self.crops, self.view))
        return self._replace(crops=crops, view=view)

    def cut(self, size: int, images: Tensor | None = None, transform: Any = None) -> tuple[Tensor, ...]:
        """(inputs, labels, rows) and the view, if any, as the network reads them, on the tensors' device; `images` are those of all rows, and
        `transform` changes their crops.
        """
        inputs = self.inputs if images is None else images[self.inputs]
        if self.crops is None:
            return inputs, self.labels, self.rows
        crops = [each for each in (self.crops, self.view) if each is not None]
        shown = [cut_crops(inputs, each, size) for each in crops]
        if transform is not None:
            shown = [transform_images(each, crop.seeds, transform) for each, crop in zip(shown, crops, strict=True)]
        return (shown[0], self.labels, self.rows, *shown[1:])


class Batches(Dataset[Batch]):
    """Batches by number; batch t depends on the seed and t alone. Each process that shares a batch has the inputs of its rows, or their row numbers
    if all inputs are `on_device`.

    Args:
        inputs: of all images: pixels (n, s, s, 3), whole images (n,), for random crops only, features (n, f), or maps (n, c, h, w) of a cut backbone.
        batches: rows of `images.train` for each number.
        size: side of the network's input.
        augment: random crops and mirrors, "jitter" or "mirror"; false: the center.
        views: adds a second view of each image, another random crop, for any `augment`; features have none.
    """

    def __init__(
        self,
        inputs: "Pixels | WholeImages | NDArray[np.float32]",
        images: RunImages,
        batches: MPerClassBatches | NeighborBatches | ShuffledBatches,
        size: int,
        augment: bool | str,
        seed: int,
        views: bool = False,
        dist: DistContext = SINGLE_PROCESS,
    ) -> None:
        self.inputs, self.images, self.batches = inputs, images, batches
        self.size, self.augment, self.seed, self.views, self.dist = size, augment, seed, views, dist
        self.on_device = False

    def __getitem__(self, number: int) -> Batch:
        rows = self.images.train[self.batches.batch(number)]
        part = self.dist.part(len(rows))
        own = rows[part]
        inputs, labels = from_numpy(own if self.on_device else pixels_of(self.inputs[own])), self._labels(rows)
        if self.inputs.dtype == np.float32:
            return Batch(inputs, labels, from_numpy(rows))
        # drawn for the whole batch, so that they do not depend on the number of processes
        seeds = np.random.default_rng([self.seed, number, 10]).integers(1 << 63, size=(2, len(rows)))[:, part]
        crops = self._crops(own, number, part, len(rows))._replace(seeds=seeds[0])
        view = self._random(own, len(rows), part, np.random.default_rng([self.seed, number, 3]))._replace(seeds=seeds[1]) if self.views else None
        return Batch(inputs, labels, from_numpy(rows), crops, view)

    def __getstate__(self) -> dict[str, Any]:
        """For processes that prepare batches: they map the file of images, which may exceed memory."""
        state = dict(vars(self))
        if isinstance(self.inputs, np.memmap) and self.inputs.filename is not None:
            state["inputs"] = Path(self.inputs.filename)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if isinstance(state["inputs"], Path):
            self.inputs = mapped_array(state["inputs"])

    def _labels(self, rows: NDArray[np.int64]) -> Tensor:
        if not isinstance(self.batches, NeighborBatches):
            return from_numpy(self.images.labels[rows])
        assert self.images.taught is not None
        return from_numpy(self.images.taught.between(rows[: self.batches.anchors], rows))

    def _crops(self, own: NDArray[np.int64], number: int, part: slice, total: int) -> Crops:
        rng = np.random.default_rng([self.seed, number, 2])
        if not self.augment:
            return MIDDLE
        if self.augment == "jitter":
            return jittered_crops(total, self.size / self.inputs.shape[1], rng, part)
        return mirrored_crops(rng) if self.augment == "mirror" else self._random(own, total, part, rng)

    def _random(self, own: NDArray[np.int64], total: int, part: slice, rng: np.random.Generator) -> Crops:
        inputs: NDArray[Any] = self.inputs
        return whole_crops(inputs["aspect"][own], total, rng, part) if inputs.dtype.names else random_crops(total, rng, part)


def pixels_of(inputs: NDArray[Any]) -> NDArray[Any]:
    """Pixels of whole images, which are records; other inputs are returned unchanged."""
    return np.ascontiguousarray(inputs["pixels"]) if inputs.dtype.names else inputs


class ResumeSampler(Sampler[int]):
    """Batch numbers from `start` to `total`; its length is `total`, since Lightning counts the batches of the whole run."""

    def __init__(self, start: int, total: int) -> None:
        self.start, self.total = start, total

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.start, self.total))

    def __len__(self) -> int:
        return self.total
