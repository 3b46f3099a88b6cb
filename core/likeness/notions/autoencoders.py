"""Autoencoders on the prompts, linear and nonlinear, baselines of the InDiReCT paper's section 4.2."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.arrays import Floats, checked_rows, like, to_numpy, unit_rows
from likeness.errors import InputError
from likeness.notions.method import NotionMethod
from likeness.notions.prompt_rows import check_fitted, check_width, prompt_rows
from likeness.notions.reconstruction_loss import SLOPE, fit_autoencoder, random_weights

if TYPE_CHECKING:
    import torch

HIDDEN = 512
WEIGHT_DECAY = 1e-2


class Affine(NamedTuple):
    """One layer, x -> weight x + bias: (outputs, inputs) and (outputs,)."""

    weight: Any
    bias: Any


class LinearAutoencoder:
    """One affine layer to `dim` numbers and one back, trained by Adam to keep the prompts (L_LAE in section 4.2).

    It learns in float32, with rate 0.01 and patience 100. The paper does not say how weights begin: uniform within 1 / sqrt(inputs),
    which is also torch's custom.

    Args:
        dim: dimensions, at most those of the encoder.
        normalize: rows are scaled to unit length first, as the paper writes. False: taken as given, as in the authors' code, where
            prompts are of unit length and images are not.
        weight_decay: share of the weights that is added to their gradients; the paper has none here.

    Attributes:
        encoder_: the layers to the code: (W1, b1) in the paper.
        decoder_: the layers back.
        loss_: sum over prompts and columns of squared errors.
        n_iter_: iterations.
    """

    _hidden: tuple[int, ...] = ()

    def __init__(self, dim: int = 128, seed: int = 0, normalize: bool = True, weight_decay: float = 0.0) -> None:
        self.dim, self.seed, self.normalize, self.weight_decay = dim, seed, normalize, weight_decay

    def fit(self, text: Any) -> "LinearAutoencoder":
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

    def transform(self, images: Any) -> Any:
        """The code W1 v + b1 of each image (m, r): (m, dim), of the kind that came in, NOT of unit length; a cosine ranks by its direction.

        InputError before `fit`, and on rows that are not finite or (normalize) all zero, or of another width than the prompts.
        """
        check_fitted(self, "encoder_", "fit(text) with the prompts' embeddings")
        rows = checked_rows(images, "The image embeddings", None)
        check_width(rows, self.encoder_[0].weight.shape[1])
        return like(images)(_encode(unit_rows(rows, "The image embeddings") if self.normalize else rows, self.encoder_))

    def transform_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        """Like `transform` for unit rows (m, r), with gradients: they flow back to `rows`."""
        import torch

        check_fitted(self, "encoder_", "fit(text) with the prompts' embeddings")
        check_width(rows, self.encoder_[0].weight.shape[1])
        for number, layer in enumerate(self.encoder_):
            weight, bias = (torch.as_tensor(to_numpy(value)).to(rows) for value in layer)
            bent = torch.nn.functional.leaky_relu(rows, SLOPE) if number else rows
            rows = torch.nn.functional.linear(bent, weight, bias)
        return rows


class Autoencoder(LinearAutoencoder):
    """The nonlinear autoencoder: 512 hidden units with leaky ReLU (slope 0.01) each way and a weight decay of 0.01 (section 4.2).

    All else as `LinearAutoencoder`; `encoder_` and `decoder_` have two layers each, with the leaky ReLU between them.
    """

    _hidden = (HIDDEN,)

    def __init__(self, dim: int = 128, seed: int = 0, normalize: bool = True, weight_decay: float = WEIGHT_DECAY) -> None:
        super().__init__(dim, seed, normalize, weight_decay)


def _encode(rows: Floats, layers: tuple[Affine, ...]) -> Floats:
    for number, layer in enumerate(layers):
        bent = np.where(rows > 0, rows, rows * rows.dtype.type(SLOPE)) if number else rows
        rows = bent @ to_numpy(layer.weight).astype(rows.dtype).T + to_numpy(layer.bias).astype(rows.dtype)
    return rows


LINEAR_AUTOENCODER = NotionMethod(
    "lae",
    "Linear autoencoder",
    "A linear autoencoder: learns to rebuild the prompts from fewer dimensions.",
    LinearAutoencoder,
    paper="Kobs et al., WACV 2023",
)
AUTOENCODER = NotionMethod(
    "ae",
    "Autoencoder",
    "A neural network (nonlinear autoencoder) that learns to rebuild the prompts from fewer dimensions.",
    Autoencoder,
    paper="Kobs et al., WACV 2023",
)
# The authors' code fits on unit prompts and leaves images as the encoder gives them; images are ranked by the distance of their codes.
LINEAR_AUTOENCODER_CODE = NotionMethod(
    "lae-code",
    "Linear autoencoder (authors' code)",
    "The linear autoencoder as the paper's authors run it: images' features keep their own lengths, and images are ranked by distance.",
    lambda dim, seed: LinearAutoencoder(dim, seed, normalize=False),
    lengths=True,
    ranking="euclidean",
    paper="Kobs et al., WACV 2023",
)
AUTOENCODER_CODE = NotionMethod(
    "ae-code",
    "Autoencoder (authors' code)",
    "The autoencoder as the paper's authors run it: images' features keep their own lengths, and images are ranked by distance.",
    lambda dim, seed: Autoencoder(dim, seed, normalize=False),
    lengths=True,
    ranking="euclidean",
    paper="Kobs et al., WACV 2023",
)
