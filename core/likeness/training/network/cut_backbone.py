"""A backbone cut in two before a block: the part before it, which stays as it is and is computed once, and the part that is trained."""

from contextlib import suppress
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn

from likeness.errors import InputError
from likeness.training.network.embedding_network import EmbeddingNetwork


class _ReachedError(Exception):
    """Carries the input of the block that was reached."""


class _Before(nn.Module):
    """Maps normalized images (n, 3, h, w) to the input (n, c, h', w') of a block of the backbone."""

    def __init__(self, backbone: nn.Module, block: str) -> None:
        super().__init__()
        self.backbone, self.block = backbone, block
        backbone.get_submodule(block).register_forward_pre_hook(_stop)

    def forward(self, images: Tensor) -> Tensor:
        try:
            self.backbone(images)
        except _ReachedError as reached:
            if reached.args:
                found: Tensor = reached.args[0]
                return found
        raise InputError(f"The block '{self.block}' is no part of the network's forward pass; choose another in backbone.train_from.")

    def extra_repr(self) -> str:
        return self.block


def _stop(block: nn.Module, inputs: tuple[Any, ...]) -> None:
    raise _ReachedError(*inputs)


def cut_backbone(network: EmbeddingNetwork, block: str, size: int) -> EmbeddingNetwork:
    """Cuts off, in place, what the backbone computes before a block ("blocks.6"), and returns it as a network whose features are the block's input.

    Afterwards the network takes these inputs (n, c, h, w) in place of images, and its weights keep their names. `size` is the side of the images.
    InputError: no such block, or a backbone that is not a chain of blocks, so that the part from the block on gives other features by itself.
    """
    backbone = network.backbone
    assert backbone is not None
    try:
        backbone.get_submodule(block)
    except AttributeError:
        names = [name for name, _ in backbone.named_modules() if name and name.count(".") < 2]
        raise InputError(f"The network has no block '{block}'; backbone.train_from takes one of {', '.join(names[-12:])}.") from None
    before = EmbeddingNetwork(_Before(deepcopy(backbone), block), network.feature_dim, None, freeze_batch_norm=network.freeze_batch_norm)
    before.mean, before.std, before.is_given = network.mean, network.std, network.is_given
    training = network.training
    network.eval()
    before.eval()
    probe = torch.rand(2, 3, size, size, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        expected = network.features(probe)
        for name in _called_before(backbone, block, network.normalized(probe)):
            backbone.set_submodule(name, nn.Identity())
        inputs = before.features(probe)
        network.input_shape = tuple(inputs.shape[1:]) if inputs.ndim == 4 else None
        try:
            found = network.features(inputs)
        except (RuntimeError, TypeError, ValueError):
            found = inputs
    if network.input_shape is None or found.shape != expected.shape or not torch.allclose(found, expected, rtol=1e-3, atol=1e-4):
        raise InputError(f"The network cannot be cut before '{block}', as it is no chain of blocks there; cut a CNN such as resnet50 before a stage.")
    network.train(training)
    return before


def _called_before(backbone: nn.Module, block: str, images: Tensor) -> list[str]:
    """Names of the largest modules that have ended when the block begins."""
    begun: list[str] = []
    hooks = [module.register_forward_pre_hook(lambda *_, name=name: begun.append(name)) for name, module in backbone.named_modules()]
    hooks.append(backbone.get_submodule(block).register_forward_pre_hook(_stop))
    with suppress(_ReachedError):
        backbone(images)
    for hook in hooks:
        hook.remove()
    ended = {name for name in begun if name and not f"{block}.".startswith(f"{name}.")}
    return [name for name in begun if name in ended and name.rpartition(".")[0] not in ended]
