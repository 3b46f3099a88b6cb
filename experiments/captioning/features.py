"""Grid features of images: a network's last feature maps, computed once and stored on disk."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.captioning.random_state import kept_random_state
from likeness.errors import InputError
from likeness.io import cache_dir, mapped_array
from likeness.progress import Progress

if TYPE_CHECKING:
    from likeness.data import ImageTable
    from likeness.training import BackboneConfig, EmbeddingNetwork

IMAGENET = "imagenet"
RUN = "run:"
_BATCH = 64


@dataclass(frozen=True)
class FeatureNetwork:
    """A network whose feature maps are used.

    Attributes:
        name: "imagenet" or "run:FOLDER".
        network: it.
        identity: digest of its weights and normalization.
    """

    name: str
    network: "EmbeddingNetwork"
    identity: str


def feature_network(features: "str | BackboneConfig", backbone: "BackboneConfig | None" = None) -> FeatureNetwork:
    """The network of a features name.

    Args:
        features: "imagenet", the weights that `backbone` tells of, as they are; "run:FOLDER", the best weights of a trained run; or a backbone.
        backbone: what "imagenet" stands for; by default ResNet-50 as timm gives it.

    Raises:
        InputError: another name, no such run, or weights that are not there or do not fit.
    """
    from likeness.training import BackboneConfig, RunFolder, build_network, load_network

    name = features if isinstance(features, str) else IMAGENET
    if isinstance(features, BackboneConfig):
        network = build_network(features)
    elif features.startswith(RUN):
        network = load_network(RunFolder(Path(features.removeprefix(RUN)).expanduser()))
    elif features == IMAGENET:
        network = build_network(backbone or BackboneConfig())
    else:
        raise InputError(f"There are no features '{features}'; use imagenet, or run:FOLDER for a trained run.")
    return FeatureNetwork(name, network.eval().requires_grad_(False), _identity(network))


def seeded_network(features: str, backbone: "BackboneConfig", seed: int) -> FeatureNetwork:
    """`feature_network`, but deterministic even with random weights.

    Raises:
        InputError: as `feature_network`.
    """
    import torch

    with kept_random_state():
        torch.manual_seed(seed)
        return feature_network(features, backbone)


def grid_features(
    features: "str | BackboneConfig | FeatureNetwork",
    table: "ImageTable",
    image_size: int,
    grid: int,
    progress: Progress | None = None,
    device: str = "auto",
) -> NDArray[np.float16]:
    """Features (n, grid * grid, f) of each image's middle square, row by row from the top left, mapped from a file in the cache.

    The network's last maps (c, h, w), averaged over the parts of a grid by `adaptive_avg_pool2d`; the paper takes 14 x 14 of 2,048. They are kept
    in half precision. A `head_only` run has trained no backbone, and so gives the features it began with.

    Args:
        features: what `feature_network` takes or gives.
        table: n images.
        image_size: side in pixels of what the network is shown.
        grid: places per side.
        progress: called with (images done, n, what is being done).
        device: "auto", "cpu", "cuda", "mps".

    Raises:
        InputError: as `feature_network`, an image that cannot be read, a network without maps, or features that half precision cannot hold.
    """
    from likeness.training import load_pixels

    chosen = features if isinstance(features, FeatureNetwork) else feature_network(features)
    chosen.network.map_shape(image_size)  # raises before images are read
    pixels: Any = load_pixels(table, image_size, progress)
    key = hashlib.sha256(f"1 {Path(pixels.filename).name} {image_size} {grid} {chosen.identity}".encode()).hexdigest()[:32]
    file = cache_dir() / "grids" / f"{key}.npy"
    if not file.is_file():
        _compute(chosen.network, pixels, image_size, grid, file, progress, device)
    return mapped_array(file)


def _compute(network: "EmbeddingNetwork", pixels: Any, size: int, grid: int, file: Path, progress: Progress | None, device: str) -> None:
    import torch

    from likeness.encoders import choose_device
    from likeness.training import center_crops

    place = choose_device(device)
    network = network.to(place)
    count, channels = len(pixels), network.map_shape(size)[0]
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        kept: Any = np.lib.format.open_memmap(temporary, "w+", np.float16, (count, grid * grid, channels))
        for start in range(0, count, _BATCH):
            with torch.inference_mode():
                maps = network.maps(center_crops(pixels[start : start + _BATCH], size).to(place))
                pooled = torch.nn.functional.adaptive_avg_pool2d(maps.float(), grid).flatten(2).transpose(1, 2).half()
            if not bool(pooled.isfinite().all()):
                raise InputError("The network's maps hold values above 65,504, which half precision cannot keep; choose another backbone.")
            kept[start : start + len(pooled)] = pooled.cpu().numpy()
            if progress:
                progress(start + len(pooled), count, "Computing features")
        kept.flush()
        del kept
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)
        network.to("cpu")


def _identity(network: "EmbeddingNetwork") -> str:
    assert network.backbone is not None
    digest = hashlib.sha256(str([network.mean.tolist(), network.std.tolist()]).encode())
    for name, value in network.backbone.state_dict().items():
        digest.update(name.encode() + value.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:32]
