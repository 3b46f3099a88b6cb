"""The autoencoders' loss with an explicit gradient, and its descent.

A network is a flat list of tensors: weight (outputs, inputs) and bias (outputs,) of each layer in turn, encoder first. Half of the layers encode;
encoder and decoder have a leaky ReLU between layers, none after the last.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from likeness.arrays import is_torch
from likeness.notions.descent import Descent, descend
from likeness.threads import threads_for

if TYPE_CHECKING:
    import torch

SLOPE = 0.01


def random_weights(widths: Sequence[int], seed: int) -> "list[torch.Tensor]":
    """Weights and biases of layers from widths[i] to widths[i + 1], uniform within 1 / sqrt(inputs)."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    weights = []
    for inputs, outputs in pairwise(widths):
        bound = inputs**-0.5
        weights += [torch.empty(outputs, inputs).uniform_(-bound, bound, generator=generator)]
        weights += [torch.empty(outputs).uniform_(-bound, bound, generator=generator)]
    return weights


def reconstruction_loss(rows: "torch.Tensor", weights: "Sequence[torch.Tensor]", gradients: "Sequence[torch.Tensor]") -> "torch.Tensor":
    """Sum over rows (n, r) and columns of squared errors (L_LAE in section 4.2); writes the gradient into `gradients`, shaped as the weights."""
    import torch

    layers = len(weights) // 2
    # layers followed by a leaky ReLU: all but the last of the encoder and of the decoder
    bent = [layer not in (layers // 2 - 1, layers - 1) for layer in range(layers)]
    inputs, outputs = [], rows
    for layer in range(layers):
        inputs.append(outputs)
        outputs = torch.addmm(weights[2 * layer + 1], outputs, weights[2 * layer].T)
        if bent[layer]:
            outputs = torch.nn.functional.leaky_relu_(outputs, SLOPE)
    back = outputs.sub_(rows)
    loss = back.square().sum()
    # d/dx (x - t)^2 = 2 (x - t), passed backward layer by layer
    back = back.mul_(2)
    for layer in reversed(range(layers)):
        torch.mm(back.T, inputs[layer], out=gradients[2 * layer])
        torch.sum(back, dim=0, out=gradients[2 * layer + 1])
        if layer:
            back = back @ weights[2 * layer]
            if bent[layer - 1]:
                # the ReLU keeps the sign, so its output determines its slope
                back = torch.where(inputs[layer] > 0, back, back * SLOPE)
    return loss


def fit_autoencoder(rows: Any, start: "Sequence[torch.Tensor]", *, weight_decay: float = 0.0) -> Descent:
    """Trains from given weights on rows (n, r) as they are, in float32; see `descend`."""
    import torch

    rows = (rows if is_torch(rows) else torch.as_tensor(rows)).detach().float()
    start = [value.to(rows) for value in start]
    objective = partial(reconstruction_loss, rows)
    with threads_for(3 * len(rows) * sum(value.numel() for value in start)):
        return descend(start, objective, weight_decay=weight_decay)
