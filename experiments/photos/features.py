"""Features of photos from the network, computed once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from experiments.photos.head import PhotoFeatures
from likeness.encoders import ImageTower, choose_device, features_and_logits, photo_network, photo_transform, prepared_batches, root_rows
from likeness.errors import InputError
from likeness.progress import Progress

_BATCH = 32


def photo_features(
    paths: Sequence[Path], weights: Path, progress: Progress | None = None, device: str = "auto", reduced_px: int | None = None
) -> PhotoFeatures:
    """Features of photos.

    Args:
        paths: n files.
        weights: of the network, a safetensors file.
        progress: called with (done, total, what is being done).
        device: "auto" or a torch device.
        reduced_px: the short side to which photos are reduced first; None: not.

    Raises:
        InputError: a photo that cannot be read, or weights that do not fit.
    """
    import torch

    place = choose_device(device)
    network = photo_network(weights).to(place)
    tower = ImageTower(lambda pixels: features_and_logits(network, pixels)[0], photo_transform(), place)
    roots, logits = [], []

    def prepare(image: Image.Image) -> Any:
        return tower.prepare(image if reduced_px is None else _reduced(image, reduced_px))

    for done, batch in enumerate(prepared_batches(paths, prepare, _BATCH)):
        for position, error in batch.errors:
            raise InputError(f"The photo '{paths[position].name}' cannot be read: {error}") from error
        if progress:
            progress(done * _BATCH, len(paths), "Reading photos")
        with torch.inference_mode():
            features, found = features_and_logits(network, tower.pixels(batch.values))
        roots.append(root_rows(features).double().cpu().numpy())
        logits.append(found.double().cpu().numpy())
    return PhotoFeatures(np.concatenate(roots), np.concatenate(logits))


def _reduced(image: Image.Image, short_side: int) -> Image.Image:
    scale = short_side / min(image.size)
    return image.resize((max(short_side, round(image.width * scale)), max(short_side, round(image.height * scale))), Image.Resampling.BICUBIC)
