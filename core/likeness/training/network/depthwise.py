"""Depthwise convolutions, as processors train them fast in bfloat16.

Trained under autocast on a processor, a layer with a stride computes every place and then leaves out those between the strides, and a map smaller
than a kernel of 3 x 3 is padded first. The results are the same, and oneDNN (with torch 2.15) takes a fraction of the time for the gradients.
"""

from timm.layers import Conv2dSame, get_same_padding, pad_same
from torch import Tensor, channels_last, is_autocast_enabled, is_grad_enabled, nn
from torch.nn.functional import conv2d, pad


class Depthwise(nn.Conv2d):
    """One of torch's layers."""

    def forward(self, input: Tensor) -> Tensor:
        return _faster(self, input, self.padding) if _is_slow(input) else super().forward(input)


class DepthwiseSame(nn.Conv2d):
    """One of timm's `Conv2dSame`, which pad like TensorFlow before a convolution without padding."""

    def forward(self, input: Tensor) -> Tensor:
        if not _is_slow(input):
            return super().forward(pad_same(input, self.kernel_size, self.stride, self.dilation))
        layout = list(zip(input.shape[-2:], self.kernel_size, self.stride, self.dilation, strict=True))
        around = [(size - 1) * dilation // 2 for _, size, _, dilation in layout]
        first = [side - get_same_padding(*each) // 2 for side, each in zip(around, layout, strict=True)]
        return _faster(self, input, (around[0], around[1]), (first[0], first[1]))


_MADE: dict[type[nn.Conv2d], type[nn.Conv2d]] = {nn.Conv2d: Depthwise, Conv2dSame: DepthwiseSame}


def make_depthwise_fast(model: nn.Module) -> None:
    """Turns such layers of a model into those above, with their weights; other subclasses, which may pad otherwise, stay as they are."""
    for layer in model.modules():
        if not isinstance(layer, nn.Conv2d) or layer.padding_mode != "zeros" or not all(size % 2 for size in layer.kernel_size):
            continue
        if layer.groups == layer.in_channels > 1:
            layer.__class__ = _MADE.get(type(layer), type(layer))


def _is_slow(input: Tensor) -> bool:
    return input.device.type == "cpu" and is_grad_enabled() and is_autocast_enabled("cpu")


def _faster(layer: nn.Conv2d, input: Tensor, padding: int | str | tuple[int, ...], first: tuple[int, int] = (0, 0)) -> Tensor:
    """`first` is the place of the first output, without a stride."""
    down, right = layer.stride
    if isinstance(padding, tuple) and layer.kernel_size == (3, 3) and min(input.shape[-2:]) < 3:
        input, padding = pad(input, (padding[1], padding[1], padding[0], padding[0])), 0
    everywhere = conv2d(input, layer.weight, layer.bias, 1, padding, layer.dilation, layer.groups)
    return everywhere if down == right == 1 else everywhere[:, :, first[0] :: down, first[1] :: right].contiguous(memory_format=channels_last)
