"""Linear and nonlinear autoencoders on the prompts, baselines of the InDiReCT paper (section 4.2)."""

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.arrays import Floats, checked_rows, like, to_numpy
from likeness.errors import InputError
from likeness.notions.estimator import NotionEstimator, tensors_like
from likeness.notions.method import NotionMethod, by_authors_code
from likeness.notions.prompt_rows import prompt_rows
from likeness.notions.reconstruction_loss import SLOPE, fit_autoencoder, random_weights

if TYPE_CHECKING:
    import torch

HIDDEN = 512
WEIGHT_DECAY = 1e-2


class Affine(NamedTuple):
    """One layer, x -> weight x + bias: (outputs, inputs) and (outputs,)."""

    weight: Any
    bias: Any


class LinearAutoencoder(NotionEstimator):
    """One affine layer to `dim` numbers and one back, trained by Adam to reconstruct the prompts (L_LAE in section 4.2).

    Trained in float32, with learning rate 0.01 and patience 100. The paper does not specify the initialization; here uniform within 1 / sqrt(inputs),
    as in torch.

    Args:
        dim: dimensions, at most those of the encoder.
        normalize: scales rows to unit length first, as in the paper. False: uses them as they are, as in the authors' code, where prompts have unit
            length and images do not.
        weight_decay: factor of the weights added to their gradients; 0 in the paper.

    Attributes:
        encoder_: the layers to the code: (W1, b1) in the paper.
        decoder_: the layers back.
        loss_: sum over prompts and columns of squared errors.
        n_iter_: iterations.
    """

    _hidden: tuple[int, ...] = ()

    def __init__(self, dim: int = 128, seed: int = 0, normalize: bool = True, weight_decay: float = 0.0) -> None:
        self.dim, self.seed, self.normalize, self.weight_decay = dim, seed, normalize, weight_decay

    def fit(self, text: Any, y: Any = None) -> "LinearAutoencoder":
        """Learns from the prompts' embeddings (n, r), NumPy or torch.

        InputError: unusable embeddings, fewer than two different prompts, dim below 1 or above r, a negative decay.
        """
        if not 0 <= self.weight_decay < float("inf"):
            raise InputError(f"weight_decay is {self.weight_decay}, but it must be 0 or more; the nonlinear autoencoder's is {WEIGHT_DECAY}.")
        unit = prompt_rows(text, self.dim)
        r = unit.shape[1]
        widths = (r, *self._hidden, self.dim, *self._hidden, r)
        rows = unit if self.normalize else checked_rows(text, "The prompt embeddings", None)
        fit = fit_autoencoder(rows, random_weights(widths, self.seed), weight_decay=self.weight_decay)
        weights = [like(text)(to_numpy(value)) for value in fit.best]
        layers = tuple(Affine(*weights[i : i + 2]) for i in range(0, len(weights), 2))
        half = len(layers) // 2
        self.encoder_, self.decoder_ = layers[:half], layers[half:]
        self.loss_, self.n_iter_ = fit.loss, fit.n_iter
        return self

    @property
    def n_features_in_(self) -> int:
        return int(self.encoder_[0].weight.shape[1])

    def _map(self, rows: Floats) -> Floats:
        """The code W1 v + b1 of each image v, not of unit length."""
        return _encode(rows, self.encoder_)

    def _map_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        for number, layer in enumerate(self.encoder_):
            weight, bias = tensors_like(rows, *layer)
            rows = (rows.where(rows > 0, rows * SLOPE) if number else rows) @ weight.T + bias
        return rows


class Autoencoder(LinearAutoencoder):
    """The nonlinear autoencoder: 512 hidden units with leaky ReLU (slope 0.01) in encoder and decoder, and weight decay 0.01 (section 4.2).

    Otherwise as `LinearAutoencoder`; `encoder_` and `decoder_` have two layers each, with the leaky ReLU between them.
    """

    _hidden = (HIDDEN,)

    def __init__(self, dim: int = 128, seed: int = 0, normalize: bool = True, weight_decay: float = WEIGHT_DECAY) -> None:
        super().__init__(dim, seed, normalize, weight_decay)


def _encode(rows: Floats, layers: tuple[Affine, ...]) -> Floats:
    for number, layer in enumerate(layers):
        bent = np.where(rows > 0, rows, rows * rows.dtype.type(SLOPE)) if number else rows
        rows = bent @ to_numpy(layer.weight).astype(rows.dtype).T + to_numpy(layer.bias).astype(rows.dtype)
    return rows


_LINEAR_AUTOENCODER = "Linear autoencoder that learns to reconstruct the prompts from fewer dimensions."
LINEAR_AUTOENCODER = NotionMethod("lae", "Linear autoencoder", _LINEAR_AUTOENCODER, LinearAutoencoder, paper="Kobs et al., WACV 2023")
_AUTOENCODER = "Neural network (nonlinear autoencoder) that learns to reconstruct the prompts from fewer dimensions."
AUTOENCODER = NotionMethod("ae", "Autoencoder", _AUTOENCODER, Autoencoder, paper="Kobs et al., WACV 2023")
LINEAR_AUTOENCODER_CODE = by_authors_code(LINEAR_AUTOENCODER, partial(LinearAutoencoder, normalize=False))
AUTOENCODER_CODE = by_authors_code(AUTOENCODER, partial(Autoencoder, normalize=False))
