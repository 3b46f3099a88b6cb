"""A run as one module from images to unit vectors, for formats that store a whole computation."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.exports.run_material import RunMaterial

INPUT, OUTPUT = "images", "embeddings"
_CLOSE = 1e-4


class RunGraph(nn.Module):
    """Unit vectors (n, d) of images (n, 3, h, w) with values 0 to 1: normalization, backbone, embedding layer and scaling."""

    mean: Tensor
    std: Tensor

    def __init__(self, material: RunMaterial) -> None:
        super().__init__()
        self.network, self.spherical_map = material.network, material.spherical_map
        # the network's own are views with which a traced module would keep the whole network's buffers twice
        self.register_buffer("mean", material.network.mean.clone())
        self.register_buffer("std", material.network.std.clone())

    def forward(self, images: Tensor) -> Tensor:
        """Maps images with values 0 to 1, in any memory layout, because other formats have none."""
        assert self.network.backbone is not None
        rows = self.network.embed(self.network.backbone((images - self.mean) / self.std))
        return normalize(rows if self.spherical_map is None else self.spherical_map(rows), dim=1)


def traced_run(material: RunMaterial) -> Any:
    """The module as TorchScript, traced with two images and checked on three, to detect a batch size frozen by tracing."""
    graph, other = RunGraph(material).eval(), material.example(3)
    with quiet_trace():
        traced = torch.jit.trace(graph, material.example(2))  # type: ignore[no-untyped-call]
        try:
            same = torch.allclose(traced(other), graph(other), rtol=0, atol=_CLOSE)
        except RuntimeError:  # sizes that do not fit
            same = False
    if not same:
        raise InputError(f"The network '{material.config.backbone.name}' gives other results when traced; choose the target safetensors.")
    return traced


@contextmanager
def quiet_trace() -> Iterator[None]:
    """Silences torch's warnings that tracing is deprecated and freezes sizes; exports are compared with the network anyway."""
    with warnings.catch_warnings(), torch.no_grad():
        for category in (torch.jit._trace.TracerWarning, DeprecationWarning, FutureWarning):
            warnings.simplefilter("ignore", category)
        fast = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)  # one operation for all of attention, which other programs do not have
        try:
            yield
        finally:
            torch.backends.mha.set_fastpath_enabled(fast)
