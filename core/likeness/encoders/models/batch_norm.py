"""Batch norm folded into the convolution before it. In evaluation it is a product and a sum, which alone take up to a third of a network's time."""

from copy import deepcopy
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

_SAME = 1e-4  # of the largest value that the network gives; rounding makes a hundredth of that


def fold_batch_norm(network: "torch.nn.Module", size: tuple[int, int, int]) -> "torch.nn.Module":
    """A copy of a network in evaluation mode whose convolutions do the work of the batch norm after them; itself where there is none to fold.
    Which convolution a batch norm follows is read from the order in which a module names its parts. Whether that is the order of its work is seen
    on an example of this size, (3, h, w); where it is not, the network comes back as well.
    """
    import torch

    # also where images are being embedded: weights made in inference mode could never take part in gradients
    with torch.inference_mode(False), torch.no_grad(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        folded = _folded(network)
        if folded is None:
            return network
        example = torch.rand(1, *size, generator=torch.Generator().manual_seed(0)).mul_(4).sub_(2).to(next(network.parameters()).device)
        expected, found = network(example), folded(example)
    return folded if torch.allclose(found, expected, rtol=0, atol=_SAME * float(expected.abs().max())) else network


def _folded(network: "torch.nn.Module") -> "torch.nn.Module | None":
    from torch import nn
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    if not any(isinstance(each, nn.BatchNorm2d) for each in network.modules()):
        return None
    found = deepcopy(network)
    for block in list(found.modules()):
        for (name, convolution), (norm_name, norm) in pairwise(list(block.named_children())):
            if isinstance(convolution, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                setattr(block, name, fuse_conv_bn_eval(convolution, norm))
                setattr(block, norm_name, getattr(norm, "act", nn.Identity()))  # timm's batch norms hold the activation that follows
    return found
