"""What a network makes of images, computed once."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from likeness.training.config import config_from
from likeness.training.data.outputs import backbone_outputs, cached_outputs
from likeness.training.network.backbones import build_network


def test_what_is_stored_is_mapped_and_the_same_as_what_is_computed(content: dict[str, Any], cache: Path) -> None:
    torch.manual_seed(0)
    network = build_network(config_from(content).backbone)
    pixels, rows = np.random.default_rng(0).integers(0, 256, (9, 18, 18, 3), dtype=np.uint8), np.array([7, 1, 3])
    computed = backbone_outputs(network, pixels, rows, 16)
    assert not (cache / "outputs").exists()
    first, again = (cached_outputs(network, pixels, rows, 16) for _ in range(2))
    for stored in (first, again):
        assert isinstance(stored, np.memmap)  # processes that read the same file share its memory
        assert not stored.flags.writeable
        np.testing.assert_array_equal(stored, computed)
    assert len(list((cache / "outputs").glob("*.npy"))) == 1
    assert network.training


def test_what_no_weight_tells_is_not_taken_for_another_network(content: dict[str, Any], cache: Path) -> None:
    """Pooling has no weights; what a module of one's own computes may change while its weights stay."""
    pixels, rows, found = np.random.default_rng(0).integers(0, 256, (4, 66, 66, 3), dtype=np.uint8), np.arange(4), []
    for pooling in ("avg", "max"):
        torch.manual_seed(0)
        content["backbone"]["options"] = {"global_pool": pooling}
        network = build_network(config_from(content).backbone)
        found.append(cached_outputs(network, pixels, rows, 64))
        np.testing.assert_array_equal(found[-1], backbone_outputs(network, pixels, rows, 64))
    assert not np.allclose(*found)
    network.is_given = True
    stored = len(list((cache / "outputs").glob("*.npy")))
    np.testing.assert_array_equal(cached_outputs(network, pixels, rows, 64), found[-1])
    network.backbone.global_pool = torch.nn.Sequential(network.backbone.global_pool, torch.nn.Tanh())
    assert not np.allclose(cached_outputs(network, pixels, rows, 64), found[-1])
    assert len(list((cache / "outputs").glob("*.npy"))) == stored == 2
