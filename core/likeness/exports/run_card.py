"""The model card of an exported run: training data, metrics, initial weights and their license, and usage."""

import json
from pathlib import Path

from likeness.defaults import PHOTOS_ENCODER
from likeness.exports.run_material import RunMaterial
from likeness.exports.target import Written
from likeness.training import BackboneConfig, as_yaml

PAGE = "README.md"
_SHIPPED_CLIP = ("clip:cars", "clip:cars-small")


def finish_run(folder: Path, material: RunMaterial, inside: bool, what: str, files: str, usage: str, notes: tuple[str, ...] = ()) -> Written:
    """Writes the files beside the weights of an exported run: `preprocessing.json`, `training.yaml` and `README.md`.

    `inside`: the model itself normalizes its input and scales its output. `what` describes the export in the note; `files` is a sentence about the
    weights file, `usage` Python code that maps an image to its vector without Likeness.
    """
    (folder / "preprocessing.json").write_text(json.dumps(material.about_input(inside), indent=1), encoding="utf-8")
    (folder / "training.yaml").write_text(as_yaml(material.config), encoding="utf-8")
    config, run, data = material.config, material.run, material.config.data
    attribute = data.attribute if isinstance(data.attribute, str) else " and ".join(data.attribute)
    target = f"labels of the kind {data.labels.kind}" if config.objective.continuous and data.labels else f"the classes of {attribute}"
    if config.objective.on_captions:
        target = "captions"
    trained = ", the embedding layer alone trained" if config.backbone.head_only else ""
    if config.backbone.train_from and not trained:
        trained = f", trained from {config.backbone.train_from} on"
    facts = {
        "trained on": f"{data.source}, by {target}; split by {data.split}, shown at {data.image_size} px, seed {config.seed}",
        "network": f"{config.backbone.name}, {material.dim} dimensions{trained}",
        "objective": config.objective.name + (f", guided by language ({config.guidance.kind.upper()})" if config.guidance else ""),
        "began from": backbone_notice(config.backbone),
        "test images": _figures(material),
        "weights": _weights(material),
    }
    cells = {name: " ".join(value.split()).replace("|", "\\|") for name, value in facts.items()}
    table = "\n".join(f"| {name} | {value} |" for name, value in cells.items())
    lead = config.note.strip().partition("\n")[0] or "A network that places like images near each other, trained with Likeness."
    said = "\n\n".join((files, *notes))
    (folder / PAGE).write_text(
        f"# {run.name}\n\n{lead}\n\n| | |\n|---|---|\n{table}\n\n{said}\n\n"
        "`preprocessing.json` says how an image is resized, cropped and normalized, `training.yaml` is the whole config. Colors are sRGB: convert an "
        "image with another color profile first, as `PIL.ImageCms.profileToProfile` does.\n\n"
        f"```python\n{usage.strip()}\n```\n",
        encoding="utf-8",
    )
    dimensions = material.vector_dim if inside else material.dim
    return Written(dimensions, note=f"{what}; {PAGE} says how to use it.", what="dimensions")


def finish_program(folder: Path, material: RunMaterial, model: str, what: str, package: str, call: str) -> Written:
    """The same for a model file that maps images with values 0 to 1 to unit rows; `call` is Python code that uses it by a package on `images`."""
    shown = material.preprocessing
    size = f"({shown.side}, {shown.side})"
    if not shown.squeezed:
        size = f"({shown.side} * image.width // min(image.size), {shown.side} * image.height // min(image.size))"
    usage = (
        f"import numpy as np\nimport {package}\nfrom PIL import Image, ImageOps\n\n"
        'image = ImageOps.exif_transpose(Image.open("photo.jpg")).convert("RGB")\n'
        f"image = image.resize({size}, Image.Resampling.BICUBIC)\n"
        f"left, top = round((image.width - {shown.crop}) / 2), round((image.height - {shown.crop}) / 2)\n"
        f"image = image.crop((left, top, left + {shown.crop}, top + {shown.crop}))\n"
        f"images = np.asarray(image, np.float32).transpose(2, 0, 1)[None] / 255\n{call}"
    )
    files = f"`{model}` takes `images` (n, 3, {shown.crop}, {shown.crop}) with values 0 to 1, any n, and gives `embeddings`, unit rows."
    return finish_run(folder, material, True, what, files, usage)


def torchvision_lines(material: RunMaterial) -> str:
    """Python code that loads an image file as normalized `images` (1, 3, h, w), with torchvision's transforms (`t`)."""
    shown = material.preprocessing
    size = f"({shown.side}, {shown.side})" if shown.squeezed else str(shown.side)
    mean, std = ([round(value, 6) for value in each] for each in (shown.mean, shown.std))
    return (
        f"steps = t.Resize({size}, t.InterpolationMode.BICUBIC), t.CenterCrop({shown.crop}), t.ToTensor(), t.Normalize({mean}, {std})\n"
        'images = t.Compose(steps)(ImageOps.exif_transpose(Image.open("photo.jpg")).convert("RGB"))[None]'
    )


def scaling_note(material: RunMaterial) -> str:
    """How to use unscaled rows of the embedding layer."""
    if material.spherical_map is not None:
        return (
            "Rows come as they leave the embedding layer, which was trained on their Euclidean distances: compare them by these. As a Space they are "
            "placed on a sphere: z = (row - center) / radius, no longer than 1, and then (z, sqrt(1 - |z|^2)); `preprocessing.json` has both."
        )
    if material.network.parts > 1:
        return (
            f"Rows come as they leave the embedding layer. Scale each of their {material.network.parts} equal parts to unit length, then all by "
            f"1 / sqrt({material.network.parts}); the product of two rows is then their cosine similarity."
        )
    return (
        "Rows come as they leave the embedding layer, of any length. Scale each to unit length, row / |row|, as the run was trained and judged; the "
        "product of two rows is then their cosine similarity."
    )


def scaling_line(material: RunMaterial) -> str:
    """Python code that scales the tensor `rows` as the run does; empty for Euclidean distance."""
    parts = material.network.parts
    if material.spherical_map is not None:
        return ""
    if parts > 1:
        return f"embeddings = torch.nn.functional.normalize(rows.unflatten(1, ({parts}, -1)), dim=2).flatten(1) / {parts} ** 0.5"
    return "embeddings = torch.nn.functional.normalize(rows)"


def backbone_notice(backbone: BackboneConfig) -> str:
    """The initial weights of a network, and their license if known."""
    if backbone.weights == "none":
        return "weights drawn at random"
    if backbone.weights != "pretrained":
        return f"the file '{Path(backbone.weights).name}', whose license is not known here"
    if backbone.name == PHOTOS_ENCODER:
        return "timm's mobilenetv2_100 (ImageNet-1k), published by the authors of timm under the Apache License 2.0"
    if backbone.name in _SHIPPED_CLIP:
        return f"{backbone.name.removeprefix('clip:')}, the CLIP for rendered cars that ships with Likeness under the Apache License 2.0"
    if backbone.name.startswith("clip:"):
        return f"{backbone.name.removeprefix('clip:')}, a CLIP whose license is not known here; its publisher names it"
    return _timm_notice(backbone.name)


def _timm_notice(name: str) -> str:
    import timm

    known = timm.get_pretrained_cfg(name, allow_unregistered=True)
    license_ = getattr(known, "license", None)
    place = f" ({known.hf_hub_id})" if known is not None and known.hf_hub_id else ""
    return f"timm's {name}{place}, " + (f"license {license_}" if license_ else "whose license is not known here; its publisher names it")


def _figures(material: RunMaterial) -> str:
    from likeness.evaluation import metric_title

    found = {name: value for name, value in material.run.best_figures().items() if name != "step" and not name.startswith("validation_")}
    return ", ".join(f"{metric_title(name)} {value:.3f}" for name, value in found.items()) or "not measured"


def _weights(material: RunMaterial) -> str:
    run, data = material.run, material.config.data
    chosen = "chosen by validation classes" if data.holds_out else "the last ones"
    if data.select_on_test:
        chosen = "chosen on the test images, which inflates the metrics"
    step, status = int(run.best_figures().get("step", 0)), run.status()
    end = f"; training was not finished ({status.step:,} of {status.total:,} steps)" if run.report() is None and status.total else ""
    return f"of step {step:,}, {chosen}{end}"
