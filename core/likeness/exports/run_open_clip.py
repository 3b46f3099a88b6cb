"""Export a run that trained the image side of a CLIP as an open_clip folder, with the unchanged text side."""

import copy
import json
from pathlib import Path
from typing import Any

from likeness.encoders import ClipEncoder, open_clip_saved, parse_name
from likeness.errors import InputError
from likeness.exports.run_card import finish_run, torchvision_lines
from likeness.exports.run_material import RunMaterial
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import write_weights
from likeness.progress import Progress

WEIGHTS, CONFIG = "open_clip_model.safetensors", "open_clip_config.json"
_MEET = "The image side equals that of {name} bit for bit, so text and images match as before."
_APART = (
    "The text side is the unchanged one of {name}; training changed only the image side, without text. They may no longer match: "
    "check the results before you search by text."
)
_TOGETHER = "Images and texts were trained to match, on captions."
_SHOWN = (
    "The transform of open_clip shows the whole center square. The run was evaluated on its middle {crop} of {side} pixels, as in "
    "the code below; vectors differ with open_clip's own transform."
)


def write_open_clip(material: RunMaterial, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with a trained run on a CLIP as a model of open_clip, with its text side, its preprocessing and a card.

    A folder with `open_clip_config.json`, `open_clip_model.safetensors`, the tokenizer's files, and what all exports of runs have.

    `open_clip.create_model_from_pretrained("local-dir:FOLDER")` loads it; `encode_image(images, normalize=True)` gives the run's vectors.
    """
    name = _checked_name(material)
    source = parse_name(name)
    encoder = ClipEncoder(name, source, "cpu")
    if material.dim != encoder.dim:
        raise InputError(
            f"The run '{material.run.name}' has {material.dim} dimensions, but the text side of '{name}' has {encoder.dim}, and open_clip "
            f"needs equal numbers; train with backbone.dim {encoder.dim}, or choose onnx or pt2."
        )
    meet = _is_unchanged(material, encoder)
    config, tokenizer = open_clip_saved(source)
    config["model_cfg"]["vision_cfg"] |= _join(material, encoder) | {"image_size": material.preprocessing.crop}
    shown = material.preprocessing
    mode = "squash" if shown.squeezed else "shortest"
    config.setdefault("preprocess_cfg", {}).update(mean=shown.mean, std=shown.std, interpolation="bicubic", resize_mode=mode)
    for file, content in tokenizer.items():
        (folder / file).write_bytes(content)
    if material.network.text is not None:
        encoder.model.load_state_dict(material.network.text.model.state_dict(), strict=False)
    write_weights(folder / WEIGHTS, encoder.model.state_dict(), material.metadata)
    (folder / CONFIG).write_text(json.dumps(config, indent=1), encoding="utf-8")
    what = f"The run '{material.run.name}' as a CLIP of open_clip"
    together = material.config.objective.on_captions
    notes = [_TOGETHER if together else (_MEET if meet else _APART).format(name=f"`{name}`")]
    if shown.side != shown.crop:
        notes.append(_SHOWN.format(crop=shown.crop, side=shown.side))
    return finish_run(folder, material, False, what, f"`{WEIGHTS}` and `{CONFIG}` are a model of open_clip.", _usage(material), tuple(notes))


def _checked_name(material: RunMaterial) -> str:
    run, backbone = material.run.name, material.config.backbone
    if not backbone.name.startswith("clip:"):
        raise InputError(f"The run '{run}' is based on '{backbone.name}', which is not a CLIP and has no text side; choose timm, onnx or pt2.")
    material.check_scaling("open_clip")
    return backbone.name.removeprefix("clip:")


def _is_unchanged(material: RunMaterial, encoder: ClipEncoder) -> bool:
    """True if the run's vectors equal those of its initial model."""
    import torch

    own, before, head = material.backbone.visual.state_dict(), encoder.model.visual.state_dict(), material.network.head
    identity = torch.equal(head.weight, torch.eye(material.dim)) and not head.bias.any()
    return identity and all(torch.equal(own[name], value) for name, value in before.items())


def _join(material: RunMaterial, encoder: ClipEncoder) -> dict[str, Any]:
    """Puts the trained image side and the embedding layer into the model; returns the changes of its configuration."""
    from likeness.exports.clip_projection import join_projection

    network = material.network
    visual = copy.deepcopy(material.backbone.visual)
    changes = join_projection(visual, network.head, (material.example(2) - network.mean) / network.std)
    encoder.model.visual = visual
    return changes


def _usage(material: RunMaterial) -> str:
    return f"""
import open_clip
import torch
from PIL import Image, ImageOps
from torchvision import transforms as t

model = open_clip.create_model_from_pretrained("local-dir:.", return_transform=False).eval()
{torchvision_lines(material)}
with torch.inference_mode():
    embeddings = model.encode_image(images, normalize=True)
"""


TARGET = Target("open_clip", "Run as an open_clip model", "run", write_open_clip)
