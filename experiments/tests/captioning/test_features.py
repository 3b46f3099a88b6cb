"""Features on a grid: the maps' means, the cache, runs and backbones, errors."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from experiments.captioning.features import feature_network, grid_features
from likeness.data import ImageTable, read_dataset
from likeness.errors import InputError
from likeness.training.config import BackboneConfig
from likeness.training.data.pixels import center_crops, load_pixels

TINY = BackboneConfig(name="test_resnet", weights="none", dim=8)


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    rng = np.random.default_rng(0)
    for number in range(24):
        folder = tmp_path / "photos" / f"class {number % 8}"
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (40, 40, 3)).astype(np.uint8)).save(folder / f"{number}.png")
    return read_dataset(tmp_path / "photos")


def test_means_of_the_maps_over_the_parts_of_the_grid(table: ImageTable) -> None:
    torch.manual_seed(0)
    chosen = feature_network(TINY)
    found = grid_features(chosen, table, 128, 2, device="cpu")
    maps = chosen.network.maps(center_crops(load_pixels(table, 128), 128)).detach()
    assert maps.shape[2:] == (4, 4)
    assert found.shape == (24, 4, maps.shape[1])
    assert found.dtype == np.float16
    for place in range(4):
        row, column = divmod(place, 2)
        expected = maps[:, :, 2 * row : 2 * row + 2, 2 * column : 2 * column + 2].mean((2, 3))
        np.testing.assert_allclose(found[:, place], expected, rtol=2e-3, atol=1e-3)
    # over all places, what the backbone pools
    pooled = chosen.network.features(center_crops(load_pixels(table, 128), 128)).detach()
    np.testing.assert_allclose(grid_features(chosen, table, 128, 1, device="cpu")[:, 0], pooled, rtol=2e-3, atol=1e-3)


def test_they_are_computed_once_for_the_same_weights_grid_and_images(table: ImageTable, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    chosen, said = feature_network(TINY), []
    first = grid_features(chosen, table, 64, 2, lambda done, total, stage: said.append((done, stage)), "cpu")
    assert said[-1] == (24, "Computing features")
    said.clear()
    assert np.array_equal(grid_features(chosen, table, 64, 2, lambda done, total, stage: said.append((done, stage)), "cpu"), first)
    assert said == []
    other = feature_network(TINY)
    assert other.identity != chosen.identity
    assert not np.array_equal(grid_features(other, table, 64, 2, device="cpu"), first)
    assert grid_features(chosen, table, 64, 1, device="cpu").shape[1] == 1


def test_of_a_trained_run(table: ImageTable, run_on: Callable[..., str], tmp_path: Path) -> None:
    run = run_on(tmp_path / "run", source=str(table.root))
    chosen = feature_network(run)
    assert chosen.name == run
    from likeness.training.runs.run_encoder import load_network
    from likeness.training.runs.run_folder import RunFolder

    stored = load_network(RunFolder(tmp_path / "run")).backbone.state_dict()
    assert all(torch.equal(value, stored[name]) for name, value in chosen.network.backbone.state_dict().items())
    assert grid_features(chosen, table, 64, 2, device="cpu").shape[:2] == (24, 4)
    assert feature_network(run).identity == chosen.identity


def test_wrong_names_and_networks_are_told(table: ImageTable, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There are no features 'resnet'; use imagenet, or run:FOLDER"):
        feature_network("resnet")
    with pytest.raises(InputError, match="There is no run in"):
        feature_network(f"run:{tmp_path}")
    vit = BackboneConfig(name="test_vit", weights="none", dim=8)
    with pytest.raises(InputError, match="Expected a backbone with feature maps"):
        grid_features(vit, table, 160, 2, device="cpu")
    torch.manual_seed(0)
    large = feature_network(TINY)
    with torch.no_grad():
        for value in large.network.backbone.parameters():
            value.mul_(100)
    with pytest.raises(InputError, match="values above 65,504, which half precision cannot keep"):
        grid_features(large, table, 64, 2, device="cpu")
