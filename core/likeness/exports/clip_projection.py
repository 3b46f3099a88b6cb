"""Merge the embedding layer of a run into the image side of an open_clip model, if that is exact."""

from typing import Any

import torch
from torch import Tensor, nn

from likeness.errors import InputError

_CLOSE = 1e-4


def join_projection(visual: Any, head: nn.Linear, images: Tensor) -> dict[str, Any]:
    """Merges y = W x + b into the image side's projection, in place, and returns the changes of `vision_cfg` in the model's configuration.

    A projection with a bias takes both. TimmModel's linear and MLP projections get a bias. The projection of a vision transformer is a matrix P after
    a layer norm, whose shift s becomes s + t with t P W^T = b; this is exact if b lies in the row span of P W^T. The result is compared with
    head(visual(images)) on normalized images (n, 3, h, w); raises InputError if the layer cannot be merged.
    """
    with torch.no_grad():
        expected = head(visual(images))
        changes = _join(visual, head)
        if changes is None or not torch.allclose(visual(images), expected, rtol=_CLOSE, atol=_CLOSE):
            raise InputError("The image side of this CLIP has no linear projection to merge the embedding layer into; choose onnx or pt2.")
    return changes


def _join(visual: Any, head: nn.Linear) -> dict[str, Any] | None:
    pool: Any = getattr(visual, "attnpool", None)
    own: Any = getattr(visual, "head", None)
    if isinstance(getattr(pool, "c_proj", None), nn.Linear):
        pool.c_proj = _joined(pool.c_proj, head)
        return {}
    if isinstance(getattr(own, "proj", None), nn.Linear):
        own.proj = _joined(own.proj, head)
        return {"timm_proj_bias": True}
    if isinstance(getattr(getattr(own, "mlp", None), "fc2", None), nn.Linear):
        own.mlp.fc2 = _joined(own.mlp.fc2, head)
        return {"timm_proj_bias": True}
    if isinstance(getattr(visual, "proj", None), nn.Parameter) and isinstance(getattr(visual, "ln_post", None), nn.LayerNorm):
        _join_matrix(visual, head)
        return {}
    return None


def _joined(first: nn.Linear, second: nn.Linear) -> nn.Linear:
    """The composition of two linear layers."""
    joined = nn.Linear(first.in_features, second.out_features)
    weight, bias = second.weight.double(), second.bias.double()
    joined.weight.copy_(weight @ first.weight.double())
    joined.bias.copy_(bias if first.bias is None else weight @ first.bias.double() + bias)
    return joined


def _join_matrix(visual: Any, head: nn.Linear) -> None:
    """Merges into a vision transformer's x P, where x is the output of a layer norm."""
    matrix = visual.proj.double() @ head.weight.double().T
    shift = torch.linalg.lstsq(matrix.T, head.bias.double()[:, None], driver="gelsd").solution[:, 0]
    visual.proj.copy_(matrix)
    visual.ln_post.bias.add_(shift)
