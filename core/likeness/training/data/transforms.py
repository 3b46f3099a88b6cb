"""Augmentations of torchvision by name, each image with random numbers of its own. Needs no torch until they are built."""

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor, nn

# of torchvision.transforms.v2: those that map an image to one of the same size
TRANSFORMS = (
    *("AugMix", "AutoAugment", "ColorJitter", "ElasticTransform", "GaussianBlur", "GaussianNoise", "RandAugment"),
    *("RandomAdjustSharpness", "RandomAffine", "RandomAutocontrast", "RandomChannelPermutation", "RandomEqualize", "RandomErasing"),
    *("RandomGrayscale", "RandomHorizontalFlip", "RandomInvert", "RandomPerspective", "RandomPhotometricDistort", "RandomPosterize"),
    *("RandomRotation", "RandomSolarize", "RandomVerticalFlip", "TrivialAugmentWide"),
)
_TRIALS = 16


def build_transforms(chosen: Mapping[str, Mapping[str, Any]]) -> "nn.Module":
    """torchvision's `Compose` of these transforms, by name and with their options, in this order. InputError: unknown names or options."""
    from torchvision.transforms import v2

    built: nn.Module = v2.Compose([_build(getattr(v2, name, None), name, options) for name, options in chosen.items()])
    return built


def _build(kind: Any, name: str, options: Mapping[str, Any]) -> Any:
    if name not in TRANSFORMS:
        raise InputError(f"There is no transform '{name}'; choose from {', '.join(TRANSFORMS)}.")
    known = [each for each in inspect.signature(kind).parameters if each != "inplace"]
    if unknown := [each for each in options if each not in known]:
        raise InputError(f"The transform '{name}' has no option '{unknown[0]}'; it has {', '.join(known) or 'none'}.")
    try:
        return kind(**options)
    except (TypeError, ValueError) as error:
        raise InputError(f"The transform '{name}' does not take these options: {str(error).rstrip('.')}.") from error


def tried_transforms(built: Any, size: int) -> Any:
    """Transforms of single images, tried on some of this size, since some options fail only in use. InputError: for those."""
    import torch

    images = torch.zeros(_TRIALS, 3, size, size)
    try:
        found = transform_images(images, np.arange(_TRIALS), built)
    except (TypeError, ValueError, RuntimeError, KeyError) as error:
        raise InputError(f"The transforms cannot be applied to images of {size} px: {str(error).rstrip('.')}.") from error
    if found.shape != images.shape:
        raise InputError(f"The transforms change the size of images from {size} to {tuple(found.shape[2:])} px; remove options such as expand.")
    return built


def transform_images(images: "Tensor", seeds: NDArray[np.int64], transform: Any) -> "Tensor":
    """Images (n, 3, h, w) with values 0 to 1, each transformed as torchvision does it after `torch.manual_seed` of its seed (n,)."""
    import torch

    found = []
    with torch.random.fork_rng(devices=()):
        for image, seed in zip(images, seeds.tolist(), strict=True):
            torch.manual_seed(seed)
            found.append(transform(image))
    return torch.stack(found)
