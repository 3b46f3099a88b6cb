from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

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


def test_it_embeds_as_the_run_does_in_its_evaluation(run: RunFolder, photos: Path) -> None:
    encoder, table = load_encoder(f"run:{run.path}"), read_folder(photos)
    found = encoder.encode_images(table.paths())
    expected = embed_rows(load_network(run), load_pixels(table, 16), np.arange(36), 16)
    assert (found.shape, encoder.dim, encoder.has_text) == ((36, 8), 8, False)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert (found * expected).sum(axis=1).min() > 0.999  # resized in other steps


def test_it_shows_as_much_of_an_image_as_the_run_did(content: dict[str, Any], tmp_path: Path, photos: Path) -> None:
    for number, shown in enumerate(({"frame": "whole", "kept": 16}, {"kept": 24})):
        run = train(config_from(content | {"data": content["data"] | shown}), tmp_path / f"run {number}")
        table = read_folder(photos)
        found = load_encoder(f"run:{run.path}").encode_images(table.paths())
        network = load_network(run)
        expected = embed_rows(network, load_pixels(table, 16, **shown), np.arange(36), 16)  # type: ignore[arg-type]
        assert (found * expected).sum(axis=1).min() > 0.999
        assert (found * embed_rows(network, load_pixels(table, 16), np.arange(36), 16)).sum(axis=1).min() < 0.999


def test_its_space_has_vectors_new_images_and_saliency(run: RunFolder, photos: Path) -> None:
    space = embed(read_folder(photos), f"run:{run.path}")
    assert space.vectors.shape == (36, 8)
    assert space.embed_texts is None
    np.testing.assert_allclose(space.image_query(photos / "class 0" / "0.png")[0], space.vectors[0], atol=1e-5)
    assert saliency_maps(space, [0, 1], samples=2).maps.shape == (2, 16, 16)


def test_the_embedding_layer_of_a_head_only_run_stands_on_its_backbone(content: dict[str, Any], tmp_path: Path) -> None:
    content["backbone"] = {"name": "clip:cars", "dim": 8, "head_only": True}
    content["data"] |= {"image_size": 96}
    run = train(config_from(content), tmp_path / "head")
    found = load_encoder(f"run:{run.path}").encode_images(read_folder(tmp_path / "photos").paths()[:3])
    network = load_network(run).eval()
    pixels = load_pixels(read_folder(tmp_path / "photos"), 96)
    assert (found * embed_rows(network, pixels, np.arange(3), 96)).sum(axis=1).min() > 0.999


def test_new_weights_are_another_encoder(run: RunFolder, config: RunConfig, tmp_path: Path, photos: Path) -> None:
    other = train(with_changes(config, {"seed": 1}), tmp_path / "other")
    assert encoder_identity(f"run:{run.path}") != encoder_identity(f"run:{other.path}")
    before = encoder_identity(f"run:{run.path}")
    run.best.write_bytes(other.best.read_bytes())
    assert encoder_identity(f"run:{run.path}") != before
    assert len(embed_images(read_folder(photos), f"run:{run.path}").rows) == 36


def test_a_run_reads_no_text(run: RunFolder) -> None:
    assert not reads_text(f"run:{run.path}")
    with pytest.raises(InputError, match="has no text side"):
        load_encoder(f"run:{run.path}").encode_texts(["a"])


def test_a_run_that_is_absent_new_or_damaged_is_named(config: RunConfig, run: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        load_encoder(f"run:{tmp_path}/absent")
    RunFolder(tmp_path / "new").create(config)
    with pytest.raises(InputError, match="has no weights yet"):
        load_encoder(f"run:{tmp_path}/new")
    wider = train(with_changes(config, {"backbone.dim": 9}), tmp_path / "wider")
    run.best.write_bytes(wider.best.read_bytes())
    with pytest.raises(InputError, match=r"do not fit its config: 'head\.weight'"):
        load_encoder(f"run:{run.path}")


def test_a_flipped_bit_in_the_best_weights_is_noticed(run: RunFolder) -> None:
    whole = run.best.read_bytes()
    for place in (len(whole) // 2, len(whole) - 3):
        changed = bytearray(whole)
        changed[place] ^= 2
        run.best.write_bytes(changed)
        with pytest.raises(InputError, match=r"'best.safetensors' cannot be read as safetensors"):
            load_network(run)


def test_best_weights_without_checksum_are_taken(run: RunFolder) -> None:
    before = load_network(run).state_dict()
    save_file(load_file(run.best), run.best)
    after = load_network(run).state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
