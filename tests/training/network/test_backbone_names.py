"""Backbones by name: the size that is told without weights is that of the network that is built."""

from pathlib import Path

import pytest

from fake_hub import FakeHub
from likeness.encoders import PUBLISHED
from likeness.errors import InputError
from likeness.training.config import BackboneConfig
from likeness.training.network.backbone_names import backbone_of, encoder_of, native_size
from likeness.training.network.backbones import build_network, timm_model


@pytest.mark.parametrize("name", ["photos", "clip:cars", "clip:cars-small"])
def test_the_size_of_what_ships_is_that_of_the_network(name: str) -> None:
    assert native_size(name) == build_network(BackboneConfig(name=name, dim=8)).native_size


@pytest.mark.parametrize("name", ["resnet18", "test_vit", "inception_v3", "mobilenetv3_small_050.lamb_in1k"])
def test_the_size_of_a_timm_network_is_that_of_its_weights(name: str) -> None:
    model = timm_model(BackboneConfig(name=name, weights="none"))
    assert native_size(name) == model.pretrained_cfg["input_size"][-1]


@pytest.mark.parametrize("encoder", PUBLISHED.values(), ids=PUBLISHED)
def test_the_size_of_a_published_encoder_is_the_listed_one(encoder: object) -> None:
    assert native_size(backbone_of(encoder.name)) == encoder.pixels  # type: ignore[attr-defined]


def test_a_clip_of_the_hub_has_a_size_once_it_is_here(hub: FakeHub) -> None:
    with pytest.raises(InputError, match=r"'hf-hub:org/clip' is not on this machine, .* get it first: likeness encoders get hf-hub:org/clip"):
        native_size("clip:hf-hub:org/clip")


@pytest.mark.parametrize(
    ("encoder", "backbone"),
    [
        ("photos", "photos"),
        ("cars", "clip:cars"),
        ("ViT-B-32/openai", "clip:ViT-B-32/openai"),
        ("hf-hub:org/name", "clip:hf-hub:org/name"),
        ("timm:resnet18", "resnet18"),
    ],
)
def test_an_encoder_has_a_backbone_and_a_backbone_an_encoder(encoder: str, backbone: str) -> None:
    assert backbone_of(encoder) == backbone
    assert encoder_of(backbone) == encoder


@pytest.mark.parametrize("encoder", ["run:somewhere", "photos:folder", "timm:hf-hub:org/name", "", "no encoder"])
def test_what_no_run_begins_from_has_none(encoder: str) -> None:
    assert backbone_of(encoder) == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("resnet19", "There is no timm model 'resnet19'; the nearest names are resnet18"),
        ("clip:ViT-B-32/mine", "The model 'ViT-B-32' has no weights 'mine'"),
        ("clip:photos", "There is no network 'clip:photos' to train; write 'photos', the name of a timm model"),
        ("clip:run:somewhere", "There is no network 'clip:run:somewhere' to train"),
        ("timm:resnet18", "There is no network 'timm:resnet18' to train"),
        ("", "There is no network '' to train"),
    ],
)
def test_a_name_of_no_network_is_one_sentence(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        native_size(name)


def test_a_folder_without_a_model_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no open_clip_config\.json"):
        native_size(f"clip:local-dir:{tmp_path}")
    (tmp_path / "open_clip_config.json").write_text('{"model_cfg": {}}')
    (tmp_path / "open_clip_model.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match="has no keys and values under 'vision_cfg'"):
        native_size(f"clip:local-dir:{tmp_path}")
