"""Preparation of a run: its images, network, objective and batches."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader

from likeness.data import read_captions
from likeness.labels import nearest_labels
from likeness.progress import Progress
from likeness.samplers import HardClassBatches, MPerClassBatches, NeighborBatches, ShuffledBatches
from likeness.training.config import RunConfig
from likeness.training.data.batches import Batches, ResumeSampler, pixels_of
from likeness.training.data.captions import Captions
from likeness.training.data.outputs import cached_outputs
from likeness.training.data.pixels import load_pixels, load_whole_images
from likeness.training.data.run_images import RunImages, run_images
from likeness.training.data.transforms import build_transforms, tried_transforms
from likeness.training.dist_context import DistContext
from likeness.training.guidance.guidance import build_guidance
from likeness.training.guidance.teacher import build_teacher
from likeness.training.loop.given_objects import GivenObjects, build_objective, check_given, given_network
from likeness.training.loop.module import RunModule
from likeness.training.network.adapters import add_adapters
from likeness.training.network.cut_backbone import cut_backbone
from likeness.training.network.embedding_network import EmbeddingNetwork, sync_batch_norm

if TYPE_CHECKING:
    from likeness.training.data.pixels import Pixels


# processes that prepare batches for a GPU whose memory does not hold all images
_WORKERS = 2


class ReadyRun(NamedTuple):
    """A prepared run; `inputs` are the pixels or features of all images, as for evaluation."""

    images: RunImages
    inputs: Any
    module: RunModule
    data: Batches

    def loader(self, device: torch.device, start: int, total: int) -> "DataLoader[Any]":
        """Batches of the steps from `start` to `total`, in pinned memory for a GPU; batches with images are prepared by worker processes.

        Moves the images to the device if config and memory allow, and compiles the backbone if the config says so.
        """
        config, module, data = self.module.config, self.module, self.data
        module.images = keep_on_device(data.inputs, device, config.keep_on_device)
        data.on_device = module.images is not None
        if config.compile and module.network.backbone is not None:
            module.network.backbone.compile()
        sampler, on_gpu = ResumeSampler(start * config.batch.accumulate, total * config.batch.accumulate), device.type == "cuda"
        helped = on_gpu and not data.on_device and config.batch.draw != "hard-classes"
        workers = config.workers if config.workers is not None else _WORKERS if helped else 0
        return DataLoader(data, batch_size=None, sampler=sampler, num_workers=workers, pin_memory=on_gpu, persistent_workers=workers > 0)

    def release_images(self) -> None:
        """Removes the images from the device, whose memory the next run of this process may need."""
        images, self.module.images = self.module.images, None
        if images is not None and images.is_cuda:
            del images
            torch.cuda.empty_cache()


def prepare_run(
    config: RunConfig,
    dist: DistContext,
    given: GivenObjects,
    progress: Progress,
    should_stop: Callable[[], bool] | None = None,
    kind: type[RunModule] = RunModule,
) -> ReadyRun:
    """Reads the images and builds everything with the run's seed. `should_stop` is checked between images; `kind` is the class of the module.

    InputError: invalid config or data.
    """
    check_given(config, given)
    images = run_images(config.data, config.seed, given.data)
    torch.manual_seed(config.seed)
    network = sync_batch_norm(given_network(config, given), dist)
    network.unit = config.unit_embeddings
    if config.kaiming:
        network.kaiming_init()
    inputs = _inputs(config, images, network, progress, should_stop)
    if config.backbone.lora:
        add_adapters(network, config.backbone.lora)
    whole = config.data.crops == "whole" and config.epochs > 0
    cropped = load_whole_images(images.table, config.data.image_size, progress, should_stop) if whole else inputs
    batches, natural = _batches(config, images, progress, given.sampler)
    objective = build_objective(config.objective, len(images.train_classes), network.head.out_features, network.feature_dim, given)
    guidance = build_guidance(config, images, progress, network, given.language) if config.guidance else None
    if config.backbone.head_only:
        network.backbone = None
    module = kind(network, objective, guidance, config, config.epoch_steps or natural, dist)
    if network.text is not None and config.objective.on_captions:
        progress(0, 1, "Reading captions")
        module.captions = Captions(read_captions(images.table), network.text)
    if config.distill:
        module.teacher = build_teacher(config.distill, images, progress, should_stop, config.device)
    if given.transform is not None:
        module.transform = tried_transforms(given.transform, config.data.image_size)
    elif config.transforms:
        module.transform = tried_transforms(build_transforms(config.transforms), config.data.image_size)
    data = Batches(cropped, images, batches, config.data.image_size, config.augment, config.seed, "view" in module.reads, dist)
    return ReadyRun(images, inputs, module, data)


def _batches(
    config: RunConfig, images: RunImages, progress: Progress, sampler: Any = None
) -> tuple[MPerClassBatches | NeighborBatches | ShuffledBatches, int]:
    """The batches, and their number in an epoch."""
    batch = config.batch
    if sampler is not None:
        return sampler(images.labels[images.train]), max(1, len(images.train) // (batch.size * batch.accumulate))
    if config.objective.on_captions:
        shuffled = ShuffledBatches(len(images.train), batch.size, config.seed)
        return shuffled, max(1, shuffled.epoch // batch.accumulate)
    if not config.objective.continuous:
        if config.data.split == "images":  # evaluated, not trained
            return MPerClassBatches([0, 0, 1, 1], 4, 2), 1
        arguments = (images.labels[images.train], batch.size, batch.per_class, config.seed)
        hard = batch.draw == "hard-classes"
        found = HardClassBatches(*arguments, batch.drawn) if hard else MPerClassBatches(*arguments, batch.draw)
        return found, max(1, len(images.train) // (batch.size * batch.accumulate))
    assert images.taught is not None
    count = batch.pool or batch.nearest
    nearest = nearest_labels(images.taught, images.train, count, progress, seed=config.seed)
    anchors = batch.size if batch.anchors == "all" else batch.drawn
    neighbors = NeighborBatches(nearest, batch.size, batch.nearest, batch.drawn, anchors, config.seed)
    return neighbors, max(1, neighbors.epoch // batch.accumulate)


def _inputs(
    config: RunConfig, images: RunImages, network: EmbeddingNetwork, progress: Progress, should_stop: Callable[[], bool] | None
) -> "Pixels | NDArray[np.float32]":
    size, block = config.data.image_size, config.backbone.train_from
    pixels = load_pixels(images.table, size, progress, should_stop, config.data.kept, config.data.frame)
    if not config.backbone.inputs:
        return pixels
    frozen = cut_backbone(network, block, size) if block else network
    return cached_outputs(frozen, pixels, np.arange(len(images.table)), size, progress, device=config.device, shape=network.input_shape)


# share of a device's free memory for images; network and activations need the rest
_SHARE = 0.4
_CHUNK_BYTES = 1 << 28


def keep_on_device(inputs: NDArray[Any], device: torch.device, wanted: bool | None = None) -> Tensor | None:
    """All 8-bit images (n, s, s, 3), or features (n, f), on the device; None if they stay on the host.

    `wanted` None: on a GPU, if they take at most 40 % of its free memory.
    """
    if wanted is False or (wanted is None and not _fits(inputs, device)):
        return None
    sample = pixels_of(inputs[:1])
    kept = torch.empty((len(inputs), *sample.shape[1:]), dtype=torch.from_numpy(sample.copy()).dtype, device=device)
    size = max(1, _CHUNK_BYTES // max(1, sample.nbytes))
    for start in range(0, len(inputs), size):
        kept[start : start + size] = torch.from_numpy(np.array(pixels_of(inputs[start : start + size])))
    return kept


def _fits(inputs: NDArray[Any], device: torch.device) -> bool:
    return device.type == "cuda" and inputs.nbytes <= _SHARE * torch.cuda.mem_get_info(device)[0]
