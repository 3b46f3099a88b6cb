"""timm backbones: images only; equal to timm itself, also with batch norm folded into convolutions."""

from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from torch import nn

from likeness.encoders import embed_texts, encoder_identity, load_encoder
from likeness.encoders.models.batch_norm import fold_batch_norm
from likeness.errors import InputError


def test_vectors_equal_timms_and_there_is_no_text_side(tiny_timm: Path, photo) -> None:
    model = timm.create_model(f"local-dir:{tiny_timm}", pretrained=True, num_classes=0).eval()
    transform = timm.data.create_transform(**timm.data.resolve_model_data_config(model), is_training=False)
    images = [photo(50, 70), photo(100, 48)]
    with torch.inference_mode():
        expected = torch.nn.functional.normalize(model(torch.stack([transform(image) for image in images]))).numpy()
    encoder = load_encoder(f"timm:local-dir:{tiny_timm}", "cpu")
    np.testing.assert_allclose(encoder.encode_images(images), expected, atol=1e-6)
    assert encoder.dim == expected.shape[1]
    assert encoder.identity == encoder_identity(f"timm:local-dir:{tiny_timm}")
    assert (encoder.has_text, encoder.unknown_words("a car")) == (False, [])
    for ask in (encoder.encode_texts, lambda texts: embed_texts(encoder, texts)):
        with pytest.raises(InputError, match="has no text side; choose one that reads texts"):
            ask(["a car"])


def _with_statistics(network: nn.Module) -> nn.Module:
    """In evaluation mode, with statistics and scales that say something."""
    torch.manual_seed(0)
    for each in network.modules():
        if isinstance(each, nn.BatchNorm2d):
            each.running_mean.normal_()
            each.running_var.uniform_(0.5, 2)
            nn.init.uniform_(each.weight, 0.5, 2)
            nn.init.normal_(each.bias)
    return network.eval().requires_grad_(False)


def _norms(network: nn.Module) -> int:
    return sum(isinstance(each, nn.BatchNorm2d) for each in network.modules())


@pytest.mark.parametrize(("name", "left"), [("resnet10t", 1), ("test_efficientnet", 0), ("mobilenetv3_small_050", 0), ("regnetx_002", 0)])
def test_features_stay_and_batch_norm_goes(name: str, left: int) -> None:
    """All of it but the one of a ResNet with a deep stem, whose convolution lies in a part of its own."""
    network = _with_statistics(timm.create_model(name, num_classes=0))
    before, images, state = _norms(network), torch.randn(3, 3, 64, 64), torch.get_rng_state()
    folded = fold_batch_norm(network, (3, 64, 64))
    assert torch.equal(torch.get_rng_state(), state)
    assert before > left
    assert (_norms(network), _norms(folded)) == (before, left)
    with torch.inference_mode():
        expected = network.double()(images.double())
        torch.testing.assert_close(folded(images).double(), expected, rtol=0, atol=1e-5 * float(expected.abs().max()))


class _OtherOrder(nn.Module):
    """Normalizes before it convolves, and names both the other way round."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.norm = nn.Conv2d(3, 3, 3), nn.BatchNorm2d(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.convolution(self.norm(x)).mean((2, 3))
        return found


@pytest.mark.parametrize("network", [_OtherOrder(), timm.create_model("test_vit", num_classes=0)], ids=["another order", "no batch norm"])
def test_where_nothing_can_be_folded_the_network_comes_back(network: nn.Module) -> None:
    network = _with_statistics(network)
    size = (3, *network.patch_embed.img_size) if hasattr(network, "patch_embed") else (3, 16, 16)
    assert fold_batch_norm(network, size) is network
