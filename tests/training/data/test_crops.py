from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import map_coordinates
from torchvision.transforms import RandomResizedCrop

from likeness.data import read_folder
from likeness.samplers import MPerClassBatches
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.data.batches import Batch, Batches
from likeness.training.data.crops import MIDDLE, Crops, crop_shares, cut_crops, jittered_crops, mirrored_crops, random_crops, whole_crops
from likeness.training.data.pixels import WholeImages, load_pixels, load_whole_images
from likeness.training.data.run_images import run_images
from likeness.training.loop.train import train

Pixels = NDArray[np.uint8]


def noise(count: int, side: int) -> Pixels:
    return np.random.default_rng(0).integers(0, 256, (count, side, side, 3)).astype(np.uint8)


def cut(pixels: Pixels, crops: Crops, size: int) -> NDArray[np.float32]:
    found: NDArray[np.float32] = cut_crops(torch.from_numpy(np.array(pixels)), crops, size).numpy()
    return found


def sampled(pixels: Pixels, boxes: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """By SciPy: each place of a crop lies between four pixels of the kept image, or at its edge."""
    side, steps = pixels.shape[1], (np.arange(size) + 0.5) / size * 2 - 1
    found = np.empty((len(pixels), 3, size, size))
    for number, (left, top, wide, high) in enumerate(boxes):
        down, across = (((middle + extent * steps + 1) * side - 1) / 2 for middle, extent in ((top, high), (left, wide)))
        for channel in range(3):
            places = np.meshgrid(down, across, indexing="ij")
            found[number, channel] = map_coordinates(pixels[number, ..., channel] / 255, places, order=1, mode="nearest")
    return found


@pytest.mark.parametrize("kind", ["random", "jittered", "whole"])
def test_are_sampled_between_pixels_linearly(kind: str) -> None:
    pixels, rng = noise(6, 18), np.random.default_rng(4)
    crops = {
        "random": lambda: random_crops(6, rng),
        "jittered": lambda: jittered_crops(6, 16 / 18, rng),
        "whole": lambda: whole_crops(np.linspace(0.3, 3, 6), 6, rng),
    }[kind]()
    np.testing.assert_allclose(cut(pixels, crops, 16), sampled(pixels, crops.boxes.numpy(), 16), atol=1e-5)


def test_boxes_in_single_precision_move_pixels_by_little() -> None:
    pixels, crops = noise(6, 18), random_crops(6, np.random.default_rng(4))
    batch = Batch(torch.from_numpy(pixels), torch.zeros(6), torch.arange(6), crops, MIDDLE)
    single = batch.in_float32()
    assert single.crops.boxes.dtype == torch.float32
    for found, expected in zip(single.cut(16), batch.cut(16), strict=True):
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=0)


def test_a_batch_is_mirrored_as_a_whole_or_not_at_all() -> None:
    pixels, seen = noise(5, 9), set()
    centers = cut(pixels, MIDDLE, 7)
    np.testing.assert_array_equal(centers, np.float32(pixels[:, 1:8, 1:8].transpose(0, 3, 1, 2)) / np.float32(255))
    for seed in range(20):
        found = cut(pixels, mirrored_crops(np.random.default_rng(seed)), 7)
        mirrored = np.array_equal(found, centers[..., ::-1])
        assert mirrored or np.array_equal(found, centers)
        seen.add(mirrored)
    assert seen == {True, False}


def test_crops_are_parts_of_the_image_half_of_them_mirrored() -> None:
    left, top, wide, high = random_crops(4000, np.random.default_rng(0)).boxes.numpy().T
    assert (wide < 0).mean() == pytest.approx(0.5, abs=0.03)
    for place, extent in ((left, np.abs(wide)), (top, high)):
        assert (np.abs(place) + extent).max() <= 1 + 1e-12
        assert extent.max() == 1
        assert place.std() > 0.1
    area, ratio = np.abs(wide) * high, np.abs(wide) / high
    assert 0.12 <= area.min() < 0.2  # 16 %, of which a part may lie beyond the image
    assert (ratio.min(), ratio.max()) == pytest.approx((3 / 4, 4 / 3), abs=0.01)


def test_jitter_mirrors_all_images_or_none_and_moves_them_little() -> None:
    mirrored = []
    for seed in range(20):
        left, top, wide, high = jittered_crops(6, 56 / 64, np.random.default_rng(seed)).boxes.numpy().T
        assert len(set(np.sign(wide))) == 1
        mirrored.append(wide[0] < 0)
        np.testing.assert_allclose(np.abs(wide), high)
        assert np.abs(high - 56 / 64).max() <= 0.1 * 56 / 64
        assert max(np.abs(left).max(), np.abs(top).max()) <= 0.06 * 56 / 64
        assert min(len(set(each)) for each in (left, top, high)) > 1
    assert 4 < sum(mirrored) < 16


def test_parts_of_a_batch_are_those_of_the_whole_from_the_same_seed() -> None:
    aspect = np.linspace(0.5, 2, 5)
    for draw in (
        random_crops,
        lambda count, rng, part: jittered_crops(count, 0.9, rng, part),
        lambda count, rng, part: whole_crops(aspect[part], count, rng, part),
    ):
        whole, *parts = (draw(5, np.random.default_rng(3), part).boxes for part in (slice(None), slice(0, 2), slice(2, 5)))
        assert torch.equal(torch.cat(parts), whole)


def smooth(width: int, height: int) -> Image.Image:
    x, y = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    channels = (x, 1 - y, 0.5 + 0.4 * np.sin(5 * x + 3 * y))
    return Image.fromarray(np.stack([np.round(255 * each) for each in channels], axis=2).astype(np.uint8))


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
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


def cropped(images: WholeImages, size: int, rng: np.random.Generator) -> torch.Tensor:
    """Random crops of these images."""
    return cut_crops(torch.from_numpy(np.ascontiguousarray(images["pixels"])), whole_crops(images["aspect"], len(images), rng), size)


def boxes(aspect: float, count: int) -> np.ndarray:
    """Widths, heights and centers (4, count) of crops, as shares."""
    left, top, wide, high = whole_crops(np.full(count, aspect), count, np.random.default_rng(0)).boxes.numpy().T
    return np.stack([np.abs(wide), high, (1 + left) / 2, (1 + top) / 2])


def derived(shares: np.ndarray, aspect: float) -> np.ndarray:
    return np.stack([shares[0] * shares[1], np.log(aspect * shares[0] / shares[1])])


def test_the_first_try_that_lies_within_the_image_counts_and_without_one_the_central_crop() -> None:
    area, ratio = np.array([[0.9, 1.0, 1.0], [0.5, 0.9, 1.0]]), np.array([[0.8, 0.75, 1.0], [1.3, 0.75, 1.0]])
    wide, high, fits = crop_shares(np.array([2.0, 4.0, 1.0]), area, ratio)
    # 1: the first is too high, the second fits; 2: none fits, so 4/3 of the height; 3: the image itself
    np.testing.assert_allclose(wide, [np.sqrt(0.5 * 1.3 / 2), 1 / 3, 1])
    np.testing.assert_allclose(high, [np.sqrt(0.5 * 2 / 1.3), 1, 1])
    assert fits.tolist() == [True, False, True]
    wide, high, _ = crop_shares(np.array([0.25]), np.ones((1, 1)), np.ones((1, 1)))
    assert [wide[0], high[0]] == pytest.approx([1, 1 / 3])


def test_a_second_view_is_another_crop(photos: Path) -> None:
    data = run_images(config_from({"data": {"source": str(photos), "image_size": 16}}).data, 0)
    images = load_whole_images(data.table, 16)
    batch = Batches(images, data, MPerClassBatches(data.labels[data.train], 4, 2), 16, True, 0, views=True)
    shown, _, rows, view = batch[3].cut(16)
    assert torch.equal(shown, cropped(images[rows.numpy()], 16, np.random.default_rng([0, 3, 2])))
    assert torch.equal(shown, batch[3].cut(16)[0])
    assert not torch.allclose(shown, view)


def test_a_run_trains_on_whole_images_and_is_measured_on_squares(config: RunConfig, tmp_path: Path) -> None:
    whole = with_changes(config, {"data.crops": "whole"})
    first, again, other = (train(each, tmp_path / str(number)).metrics() for number, each in enumerate((whole, whole, config)))
    assert first["loss"].dropna().tolist() == again["loss"].dropna().tolist() != other["loss"].dropna().tolist()
    assert first["recall_at_1"][0] == other["recall_at_1"][0]
