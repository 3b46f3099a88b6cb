"""Captions of many images by a trained model."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.captioning.vocabulary import Vocabulary

if TYPE_CHECKING:
    from experiments.captioning.decoder import Captioner

_BATCH = 64


def describe(
    captioner: "Captioner", features: NDArray[np.float16], rows: NDArray[np.int64], vocabulary: Vocabulary, longest: int = 16, beam: int = 2
) -> list[str]:
    """A sentence for each of some images, by beam search; without unknown words.

    Args:
        captioner: the model; its mode stays as it was.
        features: (n, l, f), of `grid_features`.
        rows: (m,) row numbers of the images.
        vocabulary: the model's.
        longest: most words.
        beam: width of the search.
    """
    import torch

    from experiments.captioning.decoder import beam_search

    was, said = captioner.training, []
    captioner.eval()
    device = next(captioner.parameters()).device
    with torch.no_grad():
        for start in range(0, len(rows), _BATCH):
            grid = torch.from_numpy(np.asarray(features[rows[start : start + _BATCH]])).to(device)
            words, _ = beam_search(captioner, captioner.memory(grid), longest + 1, beam)
            said += [vocabulary.decode(row) for row in words.cpu().numpy()]
    captioner.train(was)
    return said
