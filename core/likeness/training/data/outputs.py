"""Outputs of a network for a run's images: embeddings for evaluation, and cached features and classifier outputs."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from likeness.data import ImageClasses, ImageTable, image_classes
from likeness.encoders import choose_device, fetch_later, fold_batch_norm, to_device
from likeness.io import cache_dir, compute_once_locked, mapped_array, remove_damaged_array, write_atomic
from likeness.progress import Progress
from likeness.training.config import RunConfig
from likeness.training.data.crops import MIDDLE, cut_crops
from likeness.training.data.pixels import Pixels, center_crops, load_pixels
from likeness.training.data.run_images import run_table
from likeness.training.network.embedding_network import EmbeddingNetwork

_BATCH = 64  # activations of 64 images at 224 px take about 0.6 GB
_CACHED_PIXELS = 16 * 224**2  # of a batch on a CPU: beyond its cache, the same images take up to twice as long


def embed_rows(network: EmbeddingNetwork, inputs: Any, rows: NDArray[np.int64], size: int) -> NDArray[np.float32]:
    """Embeddings (m, d) of rows of pixels or features, in evaluation mode and float32.

    `inputs` are of all images, on the host or, as a tensor, on the network's device; `size` is the side of the network's input.
    """
    return _in_batches(lambda batch: network(batch).embeddings, network, inputs, rows, size)


def backbone_features(config: RunConfig, progress: Progress | None = None) -> tuple[ImageTable, ImageClasses, NDArray[np.float32]]:
    """All images of a run's source, their classes, and the features (n, f) of the untrained backbone, for distances of splits.

    The features are not scaled to unit length, and share the cache of head-only runs. InputError as `read_dataset`, `image_classes` and
    `build_network`.
    """
    from likeness.training.network.backbones import build_network

    table = run_table(config.data)
    classes = image_classes(table, config.data.attribute)
    network = build_network(config.backbone)
    pixels = load_pixels(table, config.data.image_size, progress, kept=config.data.kept, frame=config.data.frame)
    return table, classes, cached_outputs(network, pixels, np.arange(len(table)), config.data.image_size, progress, device=config.device)


def cached_outputs(
    network: EmbeddingNetwork,
    pixels: Pixels,
    rows: NDArray[np.int64],
    size: int,
    progress: Progress | None = None,
    stage: str = "Computing features",
    device: str = "cpu",
    shape: tuple[int, ...] | None = None,
) -> NDArray[np.float32]:
    """`backbone_outputs`, cached by images and weights; `shape` is that of an image's output, if it is not (f,).

    The array is memory-mapped, read-only, and shared by all processes of a machine. `device` is as in a config; the network is on the CPU before and
    after.
    """
    if network.is_given:  # the outputs of such a module can change without its weights
        with placed_on(network, choose_device(device)):
            return backbone_outputs(network, pixels, rows, size, progress, stage)
    file = cache_dir() / "outputs" / f"{_key(network, pixels, rows, size)}.npy"
    remove_damaged_array(file, np.float32, (len(rows), *(shape or (network.feature_dim,))))
    if not file.is_file():
        with compute_once_locked(file) as missing:
            if missing:
                buffer = BytesIO()
                with placed_on(network, choose_device(device)):
                    np.save(buffer, backbone_outputs(network, pixels, rows, size, progress, stage))
                write_atomic(file, buffer.getvalue())
    return mapped_array(file)


@contextmanager
def placed_on(module: torch.nn.Module, device: torch.device) -> Iterator[None]:
    """Moves the module to this device, and back to the CPU afterwards."""
    module.to(device)
    try:
        yield
    finally:
        module.to("cpu")


def backbone_outputs(
    network: EmbeddingNetwork, pixels: Pixels, rows: NDArray[np.int64], size: int, progress: Progress | None = None, stage: str = "Computing features"
) -> NDArray[np.float32]:
    """The backbone's outputs (m, f) for the centers of rows of kept pixels (n, s, s, 3); `progress` is called with (images done, m, stage)."""
    return _in_batches(network.features, network, pixels, rows, size, progress, stage)


def _in_batches(
    compute: Callable[[torch.Tensor], torch.Tensor],
    network: EmbeddingNetwork,
    inputs: Any,
    rows: NDArray[np.int64],
    size: int,
    progress: Progress | None = None,
    stage: str = "",
) -> NDArray[np.float32]:
    """Computes outputs in evaluation mode for the center of each image; fetches those of a batch while the device computes the next one."""
    training, device = network.training, network.mean.device
    network.eval()
    found: list[NDArray[np.float32]] = []
    waiting: Callable[[], NDArray[np.float32]] | None = None
    batch = min(_BATCH, max(1, _CACHED_PIXELS // size**2)) if device.type == "cpu" and not _is_computed(inputs) else _BATCH
    with _folded(network, size), torch.inference_mode():
        for start in range(0, len(rows), batch):
            computed = fetch_later(compute(_shown(inputs, rows[start : start + batch], size, device)).float())
            if waiting is not None:
                found.append(waiting())
            waiting = computed
            if progress:
                progress(min(start + batch, len(rows)), len(rows), stage)
        if waiting is not None:
            found.append(waiting())
    network.train(training)
    return np.concatenate(found)


@contextmanager
def _folded(network: EmbeddingNetwork, size: int) -> Iterator[None]:
    """On a CPU, with batch norm folded into convolutions, which saves a third of the time of a CNN."""
    own = network.backbone
    if own is not None and not network.is_given and network.mean.device.type == "cpu":
        network.backbone = fold_batch_norm(own, network.input_shape or (3, size, size))
    try:
        yield
    finally:
        network.backbone = own


def _is_computed(inputs: Any) -> bool:
    """Whether these are features or maps, not images."""
    return "float" in str(inputs.dtype)


def _shown(inputs: Any, rows: NDArray[np.int64], size: int, device: torch.device) -> torch.Tensor:
    chosen = inputs[torch.from_numpy(rows).to(device) if isinstance(inputs, torch.Tensor) else rows]
    if _is_computed(chosen):
        return chosen if isinstance(chosen, torch.Tensor) else to_device(torch.from_numpy(chosen), device)
    return cut_crops(chosen, MIDDLE, size) if isinstance(chosen, torch.Tensor) else center_crops(chosen, size, device)


def _key(network: EmbeddingNetwork, pixels: Any, rows: NDArray[np.int64], size: int) -> str:
    assert network.backbone is not None
    # the text of a network describes pooling and padding, which the weights do not
    digest = hashlib.sha256(f"{getattr(pixels, 'filename', '')} {size} {network.backbone!r}".encode())
    digest.update(rows.tobytes())
    for name, value in network.backbone.state_dict().items():
        digest.update(name.encode() + value.cpu().contiguous().numpy().tobytes())
    digest.update(str([network.mean.tolist(), network.std.tolist()]).encode())
    return digest.hexdigest()[:32]
