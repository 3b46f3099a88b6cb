"""A run as one program from images to unit vectors, for formats that store a whole computation."""

import warnings
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.exports.run_material import RunMaterial

INPUT, OUTPUT = "images", "embeddings"


class RunGraph(nn.Module):
    """Unit vectors (n, d) of images (n, 3, h, w) with values 0 to 1: normalization, backbone, embedding layer and scaling."""

    def __init__(self, material: RunMaterial) -> None:
        super().__init__()
        # files hold no memory layouts
        self.network, self.spherical_map = material.network.to(memory_format=torch.contiguous_format), material.spherical_map

    def forward(self, images: Tensor) -> Tensor:
        """Maps images with values 0 to 1."""
        network = self.network
        assert network.backbone is not None
        rows = network.embed(network.backbone((images - network.mean) / network.std))
        return normalize(rows if self.spherical_map is None else self.spherical_map(rows), dim=1)


def exported_run(material: RunMaterial) -> Any:
    """The `torch.export` program of a run, for any number of images; raises InputError if its network has none."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return torch.export.export(RunGraph(material).eval(), (material.example(2),), dynamic_shapes={INPUT: {0: torch.export.Dim("n", min=1)}})
    except (RuntimeError, ValueError) as error:  # what depends on values, or on the number of images
        reason = " ".join(str(error).split())[:150]
        raise InputError(f"The network '{material.config.backbone.name}' is not one program ({reason}); choose the target safetensors.") from error
