"""Captions of a run's images, as tokens."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from likeness.training.network.text_tower import TextTower

_BATCH = 256


class Captions(nn.Module):
    """All captions of n images, tokenized once.

    Args:
        captions: the sentences of each image, in row order; each has one.
        text: whose tokens are made.
    """

    tokens: Tensor
    starts: Tensor

    def __init__(self, captions: list[list[str]], text: TextTower) -> None:
        super().__init__()
        whole = [sentence for sentences in captions for sentence in sentences]
        parts = [text.reader.tokens(whole[start : start + _BATCH]).int() for start in range(0, len(whole), _BATCH)]
        self.register_buffer("tokens", torch.cat(parts), persistent=False)
        self.register_buffer("starts", torch.tensor([0, *np.cumsum([len(each) for each in captions])]), persistent=False)

    def drawn(self, rows: Tensor) -> Tensor:
        """Tokens (n, t) of a caption of each row, drawn with torch's generator."""
        first, end = self.starts[rows], self.starts[rows + 1]
        places = first + (torch.rand(len(rows)).to(first.device) * (end - first)).long()
        return self.tokens[places].long()

    def embedded(self, rows: NDArray[np.int64], text: TextTower) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Unit embeddings (m, d) of all captions of these rows, in evaluation mode, and the place in `rows` of the image of each."""
        starts = self.starts.cpu().numpy()
        places = np.concatenate([np.arange(starts[row], starts[row + 1]) for row in rows])
        owners = np.repeat(np.arange(len(rows)), starts[rows + 1] - starts[rows])
        training = text.training
        text.eval()
        with torch.inference_mode():
            parts = [text.unit(self.tokens[places[start : start + _BATCH]].long()) for start in range(0, len(places), _BATCH)]
        text.train(training)
        return torch.cat(parts).float().cpu().numpy(), owners
