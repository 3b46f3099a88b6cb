"""Upper bound of the InDiReCT paper (section 4.2): the best projection that is trained on the images and their labels."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import checked_rows, is_torch, like, to_numpy, unit_rows
from likeness.data import has_label
from likeness.errors import InputError
from likeness.notions.descent import Descent, descend
from likeness.notions.fading import START_DEVIATION
from likeness.notions.method import NotionMethod
from likeness.notions.projection import LinearProjection
from likeness.notions.prompt_rows import check_dim
from likeness.threads import threads_for

if TYPE_CHECKING:
    import torch


class Oracle(LinearProjection):
    """InDiReCT's projection trained on the images and labels that evaluate it, with the normalized softmax loss.

    Adam (learning rate 0.01, patience 100) learns U and one unit prototype per class in float32. U starts as in InDiReCT, N(0, 0.1); the paper does
    not specify the prototypes' start, which is drawn like U, as in the authors' code, and scaled to unit length.

    Args:
        dim: dimensions, at most those of the encoder.
        seed: of U and the prototypes.

    Attributes:
        U: (r, dim), of the input's type.
        prototypes_: (classes, dim) unit rows.
        classes_: the label of each prototype, in order of first appearance.
        loss_: mean cross entropy.
        n_iter_: iterations.
    """

    _needs_labels = True

    def __init__(self, dim: int = 128, seed: int = 0) -> None:
        self.dim, self.seed = dim, seed

    def fit(self, images: Any, y: Any = None) -> "Oracle":
        """Learns from images (m, r), NumPy or torch, and y, one label of any hashable type for each; unlabeled images (`likeness.data.has_label`) are
        ignored. InputError: unusable embeddings, dim below 1 or above r; labels that are missing, not one per image, or all equal.
        """
        rows = unit_rows(checked_rows(images, "The image embeddings", np.float64), "The image embeddings")
        check_dim(self.dim, rows.shape[1])
        codes, self.classes_ = _class_codes(y, len(rows))
        fit = fit_oracle(rows[codes >= 0], codes[codes >= 0], *random_start(rows.shape[1], self.dim, len(self.classes_), self.seed))
        U, prototypes = (to_numpy(value).astype(np.float64) for value in fit.best)
        self.U, self.prototypes_ = like(images)(U), like(images)(unit_rows(prototypes, "The class embeddings"))
        self.loss_, self.n_iter_ = fit.loss, fit.n_iter
        return self


def random_start(r: int, dim: int, classes: int, seed: int) -> "tuple[torch.Tensor, torch.Tensor]":
    """U (r, dim) and prototypes (classes, dim), all from N(0, 0.1)."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    return torch.randn(r, dim, generator=generator) * START_DEVIATION, torch.randn(classes, dim, generator=generator) * START_DEVIATION


def softmax_loss(
    rows: "torch.Tensor", codes: "torch.Tensor", parameters: "Sequence[torch.Tensor]", gradients: "Sequence[torch.Tensor]"
) -> "torch.Tensor":
    """L_Oracle (section 4.2): with unit codes v' = v U / |v U| and unit prototypes c, the mean cross entropy of the softmax of v' c.

    Unit rows (m, r) have class numbers (m, 1); parameters are U (r, dim) and the prototypes (classes, dim), in any length, and the gradient is
    written into `gradients` of the same shapes.
    """
    import torch

    U, prototypes = parameters
    places = rows @ U
    lengths = places.norm(dim=1, keepdim=True)
    places /= lengths
    sizes = prototypes.norm(dim=1, keepdim=True)
    centers = prototypes / sizes
    cosines = places @ centers.T
    logarithms = torch.log_softmax(cosines, dim=1)
    loss = -logarithms.gather(1, codes).mean()
    # the gradient of a cosine has no part along the vector, whose length does not matter
    pull = logarithms.exp_().scatter_add_(1, codes, rows.new_full((1, 1), -1.0).expand_as(codes)).div_(len(rows))
    toward = pull.T @ places
    torch.div(toward - (toward * centers).sum(dim=1, keepdim=True) * centers, sizes, out=gradients[1])
    along = (pull * cosines).sum(dim=1, keepdim=True) / lengths
    place_gradient = torch.addcmul((pull / lengths) @ centers, places, along, value=-1)
    torch.mm(rows.T, place_gradient, out=gradients[0])
    return loss


def fit_oracle(rows: Any, codes: NDArray[np.intp], U: "torch.Tensor", prototypes: "torch.Tensor") -> Descent:
    """Trains U (r, dim) and prototypes (classes, dim) in float32 on unit rows (m, r) with class numbers (m,); see `descend`."""
    import torch

    rows = (rows if is_torch(rows) else torch.as_tensor(rows)).detach().float()
    column = torch.as_tensor(codes, dtype=torch.int64, device=rows.device)[:, None]
    with threads_for(2 * len(rows) * U.numel()):
        return descend([U.to(rows), prototypes.to(rows)], partial(softmax_loss, rows, column))


def _class_codes(labels: Any, count: int) -> tuple[NDArray[np.intp], list[Any]]:
    """Class number of each image, -1 if unlabeled, and the label of each class in order of first appearance."""
    if labels is None:
        raise InputError("The Oracle needs labels; call fit(images, labels) with one label per image.")
    values = list(to_numpy(labels) if is_torch(labels) else labels)
    if len(values) != count:
        raise InputError(f"There are {len(values)} labels for {count} images; pass one label per image.")
    series = pd.Series(values, dtype=object)
    known = has_label(series)
    codes, classes = pd.factorize(series.where(known))
    if len(classes) < 2:
        found = f"All {known.sum()} images have the label {classes[0]!r}" if len(classes) else "No image has a label"
        raise InputError(f"{found}, but the Oracle needs at least two classes.")
    return codes.astype(np.intp), list(classes)


_ORACLE = "Trained on the labels that evaluate it: an upper bound, not a competitor."
ORACLE = NotionMethod("oracle", "Oracle", _ORACLE, Oracle, learns_from="labels", paper="Kobs et al., WACV 2023")
