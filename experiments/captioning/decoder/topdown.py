"""Anderson et al., Bottom-Up and Top-Down Attention for Image Captioning and Visual Question Answering (CVPR 2018), section 3.2."""

import torch
from torch import Tensor, nn

from experiments.captioning.decoder.captioner import Captioner, Memory, State


class TopDown(Captioner):
    """Two LSTMs: one decides where to look, the other speaks.

    Attention LSTM: h1_t from (h2_{t-1}, mean v, word) (Eq. 2); attention of h1_t over the features (Eq. 3 to 5); language LSTM: h2_t from
    (attended v, h1_t) (Eq. 6), which gives the words (Eq. 7). State (h1, c1, h2, c2), zeros at the start. Paper scale: 1,000 for the LSTMs and
    words, 512 for the attention.
    """

    states = 4

    def __init__(self, words: int, features: int, hidden: int = 1000, embedding: int = 1000, attention: int = 512, dropout: float = 0.5) -> None:
        super().__init__(words, features, hidden, embedding, attention, dropout)
        self.look = nn.LSTMCell(2 * hidden + embedding, hidden)
        self.speak = nn.LSTMCell(2 * hidden, hidden)

    def cells(self, word: Tensor, state: State, memory: Memory) -> tuple[Tensor, State, Tensor]:
        """As in `Captioner`."""
        h1, c1, h2, c2 = state
        h1, c1 = self.look(torch.cat([h2, memory.mean, word], 1), (h1, c1))
        seen, weights = self.attention(h1, memory.features, memory.keys, memory.mask)
        h2, c2 = self.speak(torch.cat([seen, h1], 1), (h2, c2))
        return h2, (h1, c1, h2, c2), weights
