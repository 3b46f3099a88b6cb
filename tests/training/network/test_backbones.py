"""Networks that ship, as backbones."""

import socket
from pathlib import Path
from typing import Any

import pytest
import torch

from likeness.encoders import features_and_logits, photo_network, photo_network_file
from likeness.training.config import BackboneConfig, config_from
from likeness.training.loop.train import train
from likeness.training.network.backbones import build_network, size_note, timm_model
from likeness.training.runs.run_encoder import load_network


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


@pytest.mark.parametrize(
    ("backbone", "own"),
    [({"name": "photos"}, 224), ({"name": "clip:cars"}, 96), ({"name": "resnet18", "weights": "none"}, None)],
)
def test_images_at_another_size_than_the_weights_knew_are_told_of(backbone: dict[str, Any], own: int | None) -> None:
    network = build_network(BackboneConfig(dim=8, **backbone))
    assert network.native_size == own
    said = size_note(network, 64)
    assert said == "" if own is None else f"shown at 64 px, and the weights of this network were trained at {own} px" in said
    assert size_note(network, own or 64) == ""


def test_a_run_at_another_size_says_so(content: dict[str, Any], tmp_path: Path) -> None:
    content["backbone"] = {"name": "clip:cars", "dim": 8, "head_only": True}
    content["data"]["image_size"] = 48
    run = train(config_from(content | {"epochs": 1}), tmp_path / "run")
    assert run.status().state == "finished"
    assert "trained at 96 px" in run.status().message
    assert "\n" not in run.status().message
