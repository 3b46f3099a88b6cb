from typing import Any

import pytest
import torch

from likeness.losses import S2SD, DiVA, UniformPrior
from likeness.training.config import config_from
from likeness.training.loop.given_objects import build_objective
from likeness.training.loop.module import RunModule
from likeness.training.network.backbones import build_network

MAPS = {"target_dims": (16,), "pooling": "average+max"}
DIVA = {"objective": {"name": "margin", "diva": {"hidden": 8}}, "batch": {"size": 6, "per_class": 3}}


def test_s2sd_pools_the_feature_maps_of_the_backbone_as_it_is_told_and_the_uniform_prior_wraps_it(content: dict[str, Any]) -> None:
    own = of_config(content | {"objective": {"name": "multisimilarity", "s2sd": MAPS}}).eval()
    images, labels = torch.rand(6, 3, 16, 16), torch.tensor([0, 0, 1, 1, 2, 2])
    loss = own.training_step((images, labels, torch.arange(6)), 0)
    maps, rows = own.network.maps(images), own.network(images).embeddings
    assert maps.ndim == 4
    assert torch.allclose(loss, own.objective(rows, labels, maps.mean(dim=(2, 3)) + maps.amax(dim=(2, 3))), atol=1e-6)
    assert not torch.allclose(loss, own.objective(rows, labels, maps.mean(dim=(2, 3))), atol=1e-4)

    own = of_config(content | {"objective": {"name": "margin", "s2sd": MAPS, "uniform_prior": {"weight": 0.5, "hidden": 7}}})
    assert isinstance(own.objective, UniformPrior)
    assert isinstance(own.objective.objective, S2SD)
    assert own.network.keeps_maps
    assert (own.objective.weight, own.objective.discriminator[0].weight.shape) == (0.5, (7, 8))
    own.training_step((images, labels, torch.arange(6)), 0).backward()
    assert all(each.grad is not None for each in own.objective.parameters())


def of_config(content: dict[str, Any]) -> RunModule:
    config = config_from(content)
    torch.manual_seed(0)
    network = build_network(config.backbone)
    if config.backbone.head_only:
        network.backbone = None
    return RunModule(network, build_objective(config.objective, 4, config.backbone.dim, network.feature_dim), None, config, 1)


@pytest.mark.parametrize("kind", ["adam", "sgd"])
@pytest.mark.parametrize(("own", "expected"), [(None, 3e-4), (0.0, 0.0)])
def test_the_objectives_parameters_have_their_own_rate_and_weight_decay(
    content: dict[str, Any], kind: str, own: float | None, expected: float
) -> None:
    """Beta at 5e-4 beside a network at 1e-5, as the authors of language guidance train it."""
    objective = {"name": "margin", "options": {"learn_beta": True}, "proxy_rate": 50.0, "weight_decay": own}
    made = of_config(content | {"objective": objective, "optimizer": {"kind": kind, "rate": 1e-5, "weight_decay": 3e-4}})
    backbone, head, betas = made.configure_optimizers().param_groups
    assert [group["lr"] for group in (backbone, head, betas)] == pytest.approx([1e-5, 1e-5, 5e-4])
    assert [group["weight_decay"] for group in (backbone, head, betas)] == [3e-4, 3e-4, expected]
    assert [parameter.shape for parameter in betas["params"]] == [(4,)]


@pytest.mark.parametrize(
    ("objective", "backbone", "networks"),
    [
        ({"diva": {"hidden": 8, "official_margin": True, "random_labels": True}}, {"parts": 4}, "separations"),
        ({"uniform_prior": {}}, {}, "discriminator"),
        ({"s2sd": {"target_dims": [16]}}, {}, "branches"),
    ],
)
def test_wrappers_networks_have_a_rate_of_their_own(
    content: dict[str, Any], objective: dict[str, Any], backbone: dict[str, Any], networks: str
) -> None:
    """Betas at 5e-4 beside networks at 1e-5, as the authors of ooDML train DiVA and the uniform prior."""
    rates = {"name": "margin-official", "proxy_rate": 50.0, "wrapper_rate": 1.0, "weight_decay": 0.0}
    small = content | {"backbone": content["backbone"] | backbone, "batch": {"size": 4, "per_class": 2}}
    made = of_config(small | {"objective": rates | objective, "optimizer": {"rate": 1e-5, "weight_decay": 4e-4}})
    *_, betas, own = made.configure_optimizers().param_groups
    assert {id(each) for each in own["params"]} == {id(each) for each in getattr(made.objective, networks).parameters()}
    assert {parameter.shape for parameter in betas["params"]} == {(4,)}
    assert [group["lr"] for group in (betas, own)] == pytest.approx([5e-4, 1e-5])
    assert [group["weight_decay"] for group in (betas, own)] == [0, 0]
    together = of_config(small | {"objective": {**rates, **objective, "wrapper_rate": None}}).configure_optimizers().param_groups[-1]
    assert len(together["params"]) == len(betas["params"]) + len(own["params"])


def test_diva_keeps_the_copys_keys_of_the_second_view_and_trains_all_but_the_copy(content: dict[str, Any]) -> None:
    own = of_config(content | DIVA | {"backbone": content["backbone"] | {"parts": 4}})
    assert isinstance(own.objective, DiVA)
    assert own.reads == ("view",)
    images, view, labels = torch.rand(6, 3, 16, 16), torch.rand(6, 3, 16, 16), torch.tensor([0, 0, 0, 1, 1, 1])
    keys = own.objective.keys
    assert keys.queue.shape == (30 * 6, 2)
    for batch, seen in (((images, labels, torch.arange(6), view), view), ((images, labels, torch.arange(6)), images)):
        own.training_step(batch, 0)
        torch.testing.assert_close(keys.queued()[-6:], own.objective.parts(keys.copy(seen).embeddings)[-1])
    grouped = {id(each) for group in own.configure_optimizers().param_groups for each in group["params"]}
    assert grouped == {id(each) for each in [*own.network.parameters(), *own.objective.separations.parameters()]}

    head_only = of_config(content | DIVA | {"backbone": content["backbone"] | {"parts": 4, "head_only": True}})
    names = {name.removeprefix("objective.keys.copy.") for name in head_only.state_dict() if "keys.copy" in name}
    assert names == {"head.weight", "head.bias"}  # the copy is that of the embedding layer
    features = torch.randn(6, head_only.network.feature_dim)
    assert torch.isfinite(head_only.training_step((features, labels, torch.arange(6)), 0))
