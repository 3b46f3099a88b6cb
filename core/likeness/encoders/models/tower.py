"""Image tower shared by open_clip and timm encoders: preprocessing, device, normalization."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from likeness.encoders.encoder import Vectors
from likeness.encoders.models.device import fetch_later, to_device
from likeness.encoders.store.pipeline import prepared_batches
from likeness.errors import InputError

if TYPE_CHECKING:
    import torch

BATCH_SIZE = 128
MAX_ASPECT = 100
# factor on the size that images are resized to; at twice, decoding a JPEG at reduced size changes pixels by at most 2 of 255
_DECODED = 2


class ImageTower:
    """Embeds images as unit vectors with a torch module, `forward`, that maps (n, 3, h, w) to (n, d).

    The library's own transform, a torchvision `Compose` that ends in conversion to tensor and normalization, is split in two: resizing and cropping
    run per image in threads, on 8-bit pixels; scaling and normalization run once per batch on the model's device. The result equals the library's
    transform bit for bit on RGB images; JPEG files much larger than the model's input are decoded at no less than twice its size.

    Pixels go to the device as 8-bit integers, to a GPU from pinned memory, with channels last, the fastest layout for 16-bit convolutions on GPUs,
    which torch keeps through the network.

    Attributes:
        precision: "bf16": matrix products and convolutions of `forward` in bfloat16 (torch's autocast); "32": in float32; None: as `forward` has it.
    """

    precision: str | None = None

    def __init__(self, forward: "Callable[[torch.Tensor], torch.Tensor]", transform: Any, device: "torch.device") -> None:
        import torch

        self.forward, self.device = forward, device
        self._geometry, normalize = _split(transform)
        self.least_side = _least_side(self._geometry)
        self._mean = torch.as_tensor(normalize.mean, dtype=torch.float32, device=device).view(1, 3, 1, 1)
        self._std = torch.as_tensor(normalize.std, dtype=torch.float32, device=device).view(1, 3, 1, 1)
        if not (torch.isfinite(self._mean).all() and torch.isfinite(self._std).all() and (self._std > 0).all()):
            raise InputError(f"The encoder's preprocessing has the mean {self.mean} and the standard deviation {self.std}; use another encoder.")

    @property
    def mean(self) -> tuple[float, ...]:
        """Mean of each channel, subtracted in `pixels`."""
        return tuple(self._mean.flatten().tolist())

    @property
    def std(self) -> tuple[float, ...]:
        """Standard deviation of each channel, the divisor in `pixels`."""
        return tuple(self._std.flatten().tolist())

    def prepare(self, image: Image.Image) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Resizes and crops an RGB image to the model's input, (h, w, 3)."""
        image = _without_far_ends(image)
        for step in self._geometry:
            # torchvision copies images that already have the size of the crop, which for small images costs as much as reading them
            if type(step).__name__ != "CenterCrop" or tuple(step.size) != (image.height, image.width):
                image = step(image)
        return np.asarray(image, dtype=np.uint8)

    def pixels(self, prepared: list[Any]) -> "torch.Tensor":
        """The model's input (n, 3, h, w), float32, normalized."""
        import torch

        batch = to_device(torch.from_numpy(np.stack(prepared)), self.device)
        return batch.permute(0, 3, 1, 2).to(torch.float32).div_(255).sub_(self._mean).div_(self._std)

    def features(self, pixels: "torch.Tensor") -> "torch.Tensor":
        """Features (n, d), float32, not normalized, of the model's input (n, 3, h, w); differentiable in `pixels`."""
        import torch

        with torch.autocast(pixels.device.type, torch.bfloat16, enabled=self.precision == "bf16"):
            found = self.forward(pixels)
        return found.float()

    def embed(self, pixels: "torch.Tensor") -> "torch.Tensor":
        """Unit rows (n, d), float32, of the model's input (n, 3, h, w); differentiable in `pixels`."""
        import torch

        return torch.nn.functional.normalize(self.features(pixels), dim=-1)


class TowerImages:
    """The image half of an encoder, delegated to its tower."""

    tower: ImageTower

    @property
    def least_side(self) -> int | None:
        """Required pixels of an image's shorter side; None: all."""
        return self.tower.least_side

    def prepare(self, image: Image.Image) -> Any:
        """Resizes and crops an RGB image to the model's input."""
        return self.tower.prepare(image)

    @property
    def batches_ahead(self) -> int:
        """Number of batches to submit before fetching the first; 0 on the CPU, which is synchronous."""
        return int(self.tower.device.type != "cpu")

    def encode_later(self, prepared: list[Any]) -> Callable[[], Vectors]:
        """Starts to encode prepared images and returns a function that waits for their rows (n, d). Subclasses that change the rows override this."""
        import torch

        with torch.inference_mode():
            return fetch_later(self.tower.embed(self.tower.pixels(prepared)))

    def encode_prepared(self, prepared: list[Any]) -> Vectors:
        """Rows (n, d) of prepared images."""
        return self.encode_later(prepared)()

    def encode_images(self, images: Sequence[Path | Image.Image]) -> Vectors:
        """Rows (n, d) of files or images; InputError: an unreadable image."""
        if not images:
            raise InputError("There are no images to encode; pass at least one.")
        parts = []
        for batch in prepared_batches(images, self.prepare, BATCH_SIZE, least=self.least_side):
            for _, error in batch.errors:
                raise InputError(str(error)) from error
            parts.append(self.encode_later(batch.values))
        return np.concatenate([part() for part in parts])


class ImagesOnly(TowerImages):
    """An encoder without texts."""

    name: str
    has_text = False

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """InputError: it cannot encode texts."""
        raise InputError(f"The encoder '{self.name}' has no text side; choose one that reads texts, from `likeness encoders list`.")

    def unknown_words(self, text: str) -> list[str]:
        """Always empty: there is no vocabulary."""
        return []


def unit_rows(features: "torch.Tensor") -> Vectors:
    """Rows (n, d) scaled to length 1, as float32 on the host; rows of zeros are unchanged."""
    import torch

    rows: Vectors = torch.nn.functional.normalize(features.float(), dim=-1).cpu().numpy()
    return rows


def _without_far_ends(image: Image.Image) -> Image.Image:
    """The center of an extremely long image: scaling 1 x 60,000 pixels to a short side of 224 would take gigabytes, only to crop the center."""
    longest = MAX_ASPECT * min(image.size)
    if max(image.size) <= longest:
        return image
    left, top = ((side - min(side, longest)) // 2 for side in image.size)
    return image.crop((left, top, left + min(image.width, longest), top + min(image.height, longest)))


def _split(transform: Any) -> tuple[list[Any], Any]:
    """Image steps and final normalization of a `Compose`; steps in between (to RGB, to tensor) are done elsewhere."""
    *steps, normalize = transform.transforms
    geometry = [step for step in steps if type(step).__name__ not in ("MaybeConvertMode", "MaybeToTensor", "ToTensor")]
    known = ("Resize", "CenterCrop", "ResizeKeepRatio", "CenterCropOrPad")
    unknown = [type(step).__name__ for step in geometry if type(step).__name__ not in known]
    if unknown or type(normalize).__name__ != "Normalize":
        raise InputError(f"The encoder's preprocessing has unknown steps: {unknown or type(normalize).__name__}; use another encoder.")
    return geometry, normalize


def _least_side(steps: Sequence[Any]) -> int | None:
    """Required pixels of the shorter side for accurate resizing; None if images are not resized first."""
    size = getattr(steps[0], "size", None) if steps and "Resize" in type(steps[0]).__name__ else None
    return None if size is None else _DECODED * (size if isinstance(size, int) else max(size))
