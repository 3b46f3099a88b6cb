from itertools import pairwise
from typing import Any

import pytest
import torch

from likeness.errors import InputError
from likeness.losses import S2SD, DiVA, UniformPrior, objectives_on
from likeness.training.config import config_from
from likeness.training.loop.given_objects import build_objective
from likeness.training.loop.module import RunModule, layer_groups
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


def gradients(content: dict[str, Any], images: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    own = of_config(content)
    loss = own.training_step((images, labels, torch.arange(len(images))), 0)
    loss.backward()
    return loss.detach(), {name: each.grad for name, each in own.named_parameters() if each.grad is not None}


@pytest.mark.parametrize(
    "objective",
    [
        *({"name": name} for name in objectives_on("classes")),
        {"name": "margin", "s2sd": MAPS},
        {"name": "multisimilarity", "uniform_prior": {"hidden": 7}},
        {"name": "triplet", "miner": "batch-hard"},
    ],
    ids=lambda objective: "-".join(map(str, objective.values())),
)
def test_a_batch_in_chunks_has_the_gradients_of_the_whole_batch(content: dict[str, Any], objective: dict[str, Any]) -> None:
    torch.manual_seed(1)
    images, labels = torch.rand(8, 3, 16, 16), torch.arange(4).repeat_interleave(2)
    content |= {"objective": objective, "batch": {"size": 8, "per_class": 2}}
    expected, whole = gradients(content, images, labels)
    for chunk in (1, 3, 4):
        loss, found = gradients(content | {"batch": {"size": 8, "per_class": 2, "chunk": chunk}}, images, labels)
        torch.testing.assert_close(loss, expected, rtol=1e-5, atol=1e-6)
        assert found.keys() == whole.keys()
        for name, each in whole.items():
            torch.testing.assert_close(found[name], each, rtol=1e-3, atol=1e-5, msg=name)


def test_of_a_batch_in_chunks_few_activations_are_kept(content: dict[str, Any]) -> None:
    images, labels = torch.rand(8, 3, 64, 64), torch.arange(4).repeat_interleave(2)
    kept = {}
    for chunk in (None, 2):
        own = of_config(content | {"batch": {"size": 8, "per_class": 2, "chunk": chunk}})
        sizes: list[int] = []
        with torch.autograd.graph.saved_tensors_hooks(lambda each, sizes=sizes: (sizes.append(each.numel()), each)[1], lambda each: each):
            own.training_step((images, labels, torch.arange(8)), 0)
        kept[chunk] = sum(sizes)
    assert kept[2] < kept[None] / 4
    with pytest.raises(InputError, match=r"batch\.chunk needs backbone\.freeze_batch_norm"):
        of_config(content | {"backbone": content["backbone"] | {"freeze_batch_norm": False}, "batch": {"size": 8, "per_class": 2, "chunk": 2}})


def test_the_rate_falls_with_depth_and_norms_and_biases_do_not_decay(content: dict[str, Any]) -> None:
    own = of_config(content | {"optimizer": {"rate": 1e-3, "weight_decay": 0.1, "layer_decay": 0.5, "decay_norms": False, "rate_head": 2.0}})
    groups = own.configure_optimizers().param_groups
    names = {id(each): name for name, each in own.named_parameters()}
    found = {names[id(each)]: (group["lr"], group["weight_decay"]) for group in groups for each in group["params"]}
    assert set(found) == set(names.values())
    assert {decay for name, (_, decay) in found.items() if own.get_parameter(name).ndim < 2} == {0}
    assert {decay for name, (_, decay) in found.items() if own.get_parameter(name).ndim > 1} == {0.1}
    stem, *stages = ("network.backbone.conv1.0.weight", *(f"network.backbone.layer{number}.0.conv1.weight" for number in (1, 2, 3, 4)))
    rates = [found[name][0] for name in (stem, *stages)]
    assert all(later == pytest.approx(earlier * 2) for earlier, later in pairwise(rates))
    assert found["network.head.weight"][0] == pytest.approx(2e-3)
    plain = of_config(content | {"optimizer": {"weight_decay": 0.1, "decay_norms": False}})
    for group in plain.configure_optimizers().param_groups:
        assert {each.ndim > 1 for each in group["params"]} == {group["weight_decay"] > 0}
    with pytest.raises(InputError, match="layers of this backbone are not known"):
        layer_groups(torch.nn.Sequential(torch.nn.Linear(2, 2)), own.config.optimizer)
