"""What a network that stays as it is makes of images, computed once and stored: features for head-only runs, outputs of a classifier."""

import hashlib
from io import BytesIO
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from likeness.io.files import write_atomic
from likeness.io.paths import cache_dir
from likeness.progress import Progress
from likeness.training.data.pixels import Pixels, middle
from likeness.training.loop.once import once
from likeness.training.network.network import EmbeddingNetwork

_BATCH = 256


def stored_outputs(
    network: EmbeddingNetwork,
    pixels: Pixels,
    rows: NDArray[np.int64],
    size: int,
    progress: Progress | None = None,
    keep: bool = True,
    stage: str = "Computing features",
) -> NDArray[np.float32]:
    """The backbone's outputs (m, f) for rows of kept pixels, shown in their middle; from the cache where images and weights are the same.

    What is stored is mapped from its file, read only, so that all processes of a machine share its memory.

    Args:
        network: with a backbone; its embedding layer plays no part.
        pixels: (n, s, s, 3), of `load_pixels`.
        rows: (m,) row numbers.
        size: side of what the network is shown.
        progress: called with (images done, m, stage).
        keep: they are stored; not so for a network that nobody will ask again.
        stage: what `progress` calls it.
    """
    if not keep:
        return _outputs(network, pixels, rows, size, progress, stage)
    file = cache_dir() / "outputs" / f"{_key(network, pixels, rows, size)}.npy"
    if not file.is_file():
        with once(file) as missing:
            if missing:
                buffer = BytesIO()
                np.save(buffer, _outputs(network, pixels, rows, size, progress, stage))
                write_atomic(file, buffer.getvalue())
    stored: NDArray[np.float32] = np.load(file, mmap_mode="r")
    return stored


def _outputs(
    network: EmbeddingNetwork, pixels: Pixels, rows: NDArray[np.int64], size: int, progress: Progress | None, stage: str
) -> NDArray[np.float32]:
    network.eval()
    found = []
    with torch.inference_mode():
        for start in range(0, len(rows), _BATCH):
            chosen = rows[start : start + _BATCH]
            found.append(network.features(middle(pixels[chosen], size).to(network.mean.device)).float().cpu().numpy())
            if progress:
                progress(start + len(chosen), len(rows), stage)
    network.train()
    return np.concatenate(found)


def _key(network: EmbeddingNetwork, pixels: Any, rows: NDArray[np.int64], size: int) -> str:
    assert network.backbone is not None
    digest = hashlib.sha256(f"{getattr(pixels, 'filename', '')} {size}".encode())
    digest.update(rows.tobytes())
    for name, value in network.backbone.state_dict().items():
        digest.update(name.encode() + value.cpu().contiguous().numpy().tobytes())
    digest.update(str([network.mean.tolist(), network.std.tolist()]).encode())
    return digest.hexdigest()[:32]
