"""The differentiable model of a space: an encoder's image tower, and what the space does with its vectors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image

    from likeness.encoders import Tower

Pictures = NDArray[np.uint8]
Head: TypeAlias = "Callable[[torch.Tensor], torch.Tensor]"


@dataclass(frozen=True)
class ImageModel:
    """Differentiable map from images to a space's vectors.

    Attributes:
        tower: the encoder's image tower; models that share it share its forward pass.
        heads: maps from the tower's unit rows (n, r) to the space's rows (n, d), in order; empty for the encoder's own space.
    """

    tower: "Tower"
    heads: "tuple[Head, ...]" = ()

    def then(self, head: "Head") -> "ImageModel":
        """The model of a space derived from this one."""
        return replace(self, heads=(*self.heads, head))

    def prepare(self, images: "Sequence[Path | Image]") -> Pictures:
        """The model's input as pictures, resized and cropped: (n, h, w, 3), RGB, 8-bit. InputError: an unreadable image."""
        return np.stack([self.tower.prepare(_rgb(image)) for image in images])

    def pixels(self, pictures: Pictures) -> "torch.Tensor":
        """The tower's input (n, 3, h, w), float32, normalized, of prepared pictures (n, h, w, 3)."""
        return self.tower.pixels(list(pictures))

    def embed(self, pixels: "torch.Tensor") -> "torch.Tensor":
        """Rows (n, d) in the space of the tower's input (n, 3, h, w), differentiable in `pixels`."""
        return self.head(self.tower.embed(pixels))

    def head(self, rows: "torch.Tensor") -> "torch.Tensor":
        """Maps the tower's unit rows (n, r) to the space: (n, d), of unit length if the space's are."""
        for head in self.heads:
            rows = head(rows)
        return rows


def _rgb(image: "Path | Image") -> "Image":
    from likeness.io import read_image, to_rgb

    if not isinstance(image, Path):
        return to_rgb(image)
    try:
        return read_image(image)
    except OSError as error:
        raise InputError(f"The image '{image}' cannot be opened ({error.strerror or error}); choose another.") from error
