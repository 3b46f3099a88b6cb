"""Crops of whole images: drawn as torchvision's, with the pixels that PIL gives."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.transforms import RandomResizedCrop

from likeness.data import read_folder
from likeness.samplers import MPerClassBatches
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.data.batches import Batches
from likeness.training.data.crops import crop_shares, cut_crops, whole_crops
from likeness.training.data.pixels import WholeImages, load_pixels, load_whole_images
from likeness.training.data.run_images import run_images
from likeness.training.loop.train import train


def smooth(width: int, height: int) -> Image.Image:
    """Red rises to the right, green falls downwards, blue waves."""
    x, y = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    channels = (x, 1 - y, 0.5 + 0.4 * np.sin(5 * x + 3 * y))
    return Image.fromarray(np.stack([np.round(255 * each) for each in channels], axis=2).astype(np.uint8))


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    """A wide, a high and a square image."""
    (tmp_path / "shapes").mkdir()
    for name, (width, height) in {"a": (480, 240), "b": (200, 400), "c": (256, 256)}.items():
        smooth(width, height).save(tmp_path / "shapes" / f"{name}.png")
    return tmp_path / "shapes"


def test_the_whole_image_is_kept_with_its_aspect_apart_from_the_squares(shapes: Path, cache: Path) -> None:
    table = read_folder(shapes)
    whole, squares = load_whole_images(table, 56), load_pixels(table, 56)
    assert whole["aspect"].tolist() == [2.0, 0.5, 1.0]
    assert whole["pixels"].shape == squares.shape == (3, 64, 64, 3)
    np.testing.assert_array_equal(whole["pixels"][2], squares[2])
    assert whole["pixels"][0, 32, 0, 0] < 8  # red at the left edge, which the center square lacks
    assert squares[0, 32, 0, 0] > 60
    assert len(list((cache / "pixels").glob("*.npy"))) == 2
    np.testing.assert_array_equal(load_whole_images(table, 56), whole)


@pytest.mark.parametrize("size", [(480, 240), (200, 400), (256, 256), (1200, 240), (300, 400)])
def test_crops_have_the_shares_and_places_of_torchvision(size: tuple[int, int]) -> None:
    """Means, spreads and deciles over 4,000 draws, of width, height, area, ratio and center; 1200 x 240 often takes the central crop."""
    (width, height), count = size, 4000
    blank = torch.zeros(1, height, width)
    torch.manual_seed(0)
    theirs = np.array([RandomResizedCrop.get_params(blank, [0.08, 1.0], [3 / 4, 4 / 3]) for _ in range(count)], dtype=float)
    top, left, high, wide = theirs.T
    theirs = np.stack([wide / width, high / height, (left + wide / 2) / width, (top + high / 2) / height])
    ours = boxes(width / height, count)
    for mine, other in ((ours, theirs), (derived(ours, width / height), derived(theirs, width / height))):
        np.testing.assert_allclose(mine.mean(axis=1), other.mean(axis=1), atol=0.02)
        np.testing.assert_allclose(mine.std(axis=1), other.std(axis=1), atol=0.02)
        deciles = np.arange(0.1, 1, 0.1)
        np.testing.assert_allclose(np.quantile(mine, deciles, axis=1), np.quantile(other, deciles, axis=1), atol=0.04)


def cropped(images: WholeImages, size: int, rng: np.random.Generator, part: slice = slice(None), total: int | None = None) -> torch.Tensor:
    """Random crops of these images, which are a part of a batch."""
    crops = whole_crops(images["aspect"], len(images) if total is None else total, rng, part)
    return cut_crops(torch.from_numpy(np.ascontiguousarray(images["pixels"])), crops, size)


def boxes(aspect: float, count: int) -> np.ndarray:
    """Widths, heights and centers (4, count), as shares, of crops: read off an image whose colors are its coordinates."""
    line = (np.arange(64) + 0.5) / 64
    coordinates = np.zeros((64, 64, 3), np.uint8)
    coordinates[..., 0], coordinates[..., 1] = np.round(255 * line)[None], np.round(255 * line)[:, None]
    images = records(np.broadcast_to(coordinates, (count, 64, 64, 3)), np.full(count, aspect))
    found = cropped(images, 32, np.random.default_rng(0)).numpy()
    lines = [np.polyfit(np.arange(-15.5, 16), each.T, 1) for each in (found[:, 0, 16], found[:, 1, :, 16])]
    return np.stack([*(32 * np.abs(slope) for slope, _ in lines), *(middle for _, middle in lines)])


def derived(shares: np.ndarray, aspect: float) -> np.ndarray:
    """Area, and the logarithm of width over height."""
    return np.stack([shares[0] * shares[1], np.log(aspect * shares[0] / shares[1])])


def records(pixels: np.ndarray, aspects: np.ndarray) -> WholeImages:
    found = np.empty(len(pixels), np.dtype([("aspect", np.float32), ("pixels", np.uint8, pixels.shape[1:])]))
    found["aspect"], found["pixels"] = aspects, pixels
    return found


def test_the_first_try_that_lies_within_the_image_counts_and_without_one_the_central_crop() -> None:
    area, ratio = np.array([[0.9, 1.0, 1.0], [0.5, 0.9, 1.0]]), np.array([[0.8, 0.75, 1.0], [1.3, 0.75, 1.0]])
    wide, high, fits = crop_shares(np.array([2.0, 4.0, 1.0]), area, ratio)
    # 1: the first is too high, the second fits; 2: none fits, so 4/3 of the height; 3: the image itself
    np.testing.assert_allclose(wide, [np.sqrt(0.5 * 1.3 / 2), 1 / 3, 1])
    np.testing.assert_allclose(high, [np.sqrt(0.5 * 2 / 1.3), 1, 1])
    assert fits.tolist() == [True, False, True]
    wide, high, _ = crop_shares(np.array([0.25]), np.ones((1, 1)), np.ones((1, 1)))
    assert [wide[0], high[0]] == pytest.approx([1, 1 / 3])


def test_pixels_are_those_of_a_crop_of_the_original_scaled_by_pil(shapes: Path) -> None:
    images, size, count = load_whole_images(read_folder(shapes), 56), 56, 3
    for seed in range(12):
        found = cropped(images, size, np.random.default_rng(seed)).permute(0, 2, 3, 1).numpy()
        rng = np.random.default_rng(seed)
        area, ratio = rng.uniform(0.08, 1, (10, count)), np.exp(rng.uniform(np.log(3 / 4), np.log(4 / 3), (10, count)))
        across, down, mirrored = rng.uniform(-1, 1, count), rng.uniform(-1, 1, count), rng.random(count) < 0.5
        wide, high, fits = crop_shares(images["aspect"].astype(float), area, ratio)
        assert fits.all()
        for number, (width, height) in enumerate([(480, 240), (200, 400), (256, 256)]):
            left, top = (1 + across[number]) / 2 * (1 - wide[number]), (1 + down[number]) / 2 * (1 - high[number])
            box = (left * width, top * height, (left + wide[number]) * width, (top + high[number]) * height)
            expected = np.asarray(smooth(width, height).resize((size, size), Image.Resampling.BILINEAR, box)) / 255
            expected = expected[:, ::-1] if mirrored[number] else expected
            assert np.abs(found[number] - expected).max() < 0.03
            assert np.abs(found[number] - expected).mean() < 0.005


def test_parts_of_a_batch_are_the_batch_and_a_second_view_is_another_crop(shapes: Path, photos: Path) -> None:
    images = load_whole_images(read_folder(shapes), 56)[np.array([0, 1, 2, 0])]
    every = cropped(images, 56, np.random.default_rng(3))
    assert every.shape == (4, 3, 56, 56)
    parts = [cropped(images[part], 56, np.random.default_rng(3), part, 4) for part in (slice(0, 3), slice(3, 4))]
    assert torch.equal(torch.cat(parts), every)
    data = run_images(config_from({"data": {"source": str(photos), "image_size": 16}}).data, 0)
    batches = MPerClassBatches(data.labels[data.train], 4, 2)
    batch = Batches(load_whole_images(data.table, 16), data, batches, 16, True, 0, views=True)
    shown, _, rows, view = batch[3].cut(16)
    assert torch.equal(shown, cropped(load_whole_images(data.table, 16)[rows.numpy()], 16, np.random.default_rng([0, 3, 2])))
    assert torch.equal(shown, batch[3].cut(16)[0])
    assert not torch.allclose(shown, view)


def test_a_run_trains_on_whole_images_and_is_measured_on_squares(config: RunConfig, tmp_path: Path) -> None:
    whole = with_changes(config, {"data.crops": "whole"})
    first, again, other = (train(each, tmp_path / str(number)).metrics() for number, each in enumerate((whole, whole, config)))
    assert first["loss"].dropna().tolist() == again["loss"].dropna().tolist() != other["loss"].dropna().tolist()
    assert first["recall_at_1"][0] == other["recall_at_1"][0]
