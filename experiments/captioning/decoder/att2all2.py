"""The attention model of Rennie et al., Self-critical Sequence Training for Image Captioning (CVPR 2017): what is seen enters all gates."""

import torch
from torch import Tensor, nn

from experiments.captioning.decoder.captioner import Captioner, Memory, State


class Att2all2(Captioner):
    """An LSTM whose gates and cell all see the attended features; the paper's Att2in shows them to the cell alone.

    I_t = sum_i alpha_t^i I_i, with alpha_t of the state before (section 4 there, "Attention Model"); input, forget and output gate are
    sigma(W_x x_t + W_I I_t + W_h h_{t-1} + b), and what enters the cell is the larger of two such linear maps (maxout) without a further bound.
    State (h, c), zeros at the start. Paper scale: 512 for every size.
    """

    states = 2

    def __init__(self, words: int, features: int, hidden: int = 512, embedding: int = 512, attention: int = 512, dropout: float = 0.5) -> None:
        super().__init__(words, features, hidden, embedding, attention, dropout)
        self.gates = nn.Linear(embedding + 2 * hidden, 5 * hidden)

    def cells(self, word: Tensor, state: State, memory: Memory) -> tuple[Tensor, State, Tensor]:
        """As in `Captioner`."""
        h, c = state
        seen, weights = self.attention(h, memory.features, memory.keys, memory.mask)
        enter, forget, leave, first, second = self.gates(torch.cat([word, seen, h], 1)).chunk(5, 1)
        c = forget.sigmoid() * c + enter.sigmoid() * torch.maximum(first, second)
        h = leave.sigmoid() * c.tanh()
        return h, (h, c), weights
