"""What a network makes of a run's images, as it is evaluated."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from likeness.training.data.pixels import middle
from likeness.training.network.network import EmbeddingNetwork

_BATCH = 256


def embeddings(network: EmbeddingNetwork, inputs: Any, rows: NDArray[np.int64], size: int) -> NDArray[np.float32]:
    """Embeddings (m, d) of rows of kept pixels or of features."""
    was, found = network.training, []
    network.eval()
    device = network.head.weight.device
    with torch.inference_mode():
        for start in range(0, len(rows), _BATCH):
            taken = inputs[rows[start : start + _BATCH]]
            shown = torch.from_numpy(taken) if taken.ndim == 2 else middle(taken, size)
            found.append(network(shown.to(device)).embeddings.float().cpu().numpy())
    network.train(was)
    return np.concatenate(found)
