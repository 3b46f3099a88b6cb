"""torchvision's augmentations by name, against torchvision itself."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.training.conftest import resumed
from torch.utils.data import DataLoader
from torchvision.transforms import v2

from likeness.errors import InputError
from likeness.samplers import MPerClassBatches
from likeness.training.config import DataConfig, config_from
from likeness.training.data.batches import Batches
from likeness.training.data.run_images import run_images
from likeness.training.data.transforms import TRANSFORMS, build_transforms, transform_images, tried_transforms
from likeness.training.dist_context import DistContext

REQUIRED: dict[str, dict[str, Any]] = {
    "ColorJitter": {"brightness": 0.3, "contrast": [0.5, 1.5], "saturation": 0.3, "hue": 0.1},
    "ElasticTransform": {"sigma": 1.0},
    "GaussianBlur": {"kernel_size": 3},
    "RandomAdjustSharpness": {"sharpness_factor": 2.0},
    "RandomAffine": {"degrees": 10},
    "RandomPosterize": {"bits": 3},
    "RandomRotation": {"degrees": 30},
    "RandomSolarize": {"threshold": 0.5},
}
SEVERAL = {"ColorJitter": {"brightness": 0.2, "hue": 0.1}, "RandAugment": {}, "RandomErasing": {"p": 0.5}, "RandomGrayscale": {"p": 0.3}}


def _images(count: int = 6, side: int = 16) -> torch.Tensor:
    return torch.rand(count, 3, side, side, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_each_image_is_what_torchvision_makes_of_it_with_its_seed(name: str) -> None:
    options = REQUIRED.get(name, {})
    images, seeds, plain = _images(), np.array([3, 1, 2**62, 7, 7, 0]), getattr(v2, name)(**options)
    torch.manual_seed(5)
    following = torch.rand(3)
    torch.manual_seed(5)
    found = transform_images(images, seeds, tried_transforms(build_transforms({name: options}), 16))
    assert torch.equal(torch.rand(3), following)  # the random numbers of the step are untouched
    for image, seed, shown in zip(images, seeds, found, strict=True):
        torch.manual_seed(int(seed))
        assert torch.equal(shown, plain(image))
    assert not torch.equal(found, images)


def test_several_are_applied_in_the_order_of_the_config() -> None:
    plain = v2.Compose([getattr(v2, name)(**options) for name, options in SEVERAL.items()])
    found = transform_images(_images(), np.arange(6), build_transforms(SEVERAL))
    for image, seed, shown in zip(_images(), range(6), found, strict=True):
        torch.manual_seed(seed)
        assert torch.equal(shown, plain(image))


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"RandomErasing": {"p": 1.0, "value": [0.1, 0.2]}}, "The transforms cannot be applied to images of 16 px: If value is a sequence"),
        (
            {"RandomRotation": {"degrees": [45, 45], "expand": True}},
            r"change the size of images from 16 to \(2\d, 2\d\) px",
        ),
        ({"ElasticTransform": {}}, "The transforms cannot be applied to images of 16 px: .*Padding size should be less than"),
    ],
)
def test_options_that_fail_in_use_alone_are_told_before_the_first_step(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tried_transforms(build_transforms(chosen), 16)


@pytest.mark.parametrize("augment", [True, False, "jitter", "mirror"])
def test_draws_depend_on_seed_and_number_alone_in_every_process_and_worker(photos: Path, augment: bool | str) -> None:
    images = run_images(DataConfig(source=str(photos), image_size=16), 0)
    pixels = np.random.default_rng(0).integers(0, 255, (36, 18, 18, 3)).astype(np.uint8)
    batches, transform = MPerClassBatches(images.labels[images.train], 6, 2), build_transforms(SEVERAL)

    def batch(number: int, seed: int = 0, **options: Any) -> tuple[torch.Tensor, ...]:
        return Batches(pixels, images, batches, 16, augment, seed, views=True, **options)[number].cut(16, transform=transform)

    whole, plain = batch(3), Batches(pixels, images, batches, 16, augment, 0, views=True)[3].cut(16)
    for place in (0, 3):  # the images and their second views
        assert torch.equal(whole[place], batch(3)[place])
        parts = [batch(3, dist=DistContext(rank, 2, "cpu"))[place] for rank in (0, 1)]
        assert torch.equal(torch.cat(parts), whole[place])
        for other in (plain, batch(4), batch(3, seed=1)):
            assert not torch.equal(whole[place], other[place])
    assert not torch.equal(whole[0], whole[3])
    loader = DataLoader(Batches(pixels, images, batches, 16, augment, 0), batch_size=None, sampler=[4, 3], num_workers=1)
    for number, found in zip((4, 3), loader, strict=True):
        assert torch.equal(found.cut(16, transform=transform)[0], batch(number)[0])


def test_a_run_stopped_and_resumed_sees_the_same_images(content: dict[str, Any], tmp_path: Path) -> None:
    resumed(config_from(content | {"transforms": SEVERAL}), tmp_path)
