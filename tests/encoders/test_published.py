"""The short list: each entry is what the libraries know by that name, and its facts follow from the architecture."""

from pathlib import Path

import pytest

from fake_hub import FakeHub
from likeness.encoders import PUBLISHED, PublishedEncoder, download_encoder, encoder_family, reads_text
from likeness.encoders.speed import architecture

_LISTED = [pytest.param(encoder, id=name) for name, encoder in PUBLISHED.items()]
# What a tokenizer of the hub adds: Gemma's 256,000 words.
_TOKENIZER_MEGABYTES = {"ViT-B-16-SigLIP2-256/webli": 34}


@pytest.mark.parametrize("encoder", _LISTED)
def test_the_libraries_look_for_it_in_that_repository(encoder: PublishedEncoder) -> None:
    family, target = encoder_family(encoder.name)
    assert {files.repository for files in family.hub_files(target)} == {encoder.repository}
    assert reads_text(encoder.name) is encoder.has_text


@pytest.mark.parametrize("encoder", _LISTED)
def test_the_size_of_the_download_is_that_of_the_architecture(encoder: PublishedEncoder) -> None:
    bytes_ = sum(weight.numel() * 4 for weight in architecture(encoder).state_dict().values())
    assert encoder.megabytes == pytest.approx(bytes_ / 1e6 + _TOKENIZER_MEGABYTES.get(encoder.name, 0), abs=1)


@pytest.mark.parametrize("encoder", _LISTED)
def test_the_images_have_the_side_that_the_libraries_give_them(encoder: PublishedEncoder) -> None:
    network = architecture(encoder)
    side = network.visual.image_size if encoder.has_text else network.pretrained_cfg["input_size"][-1]
    assert (side if isinstance(side, int) else side[0]) == encoder.pixels


def test_an_encoder_is_here_once_it_was_downloaded(hub: FakeHub, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("name", ["cars", "run:nowhere", "local-dir:nowhere"])
def test_what_ships_or_lies_in_a_folder_needs_no_download(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.socket.connect", None)
    assert download_encoder(name)
