"""Crops on the device: the draws and pixels of the host, by a slow loop, by PIL's own sampling and by laws."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from likeness.training.data.batches import Batch
from likeness.training.data.crops import MIDDLE, Crops, cut_crops, jittered_crops, mirrored_crops, random_crops, whole_crops

Pixels = NDArray[np.uint8]


def noise(count: int, side: int) -> Pixels:
    return np.random.default_rng(0).integers(0, 256, (count, side, side, 3)).astype(np.uint8)


def cut(pixels: Pixels, crops: Crops, size: int) -> NDArray[np.float32]:
    found: NDArray[np.float32] = cut_crops(torch.from_numpy(np.array(pixels)), crops, size).numpy()
    return found


def slow_crops(pixels: Pixels, boxes: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """A pixel at a time: the place in the kept image, and the four pixels around it."""
    side, found = pixels.shape[1], np.empty((len(pixels), 3, size, size))
    for number, (left, top, wide, high) in enumerate(boxes):
        for row in range(size):
            for column in range(size):
                x, y = (
                    ((middle + extent * ((place + 0.5) / size * 2 - 1) + 1) * side - 1) / 2
                    for middle, extent, place in ((left, wide, column), (top, high, row))
                )
                x, y = min(max(x, 0), side - 1), min(max(y, 0), side - 1)
                across, down = int(x), int(y)
                right, below = min(across + 1, side - 1), min(down + 1, side - 1)
                corners = pixels[number, [down, below]]
                upper, lower = (1 - x + across) * corners[:, across] + (x - across) * corners[:, right]
                found[number, :, row, column] = ((1 - y + down) * upper + (y - down) * lower) / 255
    return found


@pytest.mark.parametrize("kind", ["random", "jittered", "whole"])
def test_are_those_of_a_slow_loop_over_pixels(kind: str) -> None:
    pixels, rng = noise(6, 18), np.random.default_rng(4)
    crops = {
        "random": lambda: random_crops(6, rng),
        "jittered": lambda: jittered_crops(6, 16 / 18, rng),
        "whole": lambda: whole_crops(np.linspace(0.3, 3, 6), 6, rng),
    }[kind]()
    np.testing.assert_allclose(cut(pixels, crops, 16), slow_crops(pixels, crops.boxes.numpy(), 16), atol=1e-5)


def test_boxes_in_single_precision_move_pixels_by_little() -> None:
    pixels, crops = noise(6, 18), random_crops(6, np.random.default_rng(4))
    batch = Batch(torch.from_numpy(pixels), torch.zeros(6), torch.arange(6), crops, MIDDLE)
    single = batch.in_float32()
    assert single.crops.boxes.dtype == torch.float32
    for found, expected in zip(single.cut(16), batch.cut(16), strict=True):
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=0)


def test_the_box_of_the_middle_gives_the_middle() -> None:
    pixels = noise(3, 18)
    boxes = torch.tensor([[0.0, 0.0, 16 / 18, 16 / 18]], dtype=torch.float64).expand(3, 4)
    np.testing.assert_allclose(cut(pixels, Crops(boxes), 16), cut(pixels, MIDDLE, 16), atol=1e-5)
    mirrored = boxes * torch.tensor([1, 1, -1, 1])
    np.testing.assert_allclose(cut(pixels, Crops(mirrored), 16), cut(pixels, Crops(mirrored=True), 16), atol=1e-5)
    np.testing.assert_array_equal(cut(pixels, MIDDLE, 16), np.float32(pixels[:, 1:17, 1:17].transpose(0, 3, 1, 2)) / np.float32(255))


def test_a_batch_is_mirrored_as_a_whole_or_not_at_all() -> None:
    pixels, seen = noise(5, 9), set()
    centers = cut(pixels, MIDDLE, 7)
    for seed in range(20):
        found = cut(pixels, mirrored_crops(np.random.default_rng(seed)), 7)
        mirrored = np.array_equal(found, centers[..., ::-1])
        assert mirrored or np.array_equal(found, centers)
        seen.add(mirrored)
    assert seen == {True, False}


def test_crops_are_parts_of_the_image_some_of_them_mirrored() -> None:
    """On a ramp, each crop is a ramp: rising or falling, between its ends."""
    ramp = np.broadcast_to(np.linspace(0, 255, 64).astype(np.uint8)[None, None, :, None], (200, 64, 64, 3))
    found = cut(ramp, random_crops(200, np.random.default_rng(0)), 32)
    assert found.shape == (200, 3, 32, 32)
    steps = np.diff(found[:, 0, 16], axis=1)
    rising, falling = (steps >= -1e-6).all(axis=1), (steps <= 1e-6).all(axis=1)
    assert (rising | falling).all()
    assert 70 < rising.sum() < 130
    spans = np.abs(found[:, 0, 16, -1] - found[:, 0, 16, 0])
    assert spans.min() > 0.25  # a crop has at least 16 % of the area, sides in a ratio of at most 4/3
    assert spans.max() <= 1
    assert spans.std() > 0.05
    np.testing.assert_allclose(found[:, 0, 0], found[:, 0, 31], atol=1e-5)  # nothing varies from top to bottom


def test_crops_follow_their_generator_and_parts_of_a_batch_are_those_of_the_whole() -> None:
    first, again, other = (random_crops(4, np.random.default_rng(seed)).boxes for seed in (1, 1, 2))
    assert first is not None
    assert other is not None
    assert torch.equal(first, again)  # type: ignore[arg-type]
    assert not torch.equal(first, other)
    for draw in (random_crops, lambda count, rng, part=slice(None): jittered_crops(count, 0.9, rng, part)):
        whole = draw(5, np.random.default_rng(3)).boxes
        parts = [draw(5, np.random.default_rng(3), part).boxes for part in (slice(0, 2), slice(2, 5))]
        assert torch.equal(torch.cat(parts), whole)
