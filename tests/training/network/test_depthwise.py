"""Depthwise convolutions: the same values and gradients as torch's own layer, in each precision."""

import copy

import pytest
import timm
import torch
from timm.layers import Conv2dSame
from torch import nn

from likeness.training.network.depthwise import Depthwise, DepthwiseSame, make_depthwise_fast


@pytest.mark.parametrize("half", [False, True], ids=["float32", "bfloat16"])
@pytest.mark.parametrize(
    ("stride", "kernel", "side"), [(2, 3, 9), ((2, 3), 5, 12), (2, 3, 2), (2, 3, 8), (3, 3, 10), (2, 5, 1), (1, 3, 2), (1, 5, 3), (1, 3, 9)]
)
@pytest.mark.parametrize("kind", [nn.Conv2d, Conv2dSame])
def test_values_and_gradients_are_those_of_the_layer_itself(
    kind: type[nn.Conv2d], half: bool, stride: int | tuple[int, int], kernel: int, side: int
) -> None:
    torch.manual_seed(0)
    own = kind(6, 6, kernel, stride, padding=kernel // 2, groups=6)
    other = copy.deepcopy(own)
    make_depthwise_fast(other)
    assert type(other) is (Depthwise if kind is nn.Conv2d else DepthwiseSame)
    found = []
    for layer in (own, other):
        images = torch.linspace(-1, 1, 3 * 6 * side * side).view(3, 6, side, side).contiguous(memory_format=torch.channels_last).requires_grad_()
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            output = layer(images)
        output.float().square().sum().backward()
        assert output.is_contiguous(memory_format=torch.channels_last)
        found.append((output.detach().float(), images.grad, layer.weight.grad))
    bound = 0.02 if half else 1e-6  # bfloat16 has 8 bits
    for expected, value in zip(*found, strict=True):
        torch.testing.assert_close(value, expected, rtol=bound, atol=bound * float(expected.abs().max()))


def test_only_plain_depthwise_layers_change_and_weights_keep_their_names() -> None:
    for name, changed in {"mobilenetv2_050": 17, "tf_efficientnet_lite0": 16, "resnet10t": 0}.items():
        model = timm.create_model(name, num_classes=0)
        before = list(model.state_dict())
        make_depthwise_fast(model)
        assert sum(isinstance(layer, Depthwise | DepthwiseSame) for layer in model.modules()) == changed
        assert list(model.state_dict()) == before
