"""The short list: each entry is what the libraries know by that name, and its facts follow from the architecture; and speeds, without weights."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from fake_hub import FakeHub
from likeness.encoders import (
    PUBLISHED,
    PublishedEncoder,
    download_encoder,
    encoder_family,
    encoder_is_here,
    measure_speed,
    reads_text,
    remembered_speeds,
)
from likeness.encoders.models import load_model

_SMALL = replace(PUBLISHED["timm:vit_small_patch16_dinov3.lvd1689m"], name="timm:test_vit", pixels=160)
_LISTED = [pytest.param(encoder, id=name) for name, encoder in PUBLISHED.items()]
# What a tokenizer of the hub adds: Gemma's 256,000 words.
_TOKENIZER_MEGABYTES = {"ViT-B-16-SigLIP2-256/webli": 34}


@pytest.mark.parametrize("encoder", _LISTED)
def test_the_libraries_look_for_it_in_that_repository(encoder: PublishedEncoder) -> None:
    family, target = encoder_family(encoder.name)
    assert {files.repository for files in family.hub_files(target)} == {encoder.repository}
    assert reads_text(encoder.name) is encoder.has_text


@pytest.mark.parametrize("encoder", _LISTED)
def test_sizes_of_download_and_images_are_those_of_the_architecture(encoder: PublishedEncoder) -> None:
    network = load_model.architecture(encoder.name)
    side = network.visual.image_size if encoder.has_text else network.pretrained_cfg["input_size"][-1]
    assert (side if isinstance(side, int) else side[0]) == encoder.pixels
    bytes_ = sum(weight.numel() * 4 for weight in network.state_dict().values())
    assert encoder.megabytes == pytest.approx(bytes_ / 1e6 + _TOKENIZER_MEGABYTES.get(encoder.name, 0), abs=1)


def test_an_encoder_is_here_once_it_was_downloaded(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = PUBLISHED["timm:vit_small_patch16_dinov3.lvd1689m"]
    served = tmp_path / "served"
    served.mkdir()
    (served / "model.safetensors").write_bytes(b"weights" * 1000)
    hub.repositories[encoder.repository] = served
    assert not encoder.is_here
    told: list[tuple[int, int]] = []
    assert download_encoder(encoder.name, lambda done, total, stage="": told.append((done, total)))
    assert told[-1] == (7000, 7000)
    assert encoder.is_here
    monkeypatch.setattr("socket.socket.connect", None)
    assert all(download_encoder(name) for name in ("cars", "run:nowhere", "local-dir:nowhere"))  # what ships or lies in a folder


@pytest.mark.parametrize(
    "use",
    [
        lambda folder: encoder_is_here("ViT-B-32/openai"),
        lambda folder: encoder_is_here("timm:resnet50.a1_in1k"),
        lambda folder: measure_speed(_SMALL, "cpu", seconds=0.0),
        lambda folder: encoder_family("local-dir:x")[0].load("x", str(folder), "cpu"),
        lambda folder: encoder_family("photos")[0].load("photos", encoder_family("photos")[1], "cpu"),
    ],
    ids=["open_clip's files", "timm's files", "speed", "open_clip", "photos"],
)
def test_the_lock_is_taken(use: Callable[[Path], Any], tiny_clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that import torchvision at once fail by chance."""
    lock = MagicMock()
    monkeypatch.setattr(load_model, "_importing", lock)
    use(tiny_clip)
    assert lock.__enter__.called


@pytest.mark.parametrize("encoder", [_SMALL, replace(PUBLISHED["ViT-B-32/openai"], name="ViT-S-32/none")])
def test_a_speed_needs_no_weights_and_is_remembered_beside_others_of_this_machine(encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.socket.connect", None)
    assert remembered_speeds() == {}
    speed = measure_speed(encoder, "cpu", seconds=0.0)
    assert speed > 0
    assert remembered_speeds() == {encoder.name: speed}
    measure_speed(replace(_SMALL, name="timm:test_vit2", pixels=64), "cpu", seconds=0.0)
    assert set(remembered_speeds()) == {encoder.name, "timm:test_vit2"}
    monkeypatch.setattr("platform.node", lambda: "another machine")
    assert remembered_speeds() == {}


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"a": 1}'])
def test_a_damaged_file_of_speeds_is_none(cache: Path, content: bytes) -> None:
    cache.mkdir()
    (cache / "encoder_speeds.json").write_bytes(content)
    assert remembered_speeds() == {}
