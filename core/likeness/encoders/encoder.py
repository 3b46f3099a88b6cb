"""What every encoder offers, so that stores, caches and views need not know which one they hold."""

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
    """A pretrained tower that turns images, and perhaps texts, into unit vectors.

    Attributes:
        name: as given to `load_encoder`.
        identity: short hex digest of all that changes the vectors (weights, configuration, preprocessing).
        has_text: whether texts can be encoded into the same space.
    """

    name: str
    has_text: bool

    @property
    def identity(self) -> str: ...

    def encode_images(self, images: Sequence[Path | Image.Image]) -> Vectors:
        """Unit rows (n, d), float32; raises `likeness.errors.InputError` for an image that cannot be read."""

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit rows (n, d), float32."""

    def unknown_words(self, text: str) -> list[str]:
        """Words of `text` that the encoder's vocabulary does not hold."""


@runtime_checkable
class StagedEncoder(Encoder, Protocol):
    """An encoder whose work on the processor (reading, resizing) can run ahead in threads while the model computes. It may have an attribute
    `least_side`: pixels of an image's shorter side that are enough for `prepare`, so that a JPEG of many more is decoded at a half, a quarter or
    an eighth of its size.
    """

    def prepare(self, image: Image.Image) -> Any:
        """One RGB image made ready for `encode_prepared`; must be safe in several threads."""

    def encode_prepared(self, prepared: list[Any]) -> Vectors:
        """Unit rows (n, d), float32, of prepared images."""


@runtime_checkable
class AsyncEncoder(StagedEncoder, Protocol):
    """An encoder on a device that computes while the program goes on.

    Attributes:
        batches_ahead: how many batches it is given before the rows of the first are fetched; 0 where it computes at once.
    """

    @property
    def batches_ahead(self) -> int: ...

    def encode_later(self, prepared: list[Any]) -> Callable[[], Vectors]:
        """Begins as `encode_prepared`; the call of what comes back waits for the rows."""


class Tower(Protocol):
    """The image side of an encoder in its steps, so that gradients can flow back to the pixels.

    Attributes:
        device: where `pixels` puts its tensors and `embed` computes.
    """

    device: "torch.device"

    def prepare(self, image: Image.Image) -> Any:
        """An RGB image resized and cropped to the model's input, (h, w, 3), 8-bit."""

    def pixels(self, prepared: list[Any]) -> "torch.Tensor":
        """The model's input (n, 3, h, w), float32, normalized."""

    def embed(self, pixels: "torch.Tensor") -> "torch.Tensor":
        """Unit rows (n, d), float32, that carry gradients with respect to `pixels`."""


@runtime_checkable
class TowerEncoder(Encoder, Protocol):
    """An encoder that shows its tower."""

    tower: Tower
