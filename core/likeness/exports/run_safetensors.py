"""Export all weights of a run as one safetensors file with metadata."""

import json
from pathlib import Path

from likeness.exports.run_card import finish_run, scaling_note, torchvision_lines
from likeness.exports.run_material import RunMaterial
from likeness.exports.run_timm import timm_architecture
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import write_weights
from likeness.progress import Progress

WEIGHTS = "model.safetensors"


def write_safetensors(material: RunMaterial, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with all weights of a trained run in one safetensors file with metadata, its preprocessing and a card.

    `model.safetensors` holds `backbone.*`, `head.weight` (d, f) and `head.bias` (d,) also of a run that trained the embedding layer alone; its
    header holds the version, the config, preprocessing and figures.
    """
    metadata = material.metadata | {"likeness.preprocessing": json.dumps(material.about_input(inside=False))}
    write_weights(folder / WEIGHTS, material.network.state_dict(), metadata)
    files = f"`{WEIGHTS}` holds `backbone.*`, `head.weight` and `head.bias`; `safetensors.safe_open(...).metadata()` says what it is."
    what = f"The weights of the run '{material.run.name}' in a file"
    return finish_run(folder, material, False, what, files, _usage(material), (scaling_note(material),))


def _usage(material: RunMaterial) -> str:
    if material.config.backbone.name.startswith("clip:"):
        return f"""
from safetensors.torch import load_file

weights = load_file("{WEIGHTS}")
visual = {{name: value for name, value in weights.items() if name.startswith("backbone.visual.")}}  # of open_clip's model.visual
head = weights["head.weight"], weights["head.bias"]  # for torch.nn.functional.linear behind it
"""
    architecture, options = timm_architecture(material)
    made = "".join(f", {name}={value!r}" for name, value in options.items())
    return f"""
import timm
from PIL import Image, ImageOps
from safetensors.torch import load_file
from torchvision import transforms as t

weights = load_file("{WEIGHTS}")
backbone = timm.create_model("{architecture}", num_classes=0{made}).eval()
backbone.load_state_dict({{name.removeprefix("backbone."): value for name, value in weights.items() if name.startswith("backbone.")}})
{torchvision_lines(material)}
rows = backbone(images) @ weights["head.weight"].T + weights["head.bias"]
"""


TARGET = Target("safetensors", "Run as safetensors", "run", write_safetensors)
