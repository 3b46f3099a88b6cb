"""A trained run to export: its network with the best weights, what it is shown, and what it measured."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.encoders import MAX_ASPECT, Encoder
from likeness.errors import InputError
from likeness.training import RunConfig, RunFolder, find_run

if TYPE_CHECKING:
    from likeness.training import EmbeddingNetwork, RunPreprocessing, SphericalMap

RunSource = str | Path | RunFolder | Encoder


@dataclass(frozen=True)
class RunMaterial:
    """A run with its best weights: `network` in evaluation mode, on the processor, and what makes unit vectors of embeddings of any length."""

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
        """Dimensions of the embedding layer; one less than those of the vectors where there is a spherical map."""
        return int(self.network.head.out_features)

    @property
    def vector_dim(self) -> int:
        """Dimensions of the run's vectors."""
        return self.dim + (self.spherical_map is not None)

    @cached_property
    def preprocessing(self) -> "RunPreprocessing":
        """What the network is shown of an image."""
        from likeness.training import run_preprocessing

        return run_preprocessing(self.network, self.config.data)

    @cached_property
    def metadata(self) -> dict[str, str]:
        """What the weights say about themselves, texts by name."""
        from likeness.training import weights_metadata

        return weights_metadata(self.network, self.config, self.run.best_figures())

    def example(self, count: int) -> Any:
        """Images of noise (count, 3, h, w), values 0 to 1, the same each time, by which a written model is compared."""
        import torch

        side = self.config.data.image_size
        return torch.rand(count, 3, side, side, generator=torch.Generator().manual_seed(count))

    def about_input(self, inside: bool) -> dict[str, Any]:
        """What `preprocessing.json` holds; `inside`: the model normalizes its input and scales its output by itself."""
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
    """The run of a name, a folder or an encoder; InputError: no run, one that is still training, or one without weights."""
    from likeness.training import load_network, load_spherical_map

    run = source if isinstance(source, RunFolder) else find_run(_name(source))
    if run.status().state == "running":
        raise InputError(f"The run '{run.name}' is still training, and its best weights may change; wait for its end, or stop it first.")
    network = load_network(run).eval().requires_grad_(False).float()
    return RunMaterial(run, run.config(), network, None if network.unit else load_spherical_map(run))


def _name(source: Any) -> str | Path:
    if isinstance(source, str | Path):
        return source
    name = str(getattr(source, "name", type(source).__name__))
    if not name.startswith("run:"):
        raise InputError(f"'{name}' is no trained run; name one, as 'run:FOLDER'.")
    return name
