from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likeness.data import read_folder
from likeness.embedding import embed
from likeness.encoders import embed_images, encoder_identity, load_encoder, reads_text
from likeness.errors import InputError
from likeness.saliency import saliency_maps
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.data.outputs import embed_rows
from likeness.training.data.pixels import load_pixels
from likeness.training.loop.train import train
from likeness.training.runs.run_encoder import load_network
from likeness.training.runs.run_folder import RunFolder


@pytest.fixture
def run(config: RunConfig, tmp_path: Path) -> RunFolder:
    return train(config, tmp_path / "run")


def test_it_embeds_as_the_run_does_in_its_evaluation_and_its_space_has_new_images_and_saliency(run: RunFolder, photos: Path) -> None:
    encoder, table = load_encoder(f"run:{run.path}"), read_folder(photos)
    found = encoder.encode_images(table.paths())
    expected = embed_rows(load_network(run), load_pixels(table, 16), np.arange(36), 16)
    assert (found.shape, encoder.dim, encoder.has_text) == ((36, 8), 8, False)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert (found * expected).sum(axis=1).min() > 0.999  # resized in other steps
    space = embed(table, f"run:{run.path}")
    assert space.embed_texts is None
    np.testing.assert_allclose(space.vectors, found, atol=1e-5)
    np.testing.assert_allclose(space.image_query(photos / "class 0" / "0.png")[0], space.vectors[0], atol=1e-5)
    assert saliency_maps(space, [0, 1], samples=2).maps.shape == (2, 16, 16)


def test_it_shows_as_much_of_an_image_as_the_run_did(content: dict[str, Any], tmp_path: Path, photos: Path) -> None:
    for number, shown in enumerate(({"frame": "whole", "kept": 16}, {"kept": 24})):
        run = train(config_from(content | {"data": content["data"] | shown}), tmp_path / f"run {number}")
        table = read_folder(photos)
        found = load_encoder(f"run:{run.path}").encode_images(table.paths())
        network = load_network(run)
        expected = embed_rows(network, load_pixels(table, 16, **shown), np.arange(36), 16)  # type: ignore[arg-type]
        assert (found * expected).sum(axis=1).min() > 0.999
        assert (found * embed_rows(network, load_pixels(table, 16), np.arange(36), 16)).sum(axis=1).min() < 0.999


def test_the_embedding_layer_of_a_head_only_run_stands_on_its_backbone(content: dict[str, Any], tmp_path: Path) -> None:
    content["backbone"] = {"name": "clip:cars", "dim": 8, "head_only": True}
    content["data"] |= {"image_size": 96}
    run = train(config_from(content), tmp_path / "head")
    found = load_encoder(f"run:{run.path}").encode_images(read_folder(tmp_path / "photos").paths()[:3])
    network = load_network(run).eval()
    pixels = load_pixels(read_folder(tmp_path / "photos"), 96)
    assert (found * embed_rows(network, pixels, np.arange(3), 96)).sum(axis=1).min() > 0.999


def test_new_weights_are_another_encoder_and_what_is_absent_new_or_damaged_is_named(
    run: RunFolder, config: RunConfig, tmp_path: Path, photos: Path
) -> None:
    other, name = train(with_changes(config, {"seed": 1}), tmp_path / "other"), f"run:{run.path}"
    before = encoder_identity(name)
    assert before != encoder_identity(f"run:{other.path}")
    run.best.write_bytes(other.best.read_bytes())
    assert encoder_identity(name) != before
    assert len(embed_images(read_folder(photos), name).rows) == 36
    assert not reads_text(name)
    with pytest.raises(InputError, match="has no text side"):
        load_encoder(name).encode_texts(["a"])

    with pytest.raises(InputError, match="there is no folder"):
        load_encoder(f"run:{tmp_path}/absent")
    RunFolder(tmp_path / "new").create(config)
    with pytest.raises(InputError, match="has no weights yet"):
        load_encoder(f"run:{tmp_path}/new")
    wider, whole = train(with_changes(config, {"backbone.dim": 9}), tmp_path / "wider").best.read_bytes(), run.best.read_bytes()
    for content, message in (
        (wider, r"do not fit its config: 'head\.weight'"),
        (whole[:-3] + bytes([whole[-3] ^ 2]) + whole[-2:], r"'best.safetensors' cannot be read as safetensors"),
    ):
        run.best.write_bytes(content)
        with pytest.raises(InputError, match=message):
            load_encoder(name)
