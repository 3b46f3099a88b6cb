"""Language predicted from feature maps by a transformer: "ViT Prediction" of the language guidance paper (Table 4 and section 4.4)."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import normalize

from likeness.training.guidance.ablations import prediction_loss


class ViTPrediction(nn.Module):
    """A small vision transformer over the backbone's feature vectors predicts the class name's language embedding (Eq. S4).

    The vectors of the last feature map, row by row, are the sequence. As in ViT (Dosovitskiy et al., 2021): each is mapped to the width and
    gets a learnt position, a learnt token goes before them, and what the blocks (norm first, GELU, no dropout) make of that token is mapped
    to the language space. The loss is 1 minus the mean cosine of prediction and language.

    The paper says "a ViT over sequences of feature vectors (flattened feature maps)" and no more: width, depth and heads are ours.

    Args:
        language: (c, m) language embeddings of the classes.
        channels, positions: f and h * w of the maps.
        width, depth, heads: of the transformer; the inner layers of its blocks are four times as wide.
    """

    replaces_objective, reads_maps = False, True
    language: Tensor

    def __init__(self, language: NDArray[np.float32], channels: int, positions: int, width: int = 256, depth: int = 2, heads: int = 4) -> None:
        super().__init__()
        self.register_buffer("language", normalize(torch.from_numpy(language).float(), dim=1), persistent=False)
        self.enter = nn.Linear(channels, width)
        self.token = nn.Parameter(0.02 * torch.randn(1, 1, width))
        self.places = nn.Parameter(0.02 * torch.randn(1, positions + 1, width))
        block = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, depth, nn.LayerNorm(width), enable_nested_tensor=False)
        self.leave = nn.Linear(width, language.shape[1])

    def predict(self, maps: Tensor) -> Tensor:
        """Language (n, m) of feature maps (n, f, h, w), of any length."""
        vectors = self.enter(maps.flatten(2).transpose(1, 2))
        sequence = torch.cat([self.token.expand(len(maps), -1, -1), vectors], dim=1) + self.places
        found: Tensor = self.leave(self.blocks(sequence)[:, 0])
        return found

    def forward(self, maps: Tensor, labels: Tensor, rows: Tensor) -> Tensor:
        """The loss of feature maps (n, f, h, w) with class numbers (n,)."""
        return prediction_loss(self.predict(maps), self.language[labels])
