"""Export a run as a timm folder, with the embedding layer as classifier."""

import json
from math import floor, nextafter
from pathlib import Path
from typing import Any

from likeness.defaults import PHOTOS_ENCODER
from likeness.encoders import NETWORK, NETWORK_OPTIONS
from likeness.errors import InputError
from likeness.exports.run_card import finish_run, scaling_line, scaling_note
from likeness.exports.run_material import RunMaterial
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import write_weights
from likeness.progress import Progress

WEIGHTS, CONFIG = "model.safetensors", "config.json"
# of timm's own description of an architecture
_ARCHITECTURE = ("first_conv", "classifier", "pool_size", "fixed_input_size")
_CLOSE = 1e-4


def write_timm(material: RunMaterial, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with a trained run as a model of timm, whose classifier is the embedding layer, its preprocessing and a card.

    `timm.create_model("local-dir:FOLDER", pretrained=True)` gives rows (n, d) as they leave the embedding layer, and timm's own transform shows
    images as the run's evaluation does.
    """
    model = classifier_model(material)
    write_weights(folder / WEIGHTS, model.state_dict(), material.metadata)
    (folder / CONFIG).write_text(json.dumps(timm_config(material, model), indent=1), encoding="utf-8")
    files = f"`{WEIGHTS}` and `{CONFIG}` are a model of timm; its {material.dim} classes are the dimensions of the embedding."
    what = f"The run '{material.run.name}' as a model of timm"
    return finish_run(folder, material, False, what, files, _usage(material), (scaling_note(material),))


def classifier_model(material: RunMaterial) -> Any:
    """The timm model with the run's weights and the embedding layer as its classifier; raises InputError for a CLIP, or if the classifier is not a
    linear layer.
    """
    import torch

    from likeness.training import timm_model

    backbone = material.config.backbone
    if backbone.name.startswith("clip:"):
        raise InputError(f"The run '{material.run.name}' is based on '{backbone.name}', which is not a timm model; choose open_clip, onnx or pt2.")
    model = timm_model(backbone.model_copy(update={"weights": "none"}), classes=material.dim).eval().requires_grad_(False)
    model.load_state_dict(material.backbone.state_dict(), strict=False)
    classifier, pixels = model.get_classifier(), material.example(2)
    same = isinstance(classifier, torch.nn.Linear) and classifier.weight.shape == material.network.head.weight.shape
    if same:
        classifier.load_state_dict(material.network.head.state_dict())
        with torch.inference_mode():
            same = torch.allclose(model(pixels), material.network.head(material.backbone(pixels)), rtol=_CLOSE, atol=_CLOSE)
    if not same:
        raise InputError(f"The classifier of '{backbone.name}' is no linear layer on pooled features, as an embedding layer is; choose onnx or pt2.")
    return model


def timm_config(material: RunMaterial, model: Any) -> dict[str, Any]:
    """The content of timm's `config.json`: architecture, options and preprocessing."""
    shown, known = material.preprocessing, dict(model.pretrained_cfg)
    data = {
        "num_classes": material.dim,
        "input_size": [3, shown.crop, shown.crop],
        "crop_pct": crop_share(shown.crop, shown.side),
        "crop_mode": "squash" if shown.squeezed else "center",
        "interpolation": "bicubic",
        "mean": shown.mean,
        "std": shown.std,
    }
    data |= {name: known[name] for name in _ARCHITECTURE if known.get(name) is not None}
    options = timm_architecture(material)[1]
    found = {"architecture": known["architecture"], "num_classes": material.dim, "num_features": model.num_features, "pretrained_cfg": data}
    return found | ({"model_args": options} if options else {})


def crop_share(crop: int, side: int) -> float:
    """timm's `crop_pct`: the share of the resized side that is shown; timm resizes to floor(crop / share).

    Example:
        >>> crop_share(224, 256)
        0.875
    """
    share = crop / side
    return share if floor(crop / share) == side else nextafter(share, 0)


def timm_architecture(material: RunMaterial) -> tuple[str, dict[str, Any]]:
    """The timm model name and options of a run's backbone."""
    backbone = material.config.backbone
    own = {name: value for name, value in backbone.options.items() if name not in ("mean", "std", "num_classes")}
    return (NETWORK, NETWORK_OPTIONS | own) if backbone.name == PHOTOS_ENCODER else (backbone.name, own)


def _usage(material: RunMaterial) -> str:
    return f"""
import timm
import torch
from PIL import Image, ImageOps

model = timm.create_model("local-dir:.", pretrained=True).eval()
transform = timm.data.create_transform(**timm.data.resolve_model_data_config(model), is_training=False)
with torch.inference_mode():
    rows = model(transform(ImageOps.exif_transpose(Image.open("photo.jpg")).convert("RGB"))[None])
{scaling_line(material)}
"""


TARGET = Target("timm", "Run as a timm model", "run", write_timm)
