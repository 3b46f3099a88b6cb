"""A linear layer behind the image side of a CLIP becomes a part of it: each kind of projection, with and without a bias, against the two in a row."""

from typing import Any

import pytest
import torch
from open_clip.modified_resnet import ModifiedResNet
from open_clip.timm_model import TimmModel
from open_clip.transformer import VisionTransformer
from torch import nn

from likeness.errors import InputError
from likeness.exports.clip_projection import join_projection


def _vit(**options: Any) -> nn.Module:
    sizes = {"image_size": 32, "patch_size": 16, "width": 24, "layers": 1, "heads": 2, "mlp_ratio": 2.0, "output_dim": 12}
    return VisionTransformer(**sizes | options)


def _timm(**options: Any) -> nn.Module:
    return TimmModel("test_resnet", 12, image_size=32, **options)


@pytest.mark.parametrize(
    ("visual", "changes"),
    [
        (_vit, {}),
        (lambda: _vit(pool_type="avg"), {}),
        (lambda: _vit(pool_type="avg", final_ln_after_pool=True), {}),
        (lambda: _timm(proj="linear"), {"timm_proj_bias": True}),
        (lambda: _timm(proj="linear", proj_bias=True), {"timm_proj_bias": True}),
        (lambda: _timm(proj="mlp"), {"timm_proj_bias": True}),
        (lambda: ModifiedResNet(layers=[1, 1, 1, 1], output_dim=12, heads=4, image_size=32, width=8), {}),
    ],
)
def test_the_layer_becomes_a_part_of_the_projection(visual: Any, changes: dict[str, Any]) -> None:
    torch.manual_seed(0)
    model, head, images = visual().eval(), nn.Linear(12, 12), torch.rand(3, 3, 32, 32)
    with torch.inference_mode():
        before, expected = model(images), head(model(images))
    assert join_projection(model, head, images) == changes
    other = torch.rand(2, 3, 32, 32)
    with torch.inference_mode():
        torch.testing.assert_close(model(images), expected, rtol=1e-4, atol=1e-5)
        assert not torch.allclose(expected, before, atol=1e-2)
        assert torch.isfinite(model(other)).all()


@pytest.mark.parametrize(
    "visual",
    [
        lambda: _timm(pool="", proj="none"),
        lambda: _timm(pool="avg", proj="none"),
        lambda: _vit(width=8, heads=1),  # the shift of 8 numbers can't give 12
        lambda: nn.Sequential(nn.Flatten(), nn.Linear(3072, 12)),
    ],
)
def test_an_image_side_without_a_place_for_it_is_refused(visual: Any) -> None:
    torch.manual_seed(0)
    model, images = visual().eval(), torch.rand(2, 3, 32, 32)
    head = nn.Linear(model(images).shape[-1], 12)
    with pytest.raises(InputError, match="has no linear projection to merge the embedding layer into; choose onnx or pt2"):
        join_projection(model, head, images)
