import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from safetensors.torch import save_file
from torch import nn

from fake_hub import FakeHub
from likeness.encoders import PUBLISHED, features_and_logits, load_encoder, photo_network, photo_network_file
from likeness.errors import InputError
from likeness.training.config import BackboneConfig, config_from
from likeness.training.dist_context import SINGLE_PROCESS, DistContext
from likeness.training.loop.train import train
from likeness.training.network.backbone_names import backbone_of, encoder_of, native_size
from likeness.training.network.backbones import build_network, size_note, timm_model
from likeness.training.network.embedding_network import EmbeddingNetwork, sync_batch_norm
from likeness.training.runs.run_encoder import load_network

TINY = BackboneConfig(name="test_resnet", weights="none", dim=5)


def test_embeddings_are_unit_rows_of_a_linear_map_of_the_features_and_frozen_batch_norm_stays_in_evaluation_mode() -> None:
    torch.manual_seed(0)
    network = build_network(TINY).eval()
    images = torch.rand(3, 3, 32, 32)
    seen = network(images)
    expected = seen.features @ network.head.weight.T + network.head.bias
    assert torch.allclose(seen.embeddings, expected / expected.norm(dim=1, keepdim=True), atol=1e-6)
    assert torch.allclose(network(seen.features).embeddings, seen.embeddings)
    assert torch.allclose(network.backbone((images - network.mean) / network.std), seen.features, atol=1e-5)
    for frozen in (True, False):
        network = build_network(TINY.model_copy(update={"freeze_batch_norm": frozen}))
        norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]
        for mode in (network.training, False, True):
            network.train(mode)
            assert network.head.training == mode
            assert {module.training for module in norms} == {mode and not frozen}


def test_gem_is_the_generalized_mean_with_a_learned_power() -> None:
    torch.manual_seed(0)
    network = build_network(TINY.model_copy(update={"pool": "gem"}))
    assert network.backbone is not None
    maps = torch.rand(2, 4, 3, 3)
    pool = network.backbone.get_submodule("global_pool")
    assert torch.allclose(pool(maps), (maps**3).mean(dim=(2, 3)) ** (1 / 3), atol=1e-6)
    network(torch.rand(2, 3, 32, 32)).embeddings[:, 0].sum().backward()
    assert "backbone.global_pool.p" in {name for name, each in network.named_parameters() if each.grad is not None}
    with torch.no_grad():
        pool.get_parameter("p").fill_(80.0)
    assert torch.allclose(pool(1 + maps), (1 + maps).amax(dim=(2, 3)), rtol=0.05)
    with pytest.raises(InputError, match=r"'vit_tiny_patch16_224' pools no feature maps; set backbone\.pool to own"):
        build_network(BackboneConfig(name="vit_tiny_patch16_224", weights="none", pool="gem"))
    with pytest.raises(InputError, match="pool gem needs the feature maps of a timm CNN, not clip:cars"):
        config_from({"backbone": {"name": "clip:cars", "pool": "gem"}})


@pytest.mark.parametrize("name", ["test_resnet", "test_vit", "clip:cars-small"])
def test_recomputed_activations_change_no_gradient(name: str) -> None:
    found = []
    for checkpointing in (False, True):
        torch.manual_seed(0)
        network = build_network(BackboneConfig(name=name, weights="pretrained" if name.startswith("clip:") else "none", checkpointing=checkpointing))
        size = network.native_size or (160 if name == "test_vit" else 32)
        network(torch.rand(2, 3, size, size, generator=torch.Generator().manual_seed(1))).embeddings.pow(3).sum().backward()
        found.append({key: each.grad for key, each in network.named_parameters() if each.grad is not None})
    plain, recomputed = found
    assert plain.keys() == recomputed.keys()
    for key, each in plain.items():
        torch.testing.assert_close(recomputed[key], each, rtol=1e-4, atol=1e-6)


def test_a_backbone_that_cannot_recompute_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Any, enable: bool = True) -> None:
        raise AssertionError("gradient checkpointing not supported")

    monkeypatch.setattr(timm.models.ResNet, "set_grad_checkpointing", refused)
    with pytest.raises(InputError, match="'test_resnet' cannot recompute its activations"):
        build_network(TINY.model_copy(update={"checkpointing": True}))


def test_each_part_has_the_same_length_and_the_whole_has_1() -> None:
    torch.manual_seed(0)
    network = EmbeddingNetwork(None, 7, 12, parts=3)
    features = torch.randn(5, 7)
    rows = network(features).embeddings
    expected = torch.cat([each / each.norm(dim=1, keepdim=True) for each in network.head(features).split(4, dim=1)], dim=1) / 3**0.5
    assert torch.allclose(rows, expected, atol=1e-6)
    assert torch.allclose(rows.norm(dim=1), torch.ones(5), atol=1e-6)
    assert build_network(TINY.model_copy(update={"dim": 6, "parts": 2})).parts == 2
    with pytest.raises(InputError, match="12 dimensions cannot have 5 parts of equal size; choose a multiple of 5"):
        EmbeddingNetwork(None, 7, 12, parts=5)


def test_feature_maps_are_what_is_pooled_and_asking_for_their_shape_changes_nothing() -> None:
    torch.manual_seed(0)
    network, images = build_network(TINY.model_copy(update={"freeze_batch_norm": False})), torch.rand(2, 3, 64, 64)
    before = {name: value.clone() for name, value in network.state_dict().items()}
    shape = network.map_shape(64)
    assert network.training
    assert all(torch.equal(before[name], value) for name, value in network.state_dict().items())
    plain = network.eval()(images)
    assert plain.maps is None
    network.keeps_maps = True
    seen = network(images)
    assert seen.maps.shape[1:] == shape == (network.feature_dim, 2, 2)
    assert torch.allclose(seen.maps.mean(dim=(2, 3)), seen.features, atol=1e-5)
    assert torch.equal(seen.embeddings, plain.embeddings)
    assert network(seen.features).maps is None
    later = build_network(BackboneConfig(name="mobilenetv3_small_050", weights="none", dim=5)).eval()  # with a layer after its pooling
    assert later(torch.rand(1, 3, 32, 32)).features.shape == (1, later.feature_dim) == (1, 1024)


@pytest.mark.parametrize(("name", "message"), [("test_vit", r"what it pools has the shape \(101, 64\)"), ("clip:cars", "it has none")])
def test_backbones_without_feature_maps_are_named(name: str, message: str) -> None:
    with pytest.raises(InputError, match=f"Expected a backbone with feature maps .*, but {message}.*; choose a timm CNN such as resnet50"):
        build_network(BackboneConfig(name=name, weights="none")).map_shape(160)


def test_weights_of_a_file_are_loaded_with_their_own_normalization(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model, file = timm_model(TINY), tmp_path / "w.safetensors"
    save_file({name: value for name, value in model.state_dict().items() if not name.endswith("num_batches_tracked")}, file)
    network = build_network(TINY.model_copy(update={"weights": str(file), "options": {"mean": [0.5] * 3, "std": [0.25] * 3}}))
    assert (network.mean.flatten().tolist(), network.std.flatten().tolist()) == ([0.5] * 3, [0.25] * 3)
    own = network.backbone.state_dict()
    assert all(torch.equal(own[name], value) for name, value in model.state_dict().items() if name in own)


@pytest.mark.parametrize(
    ("file", "name", "message"),
    [
        ("absent", "test_resnet", r"absent.safetensors' of 'test_resnet' do not exist"),
        ("broken", "test_resnet", r"'broken.safetensors' cannot be read as safetensors"),
        ("other", "test_resnet", r"do not fit 'test_resnet': .* (has another shape|is missing)"),
        ("other", "test_resnat", "no timm model 'test_resnat'; the nearest names are test_resnet"),
    ],
)
def test_weights_that_are_absent_broken_or_of_another_network_are_refused(tmp_path: Path, file: str, name: str, message: str) -> None:
    (tmp_path / "broken.safetensors").write_bytes(b"nothing")
    save_file({"conv1.weight": torch.zeros(1)}, tmp_path / "other.safetensors")
    with pytest.raises(InputError, match=message):
        build_network(BackboneConfig(name=name, weights=str(tmp_path / f"{file}.safetensors")))


@pytest.mark.parametrize("weights", ["none", "pretrained"])
@pytest.mark.parametrize("options", [{"nope": 1}, {"in_chans": "x"}, {"in_chans": -1}, {"global_pool": "nope"}, {"act_layer": 3}])
def test_options_that_a_backbone_does_not_take_are_named(weights: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match="The backbone 'test_resnet' does not take the options"):
        timm_model(BackboneConfig(name="test_resnet", weights=weights, options=options), classes=0)


def test_the_shipped_clips_image_side_is_a_backbone() -> None:
    network = build_network(BackboneConfig(name="clip:cars", dim=5)).eval()
    encoder = load_encoder("cars")
    pictures = np.random.default_rng(0).integers(0, 255, (2, 96, 96, 3)).astype(np.uint8)
    images = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
    with torch.no_grad():
        rows = torch.nn.functional.normalize(network(images).features, dim=1).numpy()
    np.testing.assert_allclose(rows, encoder.encode_prepared(list(pictures)), atol=1e-5)  # type: ignore[attr-defined]
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


@pytest.mark.parametrize(
    ("own", "dist"),
    [
        (network(frozen=True), DistContext(0, 2, "cpu")),
        (network(frozen=False), SINGLE_PROCESS),
        (network(frozen=False, name="test_vit"), DistContext(1, 2, "cpu")),
    ],
    ids=["frozen", "alone", "without batch norm"],
)
def test_otherwise_the_network_stays_as_it_is_but_on_processors_it_is_refused_where_it_learns(own: EmbeddingNetwork, dist: DistContext) -> None:
    kinds = [type(each) for each in own.modules()]
    assert sync_batch_norm(own, dist) is own
    assert [type(each) for each in own.modules()] == kinds
    with pytest.raises(InputError, match=r"which 2 processes share on GPUs only; set backbone.freeze_batch_norm to true"):
        sync_batch_norm(network(frozen=False), DistContext(0, 2, "cpu"))


def test_photos_is_the_network_of_the_encoder_for_photos() -> None:
    images = torch.rand(2, 3, 96, 96, generator=torch.Generator().manual_seed(0))
    network = build_network(BackboneConfig(name="photos", dim=None)).eval()
    shipped = photo_network(photo_network_file())
    with torch.inference_mode():
        pixels = (images - 0.5) / 0.5
        expected = shipped.forward_head(shipped.forward_features(pixels), pre_logits=True)  # type: ignore[operator]
        torch.testing.assert_close(network.features(images), expected, rtol=1e-3, atol=1e-3)
        logits = timm_model(BackboneConfig(name="photos")).eval()(pixels)
        torch.testing.assert_close(logits.argmax(1), features_and_logits(shipped, pixels)[1].argmax(1))
    assert network.feature_dim == 1280


@pytest.mark.parametrize("head_only", [True, False])
def test_it_trains_and_is_loaded_again_without_a_network(
    content: dict[str, Any], tmp_path: Path, head_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    content["backbone"] = {"name": "photos", "dim": 8, "head_only": head_only}
    content["data"]["image_size"] = 32
    run = train(config_from(content | {"epochs": 1}), tmp_path / "run")
    assert run.status().state == "finished"
    network = load_network(run)
    assert network.mean.flatten().tolist() == [0.5] * 3
    weights = network.state_dict()
    shipped = photo_network(photo_network_file()).state_dict()
    began = torch.equal(weights["backbone.conv_head.weight"], shipped["conv_head.weight"])
    assert began == head_only


def test_a_run_at_another_size_says_so(content: dict[str, Any], tmp_path: Path) -> None:
    content["backbone"], content["data"]["image_size"] = {"name": "clip:cars", "dim": 8, "head_only": True}, 48
    status = train(config_from(content | {"epochs": 1}), tmp_path / "run").status()
    assert status.state == "finished"
    assert "trained at 96 px" in status.message
    assert "\n" not in status.message
    assert size_note(build_network(BackboneConfig(name="clip:cars", dim=8)), 96) == ""


@pytest.mark.parametrize(
    "name", ["photos", "clip:cars", "clip:cars-small", "resnet18", "test_vit", "inception_v3", "mobilenetv3_small_050.lamb_in1k"]
)
def test_the_size_is_that_of_the_network_or_of_its_weights(name: str) -> None:
    ships = name == "photos" or name.startswith("clip:")
    config = BackboneConfig(name=name, dim=8, weights="pretrained" if ships else "none")
    assert native_size(name) == (build_network(config).native_size if ships else timm_model(config).pretrained_cfg["input_size"][-1])


def test_the_size_of_a_published_encoder_is_the_listed_one(hub: FakeHub) -> None:
    assert {name: native_size(backbone_of(each.name)) for name, each in PUBLISHED.items()} == {name: each.pixels for name, each in PUBLISHED.items()}
    with pytest.raises(InputError, match=r"'hf-hub:org/clip' is not on this machine, .* download it first: likeness encoders get hf-hub:org/clip"):
        native_size("clip:hf-hub:org/clip")


@pytest.mark.parametrize(
    ("encoder", "backbone"),
    [
        ("photos", "photos"),
        ("cars", "clip:cars"),
        ("ViT-B-32/openai", "clip:ViT-B-32/openai"),
        ("hf-hub:org/name", "clip:hf-hub:org/name"),
        ("timm:resnet18", "resnet18"),
        *((encoder, "") for encoder in ("run:somewhere", "photos:folder", "timm:hf-hub:org/name", "", "no encoder")),
    ],
)
def test_an_encoder_has_a_backbone_and_a_backbone_an_encoder_but_what_no_run_begins_from(encoder: str, backbone: str) -> None:
    assert backbone_of(encoder) == backbone
    assert not backbone or encoder_of(backbone) == encoder


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("resnet19", "There is no timm model 'resnet19'; the nearest names are resnet18"),
        ("clip:ViT-B-32/mine", "The model 'ViT-B-32' has no weights 'mine'"),
        ("clip:photos", "There is no network 'clip:photos' to train; write 'photos', the name of a timm model"),
        ("clip:run:somewhere", "There is no network 'clip:run:somewhere' to train"),
        ("timm:resnet18", "There is no network 'timm:resnet18' to train"),
        ("", "There is no network '' to train"),
        ("clip:local-dir:FOLDER", r"has no open_clip_config\.json"),
        ("clip:local-dir:FOLDER/model", "has no keys and values under 'vision_cfg'"),
    ],
)
def test_a_name_of_no_network_and_a_folder_without_a_model_are_one_sentence(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "open_clip_config.json").write_text('{"model_cfg": {}}')
    (tmp_path / "model" / "open_clip_model.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match=said):
        native_size(name.replace("FOLDER", str(tmp_path)))
