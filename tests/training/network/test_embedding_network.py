from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from safetensors.torch import save_file
from torch import nn

from likeness.encoders import load_encoder
from likeness.errors import InputError
from likeness.training.config import BackboneConfig
from likeness.training.dist_context import SINGLE_PROCESS, DistContext
from likeness.training.network.backbones import build_network, timm_model
from likeness.training.network.embedding_network import EmbeddingNetwork, sync_batch_norm

TINY = BackboneConfig(name="test_resnet", weights="none", dim=5)


def test_embeddings_are_unit_rows_of_a_linear_map_of_the_features() -> None:
    torch.manual_seed(0)
    network = build_network(TINY).eval()
    images = torch.rand(3, 3, 32, 32)
    seen = network(images)
    expected = seen.features @ network.head.weight.T + network.head.bias
    assert torch.allclose(seen.embeddings, expected / expected.norm(dim=1, keepdim=True), atol=1e-6)
    assert torch.allclose(network(seen.features).embeddings, seen.embeddings)
    assert network.backbone is not None
    normalized = (images - network.mean) / network.std
    assert torch.allclose(network.backbone(normalized), seen.features, atol=1e-5)


def test_each_part_has_the_same_length_and_the_whole_has_1() -> None:
    torch.manual_seed(0)
    network = EmbeddingNetwork(None, 7, 12, parts=3)
    features = torch.randn(5, 7)
    rows = network(features).embeddings
    expected = torch.cat([each / each.norm(dim=1, keepdim=True) for each in network.head(features).split(4, dim=1)], dim=1) / 3**0.5
    assert torch.allclose(rows, expected, atol=1e-6)
    assert torch.allclose(rows.norm(dim=1), torch.ones(5), atol=1e-6)
    assert build_network(TINY.model_copy(update={"dim": 6, "parts": 2})).parts == 2
    with pytest.raises(InputError, match="12 dimensions can't have 5 parts of equal size; choose a multiple of 5"):
        EmbeddingNetwork(None, 7, 12, parts=5)


def test_feature_maps_are_what_is_pooled() -> None:
    torch.manual_seed(0)
    network = build_network(TINY).eval()
    images = torch.rand(2, 3, 64, 64)
    plain = network(images)
    assert plain.maps is None
    network.keeps_maps = True
    seen = network(images)
    assert seen.maps.shape[1:] == network.map_shape(64) == (network.feature_dim, 2, 2)
    assert torch.allclose(seen.maps.mean(dim=(2, 3)), seen.features, atol=1e-5)
    assert torch.equal(seen.embeddings, plain.embeddings)
    assert network(seen.features).maps is None


def test_asking_for_the_maps_shape_changes_nothing() -> None:
    network = build_network(TINY.model_copy(update={"freeze_batch_norm": False}))
    before = {name: value.clone() for name, value in network.state_dict().items()}
    network.map_shape(32)
    assert network.training
    assert all(torch.equal(before[name], value) for name, value in network.state_dict().items())


@pytest.mark.parametrize(("name", "message"), [("test_vit", r"what it pools has the shape \(101, 64\)"), ("clip:cars", "it has none")])
def test_backbones_without_feature_maps_are_named(name: str, message: str) -> None:
    with pytest.raises(InputError, match=f"Expected a backbone with feature maps .*, but {message}.*; choose a timm CNN such as resnet50"):
        build_network(BackboneConfig(name=name, weights="none")).map_shape(160)


def test_a_network_with_a_layer_after_its_pooling() -> None:
    network = build_network(BackboneConfig(name="mobilenetv3_small_050", weights="none", dim=5)).eval()
    seen = network(torch.rand(1, 3, 32, 32))
    assert seen.features.shape == (1, network.feature_dim) == (1, 1024)


def test_weights_of_a_file_are_loaded_with_their_own_normalization(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = timm_model(TINY)
    save_file({name: value for name, value in model.state_dict().items() if not name.endswith("num_batches_tracked")}, tmp_path / "w.safetensors")
    config = BackboneConfig(name="test_resnet", weights=str(tmp_path / "w.safetensors"), options={"mean": [0.5] * 3, "std": [0.25] * 3}, dim=5)
    network = build_network(config)
    assert network.mean.flatten().tolist() == [0.5] * 3
    assert network.std.flatten().tolist() == [0.25] * 3
    own = network.backbone.state_dict()
    assert all(torch.equal(own[name], value) for name, value in model.state_dict().items() if name in own)


def test_weights_that_are_absent_broken_or_of_another_network_are_refused(tmp_path: Path) -> None:
    def build(file: str, name: str = "test_resnet") -> EmbeddingNetwork:
        return build_network(BackboneConfig(name=name, weights=str(tmp_path / file)))

    with pytest.raises(InputError, match=r"w.safetensors' of 'test_resnet' are not there"):
        build("w.safetensors")
    (tmp_path / "broken.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"'broken.safetensors' cannot be read as safetensors"):
        build("broken.safetensors")
    save_file({"conv1.weight": torch.zeros(1)}, tmp_path / "other.safetensors")
    with pytest.raises(InputError, match=r"do not fit 'test_resnet': .* (has another shape|is missing)"):
        build("other.safetensors")
    with pytest.raises(InputError, match="no timm model 'test_resnat'; the nearest names are test_resnet"):
        build("w.safetensors", "test_resnat")


@pytest.mark.parametrize("weights", ["none", "pretrained"])
@pytest.mark.parametrize("options", [{"nope": 1}, {"in_chans": "x"}, {"in_chans": -1}, {"global_pool": "nope"}, {"act_layer": 3}])
def test_options_that_a_backbone_does_not_take_are_named(weights: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match="The backbone 'test_resnet' does not take the options"):
        timm_model(BackboneConfig(name="test_resnet", weights=weights, options=options), classes=0)


def test_frozen_batch_norm_stays_in_evaluation_mode() -> None:
    for frozen in (True, False):
        network = build_network(TINY.model_copy(update={"freeze_batch_norm": frozen}))
        norms = [module for module in network.modules() if isinstance(module, torch.nn.BatchNorm2d)]
        assert norms
        for _ in range(2):
            assert [module.training for module in norms] == [not frozen] * len(norms)
            assert network.head.training
            network.eval()
            assert not any(module.training for module in norms)
            network.train()


def test_the_shipped_clips_image_side_is_a_backbone() -> None:
    network = build_network(BackboneConfig(name="clip:cars", dim=5)).eval()
    encoder = load_encoder("cars")
    pictures = np.random.default_rng(0).integers(0, 255, (2, 96, 96, 3)).astype(np.uint8)
    images = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
    with torch.no_grad():
        rows = torch.nn.functional.normalize(network(images).features, dim=1).numpy()
    np.testing.assert_allclose(rows, encoder.tower.encode_prepared(list(pictures)), atol=1e-5)  # type: ignore[attr-defined]
    assert all(parameter.requires_grad for parameter in network.parameters())


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
