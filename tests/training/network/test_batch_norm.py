"""Batch norm where several processes share a batch."""

import pytest
import timm
import torch
from torch import nn

from likeness.errors import InputError
from likeness.training.loop.place import ALONE, Place
from likeness.training.network.batch_norm import shared_batch_norm
from likeness.training.network.network import EmbeddingNetwork


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
    found = shared_batch_norm(own, Place(0, 2, "cuda"))
    assert any(isinstance(each, nn.SyncBatchNorm) for each in found.modules())
    assert not any(isinstance(each, nn.BatchNorm2d) for each in found.modules())
    assert list(found.state_dict()) == names  # a checkpoint serves any number of processes
    torch.testing.assert_close(found.eval()(images).embeddings, before)


def test_on_processors_it_is_refused_where_it_learns() -> None:
    with pytest.raises(InputError, match=r"which 2 processes share on GPUs only; set backbone.freeze_batch_norm to true"):
        shared_batch_norm(network(frozen=False), Place(0, 2, "cpu"))


@pytest.mark.parametrize(
    ("own", "place"),
    [(network(frozen=True), Place(0, 2, "cpu")), (network(frozen=False), ALONE), (network(frozen=False, name="test_vit"), Place(1, 2, "cpu"))],
    ids=["frozen", "alone", "without batch norm"],
)
def test_otherwise_the_network_stays_as_it_is(own: EmbeddingNetwork, place: Place) -> None:
    kinds = [type(each) for each in own.modules()]
    assert shared_batch_norm(own, place) is own
    assert [type(each) for each in own.modules()] == kinds
