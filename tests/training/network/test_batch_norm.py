"""Batch norm where several processes share a batch."""

import pytest
import timm
import torch
from torch import nn

from likeness.errors import InputError
from likeness.training.dist_context import SINGLE_PROCESS, DistContext
from likeness.training.network.embedding_network import EmbeddingNetwork, sync_batch_norm


def network(frozen: bool, name: str = "test_efficientnet") -> EmbeddingNetwork:
    torch.manual_seed(0)
    model = timm.create_model(name, pretrained=False, num_classes=0)
    return EmbeddingNetwork(model, model.num_features, 4, freeze_batch_norm=frozen)


def test_on_gpus_it_is_synchronized_and_keeps_its_weights_and_activations() -> None:
    own = network(frozen=False)
    images = torch.rand(2, 3, 16, 16)
    for module in own.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.normal_(module.running_mean)
            nn.init.normal_(module.bias)
    before, names = own.eval()(images).embeddings, list(own.state_dict())
    found = sync_batch_norm(own, DistContext(0, 2, "cuda"))
    assert any(isinstance(each, nn.SyncBatchNorm) for each in found.modules())
    assert not any(isinstance(each, nn.BatchNorm2d) for each in found.modules())
    assert list(found.state_dict()) == names  # a checkpoint serves any number of processes
    torch.testing.assert_close(found.eval()(images).embeddings, before)


def test_on_processors_it_is_refused_where_it_learns() -> None:
    with pytest.raises(InputError, match=r"which 2 processes share on GPUs only; set backbone.freeze_batch_norm to true"):
        sync_batch_norm(network(frozen=False), DistContext(0, 2, "cpu"))


@pytest.mark.parametrize(
    ("own", "dist"),
    [
        (network(frozen=True), DistContext(0, 2, "cpu")),
        (network(frozen=False), SINGLE_PROCESS),
        (network(frozen=False, name="test_vit"), DistContext(1, 2, "cpu")),
    ],
    ids=["frozen", "alone", "without batch norm"],
)
def test_otherwise_the_network_stays_as_it_is(own: EmbeddingNetwork, dist: DistContext) -> None:
    kinds = [type(each) for each in own.modules()]
    assert sync_batch_norm(own, dist) is own
    assert [type(each) for each in own.modules()] == kinds
