"""Losses between images and captions, by softmax (CLIP: Radford et al., ICML 2021) or sigmoid (SigLIP: Zhai et al., ICCV 2023)."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, logsigmoid

_LARGEST_SCALE = 100.0  # CLIP, section 2.5


class ImageText(nn.Module):
    """Draws each image to its caption, and away from the other captions of the batch.

    `softmax`: the mean over images and over texts of the cross entropy with the partner (CLIP, figure 3); else the sum over all pairs, divided by the
    number of images, of a binary cross entropy (SigLIP, algorithm 1). Scale and bias of the similarities are learned, and start as in the papers, or
    as in the model that is trained on.
    """

    reads = ("texts",)

    def __init__(self, softmax: bool) -> None:
        super().__init__()
        self.softmax = softmax
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07 if softmax else 10.0)))
        self.bias = None if softmax else nn.Parameter(torch.tensor(-10.0))

    def follow(self, network: Any, size: int) -> None:
        """Starts at the scale and the bias of a model that was pretrained with this loss."""
        scale, bias = network.text.similarity
        if self.softmax is (bias is None):
            with torch.no_grad():
                self.log_scale.copy_(scale)
                if self.bias is not None:
                    self.bias.copy_(bias)

    def forward(self, embeddings: Tensor, labels: Tensor, texts: Tensor) -> Tensor:
        """Loss of unit embeddings (n, d) of images and texts (n, d), of which row i is that of image i; labels are not read."""
        similarities = embeddings @ texts.T * self.log_scale.exp().clamp(max=_LARGEST_SCALE)
        if self.bias is None:
            partner = torch.arange(len(texts), device=texts.device)
            return (cross_entropy(similarities, partner) + cross_entropy(similarities.T, partner)) / 2
        signs = 2 * torch.eye(len(texts), dtype=texts.dtype, device=texts.device) - 1
        return -logsigmoid(signs * (similarities + self.bias)).sum() / len(texts)
