"""Protocols of encoders for stores, caches and views."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

if TYPE_CHECKING:
    import torch

Vectors = NDArray[np.float32]


@runtime_checkable
class Encoder(Protocol):
    """A pretrained model that embeds images, and possibly texts, as unit vectors.

    Attributes:
        name: the name for `load_encoder`.
        identity: short hex digest of everything that affects the vectors (weights, configuration, preprocessing).
        has_text: whether texts can be encoded into the same space.
    """

    name: str
    has_text: bool

    @property
    def identity(self) -> str: ...

    def encode_images(self, images: Sequence[Path | Image.Image]) -> Vectors:
        """Unit rows (n, d), float32; InputError: an unreadable image."""

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit rows (n, d), float32."""

    def unknown_words(self, text: str) -> list[str]:
        """Words of `text` that are not in the encoder's vocabulary."""


@runtime_checkable
class StagedEncoder(Encoder, Protocol):
    """An encoder whose CPU work (reading, resizing) can run in threads while the model computes.

    An optional attribute `least_side` is the shorter side in pixels that `prepare` needs, so that much larger JPEGs are decoded at a half, a
    quarter or an eighth of their size.
    """

    def prepare(self, image: Image.Image) -> Any:
        """Prepares an RGB image for `encode_prepared`; must be thread-safe."""

    def encode_prepared(self, prepared: list[Any]) -> Vectors:
        """Unit rows (n, d), float32, of prepared images."""


@runtime_checkable
class AsyncEncoder(StagedEncoder, Protocol):
    """An encoder on an asynchronous device.

    Attributes:
        batches_ahead: number of batches to submit before fetching the rows of the first; 0 for synchronous devices.
    """

    @property
    def batches_ahead(self) -> int: ...

    def encode_later(self, prepared: list[Any]) -> Callable[[], Vectors]:
        """Starts `encode_prepared` and returns a function that waits for the rows."""


class Tower(Protocol):
    """The image tower of an encoder in separate steps, differentiable in the pixels.

    Attributes:
        device: device of the tensors of `pixels` and of `embed`.
    """

    device: "torch.device"

    def prepare(self, image: Image.Image) -> Any:
        """An RGB image resized and cropped to the model's input, (h, w, 3), 8-bit."""

    def pixels(self, prepared: list[Any]) -> "torch.Tensor":
        """The model's input (n, 3, h, w), float32, normalized."""

    def embed(self, pixels: "torch.Tensor") -> "torch.Tensor":
        """Unit rows (n, d), float32, differentiable in `pixels`."""


@runtime_checkable
class TowerEncoder(Encoder, Protocol):
    """An encoder with a tower."""

    tower: Tower
