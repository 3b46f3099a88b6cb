"""Object masks of images that have them, as the shipped cars and other renders, and random projections as a control."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import read_arrays
from likeness.saliency.difference import Masks
from likeness.saliency.explain import Explainable

if TYPE_CHECKING:
    from likeness.data import ImageTable

MASKS_FILE = "masks.npz"
CONTROL = "random projection"
CONTROLS = 3  # number of random projections, whose mean is the control


def object_masks(space: Explainable, rows: Sequence[int]) -> Masks:
    """Masks (n, h, w) of the object in the model's input, cropped and scaled like the images. InputError: a space without a differentiable model,
    images without masks, or a row out of range.
    """
    from PIL import Image

    if space.differentiable is None:
        raise InputError(f"There are no object masks for '{space.table.name}': '{space.name}' has no model; use an encoder's space.")
    found = _masks(space.table, [str(space.table.frame["path"].iat[space.check_row(row)]) for row in rows])
    pictures = [Image.fromarray(mask.astype(np.uint8) * 255).convert("RGB") for mask in found]
    return np.asarray(space.differentiable().prepare(pictures)[..., 0] >= 128)


def control_spaces(encoded: Any, dim: int, count: int = CONTROLS) -> list[Any]:
    """Random projections of an encoder's `Space` to `dim` dimensions, with seeds from 0: the effect of fewer dimensions alone on a saliency map."""
    from likeness.notions import RandomTransform

    return [encoded.project(RandomTransform(dim=dim, seed=seed).fit(encoded.vectors), CONTROL) for seed in range(count)]


def _masks(table: "ImageTable", paths: Sequence[str]) -> list[NDArray[np.bool_]]:
    file = table.root / MASKS_FILE
    if not file.is_file():
        raise InputError(f"There are no object masks for '{table.name}', since '{MASKS_FILE}' is missing beside the images; use Synthetic Cars.")
    names, size, packed = read_arrays(file, ("paths", "size", "masks"))
    place = {str(name): number for number, name in enumerate(names)}
    unknown = next((path for path in paths if path not in place), None)
    if unknown is not None or len(size) != 2 or packed.shape != (len(names), -(-int(np.prod(size)) // 8)):
        raise InputError(f"'{MASKS_FILE}' of '{table.name}' does not fit its images; render them again.")
    bits = np.unpackbits(packed[[place[path] for path in paths]], axis=1, count=int(np.prod(size)))
    return list(bits.astype(bool).reshape(-1, *size))
