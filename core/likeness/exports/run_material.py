"""`RunMaterial`: a trained run to export, with best weights, preprocessing and metrics."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL.Image import Image

from likeness.data import read_cars
from likeness.encoders import MAX_ASPECT, Encoder, load_encoder
from likeness.errors import InputError
from likeness.io import read_image
from likeness.training import RunConfig, RunFolder, find_run

if TYPE_CHECKING:
    from likeness.training import EmbeddingNetwork, RunPreprocessing, SphericalMap

_CLOSE = 1e-4
RunSource = str | Path | RunFolder | Encoder


@dataclass(frozen=True)
class RunMaterial:
    """A run with its best weights: `network` in evaluation mode on the CPU, and the scaling of embeddings to unit vectors."""

    run: RunFolder
    config: RunConfig
    network: "EmbeddingNetwork"
    spherical_map: "SphericalMap | None"

    @property
    def backbone(self) -> Any:
        """The module that maps normalized images (n, 3, h, w) to features (n, f)."""
        assert self.network.backbone is not None
        return self.network.backbone

    @property
    def dim(self) -> int:
        """Dimensions of the embedding layer; with a spherical map one less than those of the vectors."""
        return int(self.network.head.out_features)

    @property
    def vector_dim(self) -> int:
        """Dimensions of the run's vectors."""
        return self.dim + (self.spherical_map is not None)

    @cached_property
    def preprocessing(self) -> "RunPreprocessing":
        """The preprocessing of images."""
        from likeness.training import run_preprocessing

        return run_preprocessing(self.network, self.config.data)

    @cached_property
    def metadata(self) -> dict[str, str]:
        """Metadata of the weights, strings by name."""
        from likeness.training import weights_metadata

        return weights_metadata(self.network, self.config, self.run.best_figures())

    def example(self, count: int) -> Any:
        """Deterministic noise images (count, 3, h, w), values 0 to 1, to check exported models."""
        import torch

        side = self.config.data.image_size
        return torch.rand(count, 3, side, side, generator=torch.Generator().manual_seed(count))

    def check_scaling(self, target: str) -> None:
        """Raises InputError for vectors that are not scaled as a whole, as `target` does."""
        if self.spherical_map is not None or self.network.parts > 1:
            raise InputError(f"The vectors of the run '{self.run.name}' are not scaled as a whole, as {target} does; choose onnx or pt2.")

    def check(self, embed: Callable[[list[Image]], Any], what: str) -> None:
        """Compares what was written with the run on shipped images; `embed` maps RGB images to vectors. Raises InputError if they differ."""
        images = [read_image(file) for file in read_cars().paths()[:3]]
        expected = load_encoder(f"run:{self.run.path}", "cpu").encode_images(images)
        if not np.allclose(embed(images), expected, rtol=0, atol=_CLOSE):
            raise InputError(f"The network '{self.config.backbone.name}' gives other vectors in {what}; choose the target safetensors.")

    def about_input(self, inside: bool) -> dict[str, Any]:
        """The content of `preprocessing.json`; `inside`: the model itself normalizes its input and scales its output."""
        shown = self.preprocessing
        return {
            "color": "RGB, upright as EXIF says",
            "longest_aspect": MAX_ASPECT,
            "resize": {"width": shown.side, "height": shown.side} if shown.squeezed else {"shorter_side": shown.side},
            "interpolation": "bicubic",
            "antialias": True,
            "center_crop": {"width": shown.crop, "height": shown.crop},
            "value_range": [0, 1],
            "dtype": "float32",
            "layout": ["n", 3, shown.crop, shown.crop],
            "mean": shown.mean,
            "std": shown.std,
            "normalized_by_the_model": inside,
            "output": self._about_output(inside),
        }

    def _about_output(self, inside: bool) -> dict[str, Any]:
        if inside:
            return {"dimensions": self.vector_dim, "unit_length": True}
        if self.spherical_map is not None:
            center, radius = (each.tolist() for each in self.spherical_map)
            return {"dimensions": self.dim, "unit_length": False, "spherical_map": {"center": center, "radius": radius}}
        return {"dimensions": self.dim, "unit_length": False, "parts": self.network.parts}


def run_material(source: RunSource) -> RunMaterial:
    """The run of a name, a folder or an encoder; raises InputError if there is none, it is still training, or has no weights."""
    from likeness.training import load_network, load_spherical_map

    run = source if isinstance(source, RunFolder) else find_run(_name(source))
    if run.status().state == "running":
        raise InputError(f"The run '{run.name}' is still training, so its best weights may change; wait for its end, or stop it first.")
    network = load_network(run).eval().requires_grad_(False).float()
    return RunMaterial(run, run.config(), network, None if network.unit else load_spherical_map(run))


def _name(source: Any) -> str | Path:
    if isinstance(source, str | Path):
        return source
    name = str(getattr(source, "name", type(source).__name__))
    if not name.startswith("run:"):
        raise InputError(f"'{name}' is not a trained run; pass one, such as 'run:FOLDER'.")
    return name
