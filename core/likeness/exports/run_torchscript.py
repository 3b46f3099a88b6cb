"""Export a run as a TorchScript file from images to unit vectors."""

import json
from pathlib import Path

from likeness.exports.run_card import finish_run, image_lines
from likeness.exports.run_material import RunMaterial
from likeness.exports.target import ExportOptions, Target, Written
from likeness.progress import Progress

MODEL, METADATA = "model.pt", "metadata.json"


def write_torchscript(material: RunMaterial, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with a trained run as a TorchScript file from images to unit vectors, its preprocessing and a card.

    `model.pt` takes images (n, 3, h, w) float32 with values 0 to 1, any n, and gives unit rows (n, d): normalization and scaling are inside.
    """
    import torch

    from likeness.exports.run_graph import quiet_trace, traced_run

    traced = traced_run(material)
    with quiet_trace():
        torch.jit.save(traced, str(folder / MODEL), _extra_files={METADATA: json.dumps(material.metadata)})
    side = material.preprocessing.crop
    files = f"`{MODEL}` takes images (n, 3, {side}, {side}) with values 0 to 1, any n, and gives unit rows."
    return finish_run(folder, material, True, f"A TorchScript file of the run '{material.run.name}'", files, _usage(material))


def _usage(material: RunMaterial) -> str:
    return f"""
import numpy as np
import torch
from PIL import Image, ImageOps

{image_lines(material)}
embeddings = torch.jit.load("{MODEL}")(torch.from_numpy(images))
"""


TARGET = Target("torchscript", "Run as TorchScript", "run", write_torchscript)
