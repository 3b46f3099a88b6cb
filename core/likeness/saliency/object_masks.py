"""Where the object of each image is, for images that say so: the shipped cars, and others that the renderer made. And what chance does to a map."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import read_arrays, write_atomic
from likeness.saliency.difference import Masks
from likeness.saliency.explain import Explainable

if TYPE_CHECKING:
    from likeness.data import ImageTable

MASKS_FILE = "masks.npz"
CONTROL = "random projection"
CONTROLS = 3  # random projections, whose mean is the control


class Projectable(Explainable, Protocol):
    """A `likeness.Space`, or whatever has the same."""

    def project(self, method: Any, name: str) -> Self: ...


P = TypeVar("P", bound=Projectable)


def write_masks(folder: Path, paths: Sequence[str], masks: Masks) -> None:
    """Writes the masks (n, h, w) of images beside their table, in its folder, as `object_masks` reads them; `paths` as the table has them."""
    content = io.BytesIO()
    np.savez_compressed(content, paths=np.array(paths), size=masks.shape[1:], masks=np.packbits(masks.reshape(len(masks), -1), axis=1))
    write_atomic(folder / MASKS_FILE, content.getvalue())


def object_masks(space: Projectable, rows: Sequence[int]) -> Masks:
    """True (n, h, w) where the object is in what the space's model sees; cropped and scaled as the images are. Raises InputError for a space
    without a differentiable model, images that do not say where their object is, or a row that is not there.
    """
    from PIL import Image

    if space.differentiable is None:
        raise InputError(f"Where the objects are in '{space.table.name}' is not known: '{space.name}' has no model; use an encoder's space.")
    found = _masks(space.table, [str(space.table.frame["path"].iat[space.check_row(row)]) for row in rows])
    pictures = [Image.fromarray(mask.astype(np.uint8) * 255).convert("RGB") for mask in found]
    return np.asarray(space.differentiable().prepare(pictures)[..., 0] >= 128)


def control_spaces(encoded: P, dim: int, count: int = CONTROLS) -> list[P]:
    """Random projections of an encoder's space to `dim` dimensions, one for each seed from 0: what fewer dimensions alone do to a saliency map."""
    from likeness.notions import RandomTransform

    return [encoded.project(RandomTransform(dim=dim, seed=seed).fit(encoded.vectors), CONTROL) for seed in range(count)]


def _masks(table: "ImageTable", paths: Sequence[str]) -> list[NDArray[np.bool_]]:
    file = table.root / MASKS_FILE
    if not file.is_file():
        raise InputError(f"Where the objects are in '{table.name}' is not known; there is no '{MASKS_FILE}' beside the images. Use Synthetic Cars.")
    names, size, packed = read_arrays(file, ("paths", "size", "masks"))
    place = {str(name): number for number, name in enumerate(names)}
    unknown = next((path for path in paths if path not in place), None)
    if unknown is not None or len(size) != 2 or packed.shape != (len(names), -(-int(np.prod(size)) // 8)):
        raise InputError(f"'{MASKS_FILE}' of '{table.name}' does not fit its images; render them anew.")
    bits = np.unpackbits(packed[[place[path] for path in paths]], axis=1, count=int(np.prod(size)))
    return list(bits.astype(bool).reshape(-1, *size))
