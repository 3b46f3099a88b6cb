"""What a run's evaluation shows its network of an image, as numbers that another program can follow."""

import json
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from likeness.training.config import RunConfig, as_yaml
from likeness.training.data.pixels import kept_size

if TYPE_CHECKING:
    from likeness.training.config import DataConfig
    from likeness.training.network.embedding_network import EmbeddingNetwork


@dataclass(frozen=True)
class RunPreprocessing:
    """An RGB image is resized by bicubic interpolation, its middle is cut out, values are divided by 255, and normalized.

    Attributes:
        side: pixels of the shorter side after resizing.
        squeezed: both sides are resized to `side`, whatever the image's aspect.
        crop: side in pixels of the middle that the network sees.
        mean, std: of red, green and blue, by which values 0 to 1 are normalized.
    """

    side: int
    squeezed: bool
    crop: int
    mean: tuple[float, ...]
    std: tuple[float, ...]

    def transform(self) -> Any:
        """The same as a torchvision `Compose`."""
        from torchvision import transforms

        resize = transforms.Resize((self.side, self.side) if self.squeezed else self.side, transforms.InterpolationMode.BICUBIC)
        return transforms.Compose([resize, transforms.CenterCrop(self.crop), transforms.ToTensor(), transforms.Normalize(self.mean, self.std)])


def run_preprocessing(network: "EmbeddingNetwork", data: "DataConfig") -> RunPreprocessing:
    """The center of the image, or of its whole frame, as in the run's evaluation."""
    mean, std = (tuple(each.flatten().tolist()) for each in (network.mean, network.std))
    return RunPreprocessing(data.kept or kept_size(data.image_size), data.frame == "whole", data.image_size, mean, std)


def weights_metadata(network: "EmbeddingNetwork", config: RunConfig, figures: dict[str, Any]) -> dict[str, str]:
    """Texts by name: the format of the tensors, Likeness's version, the whole config as YAML, preprocessing and figures as JSON."""
    return {
        "format": "pt",
        "likeness.version": version("likeness"),
        "likeness.config": as_yaml(config),
        "likeness.preprocessing": json.dumps(asdict(run_preprocessing(network, config.data))),
        "likeness.figures": json.dumps(figures),
    }
