"""Alternatives to language matching that the paper compares with (Table 4, section B.2)."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from likeness.errors import InputError
from likeness.losses import interpolated, language_scales, multisimilarity
from likeness.training.guidance.guided_loss import ClassTargets


class PredictedLanguage(nn.Module):
    """DeViSE-style: a network of two layers predicts the class name's language embedding (c, m) from the image's (Eq. S4).

    The loss is 1 minus the mean cosine of prediction and language; Eq. S4 maximizes this cosine. The paper does not specify the width of the hidden
    layer.
    """

    replaces_objective, reads_maps = False, False
    language: Tensor

    def __init__(self, language: NDArray[np.float32], dim: int, hidden: int = 512) -> None:
        super().__init__()
        self.register_buffer("language", normalize(torch.from_numpy(language).float(), dim=1), persistent=False)
        self.network = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, language.shape[1]))

    def forward(self, embeddings: Tensor, labels: Tensor, rows: Tensor) -> Tensor:
        return prediction_loss(self.network(embeddings), self.language[labels])


def prediction_loss(predicted: Tensor, language: Tensor) -> Tensor:
    """1 minus the mean cosine of predictions (n, m) and unit language embeddings (n, m)."""
    return 1 - (normalize(predicted, dim=1) * language).sum(dim=1).mean()


class LanguageContrast(nn.Module):
    """CLIP-style: image and language embeddings (c, d) of a batch are contrasted directly (Eq. S5).

    With S[i, j] the cosine of image i and the language of image j's class, times e^T with a learned T: the mean cross entropy of rows and of columns
    against the diagonal. As printed, off-diagonal entries of the same class count as wrong. T starts at log(1 / 0.07), as in CLIP. The paper has no
    network in between, so both must have the same dimension. InputError: different dimensions.
    """

    replaces_objective, reads_maps = False, False
    language: Tensor

    def __init__(self, language: NDArray[np.float32], dim: int, start: float = float(np.log(1 / 0.07))) -> None:
        super().__init__()
        if language.shape[1] != dim:
            raise InputError(
                f"Language embeddings have {language.shape[1]} dimensions, image embeddings {dim}; set backbone.dim to {language.shape[1]}."
            )
        self.register_buffer("language", normalize(torch.from_numpy(language).float(), dim=1), persistent=False)
        self.temperature = nn.Parameter(torch.tensor(start))

    def forward(self, embeddings: Tensor, labels: Tensor, rows: Tensor) -> Tensor:
        mixed = embeddings @ self.language[labels].T * self.temperature.exp()
        diagonal = torch.arange(len(mixed), device=mixed.device)
        return (cross_entropy(mixed, diagonal) + cross_entropy(mixed.T, diagonal)) / 2


class LanguageMining(nn.Module):
    """Multisimilarity whose pairs are mined by similarities of image and language together (Eq. S1 and S2); replaces the objective.

    As printed, Eq. S1 keeps negatives whose similarity is BELOW that of the hardest positive minus a margin, which would keep the easy ones; here
    multisimilarity's own rule, above, is used.

    Args:
        weight, power: nu_1 and nu_2 of Eq. S2. The paper found 1 and 1 best, which as printed is images alone; the default is half of each. Within a
            class language is 1, so f raises positives above the bound of Eq. S1, which is of images: smaller nu_1 keep fewer.
    """

    replaces_objective, reads_maps = True, False

    def __init__(self, targets: ClassTargets, weight: float = 0.5, power: float = 1.0) -> None:
        super().__init__()
        self.targets, self.weight, self.power = targets, weight, power

    def forward(self, embeddings: Tensor, labels: Tensor, rows: Tensor) -> Tensor:
        sims, language = embeddings @ embeddings.T, self.targets(labels, rows)[0]
        return multisimilarity(sims, labels, mining_sims=interpolated(language, sims.detach(), self.weight, self.power))


class LanguageScaling(nn.Module):
    """Multisimilarity whose exponents are scaled by the ratio of language to image similarity (Eq. S3); replaces the objective.

    The powers are nu_3 and nu_4; alpha and beta are those that the paper retuned.
    """

    replaces_objective, reads_maps = True, False

    def __init__(self, targets: ClassTargets, powers: tuple[float, float] = (0.75, 0.75), alpha: float = 1.5, beta: float = 45.0) -> None:
        super().__init__()
        self.targets, self.powers, self.alpha, self.beta = targets, powers, alpha, beta

    def forward(self, embeddings: Tensor, labels: Tensor, rows: Tensor) -> Tensor:
        sims, language = embeddings @ embeddings.T, self.targets(labels, rows)[0]
        return multisimilarity(sims, labels, self.alpha, self.beta, scales=language_scales(language, sims, *self.powers))


class ViTPrediction(nn.Module):
    """ "ViT Prediction" of Table 4: a small vision transformer over feature vectors predicts the class name's language embedding (Eq. S4).

    The vectors of the last feature map, row by row, are the sequence. As in ViT (Dosovitskiy et al., 2021): each is mapped to the width and
    gets a learned position, a learned token is prepended, and the output of the blocks (norm first, GELU, no dropout) at that token is
    mapped to the language space. The loss is 1 minus the mean cosine of prediction and language.

    The paper only says "a ViT over sequences of feature vectors (flattened feature maps)": width, depth, heads and four times wider hidden layers are
    ours. `channels` and `positions` are f and h * w of the maps.
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
        """Language embeddings (n, m) of feature maps (n, f, h, w), not normalized."""
        vectors = self.enter(maps.flatten(2).transpose(1, 2))
        sequence = torch.cat([self.token.expand(len(maps), -1, -1), vectors], dim=1) + self.places
        found: Tensor = self.leave(self.blocks(sequence)[:, 0])
        return found

    def forward(self, maps: Tensor, labels: Tensor, rows: Tensor) -> Tensor:
        return prediction_loss(self.predict(maps), self.language[labels])
