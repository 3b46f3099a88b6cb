"""Export a run as a program of `torch.export` from images to unit vectors."""

import json
import warnings
from pathlib import Path
from typing import Any

from likeness.exports.run_card import finish_program
from likeness.exports.run_material import RunMaterial
from likeness.exports.target import ExportOptions, Target, Written
from likeness.progress import Progress

MODEL, METADATA = "model.pt2", "metadata.json"


def write_pt2(material: RunMaterial, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with a trained run as a torch.export program from images to unit vectors, its preprocessing and a card.

    `model.pt2` takes images (n, 3, h, w) float32 with values 0 to 1, any n, and gives unit rows (n, d): normalization and scaling are inside. The
    file is loaded again and compared with the run on shipped images.
    """
    import torch
    from torchvision.transforms import Compose

    from likeness.exports.run_graph import exported_run

    program, prepare = exported_run(material), Compose(material.preprocessing.transform().transforms[:-1])  # the program normalizes
    with warnings.catch_warnings(action="ignore"):
        torch.export.save(program, folder / MODEL, extra_files={METADATA: json.dumps(material.metadata)})
        module: Any = torch.export.load(folder / MODEL).module()
        material.check(lambda images: module(torch.stack([prepare(each) for each in images])).numpy(), "torch.export")
    call = f'embeddings = torch.export.load("{MODEL}").module()(torch.from_numpy(images))'
    return finish_program(folder, material, MODEL, f"The run '{material.run.name}' as a torch.export program", "torch", call)


TARGET = Target("pt2", "Run as a torch.export program", "run", write_pt2)
