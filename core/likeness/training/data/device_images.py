"""The images of a run on the device that trains, where they fit."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from likeness.training.data.batches import pixels_of

# Of a device's free memory, what images may take; the network and its activations need the rest.
_SHARE = 0.4
_CHUNK_BYTES = 1 << 28


def keep_on_device(inputs: NDArray[Any], device: torch.device, wanted: bool | None = None) -> Tensor | None:
    """All images (n, s, s, 3) of 8 bits, or features (n, f), on the device; None where they stay in the host's memory.

    Args:
        inputs: of all images, as `Batches` takes them, which may be mapped from a file.
        device: that trains.
        wanted: None: on a GPU, where they take at most 40 % of the memory that is free there.
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
