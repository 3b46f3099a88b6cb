"""What a training step hands to objectives that read more than embeddings."""

from typing import Any

import pytest
import torch

from likeness.errors import InputError
from likeness.losses import S2SD
from likeness.training.config import config_from
from likeness.training.module import RunModule, build_objective
from likeness.training.network import build_network

MAPS = {"target_dims": (16,), "pooling": "average+max"}


def module(content: dict[str, Any], s2sd: dict[str, Any]) -> RunModule:
    config = config_from(content | {"objective": {"name": "multisimilarity", "s2sd": s2sd}})
    torch.manual_seed(0)
    network = build_network(config.backbone)
    return RunModule(network, build_objective(config.objective, 4, config.backbone.dim, network.feature_dim), None, config, 1)


def test_s2sd_pools_the_feature_maps_of_the_backbone_as_it_is_told(content: dict[str, Any]) -> None:
    own = module(content, MAPS).eval()
    images, labels = torch.rand(6, 3, 16, 16), torch.tensor([0, 0, 1, 1, 2, 2])
    loss = own.training_step((images, labels, torch.arange(6)), 0)
    maps = own.network.maps(images)
    assert maps.ndim == 4
    assert isinstance(own.objective, S2SD)
    pooled = maps.mean(dim=(2, 3)) + maps.amax(dim=(2, 3))
    expected = own.objective(own.network(images).embeddings, labels, pooled)
    assert torch.allclose(loss, expected, atol=1e-6)
    assert not torch.allclose(loss, own.objective(own.network(images).embeddings, labels, maps.mean(dim=(2, 3))), atol=1e-4)


@pytest.mark.parametrize("backbone", [{"head_only": True}, {"name": "clip:bundled"}])
def test_s2sd_on_maps_is_refused_where_there_are_none(content: dict[str, Any], backbone: dict[str, Any]) -> None:
    wrong = content | {"backbone": content["backbone"] | backbone, "objective": {"s2sd": MAPS}}
    with pytest.raises(InputError, match=r"objective\.s2sd\.pooling average\+max reads feature maps"):
        config_from(wrong)
