"""GeneCIS: the same image under different conditions (Vaze et al., CVPR 2023, arXiv 2306.07969, repository facebookresearch/genecis)."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from experiments.public_benchmarks.benchmark import Benchmark, BenchmarkRequest, Runs
from experiments.public_benchmarks.composed_rows import background, check_reads_text, text_rows
from experiments.public_benchmarks.composed_ways import WAYS, Rows
from experiments.public_benchmarks.datasets import ConditionTemplate, TemplateImage, genecis_tasks, read_genecis, read_templates
from experiments.public_benchmarks.ranks import target_rank
from likeness.defaults import default_encoder
from likeness.embedding import embed
from likeness.encoders import load_encoder
from likeness.errors import InputError
from likeness.io import UnreadableImageError, read_image

DILATION = 0.7
_KS = (1, 2, 3)
_METRICS = {f"recall_at_{k}": f"R@{k}" for k in _KS}
_CROPS_AT_ONCE = 256


def measure_genecis(request: BenchmarkRequest) -> Runs:
    """Recall at 1, 2 and 3 of the target in each template's own gallery (10 to 15 images with the target), for the tasks whose files are there.

    Images of the attribute tasks are cut to the object as the official code does, see `object_crop`. Templates of which an image is missing are left
    out. In the official code the mean of image and text is taken before they are scaled to unit length; here of unit rows. Ties count against the
    method (`target_rank`).
    """
    encoder = request.encoder or default_encoder([])
    check_reads_text(encoder)
    root = read_genecis(request.folder).root
    runs: Runs = []
    for task in genecis_tasks(root):
        templates = read_templates(root, task)
        rows = _image_rows(request, root, task, templates, encoder)
        asked = [each for each in templates if all(image in rows for image in (each.reference, each.target, *each.gallery))]
        if not asked:
            raise InputError(f"No template of '{task}' has all its images in '{root}'; unpack the images of COCO and Visual Genome there.")
        texts = text_rows(encoder, (template.condition for template in asked))
        known = background(encoder, np.stack(list(rows.values())), np.stack(list(texts.values())))
        for name in request.methods:
            for seed in request.seeds if WAYS[name].seeds else request.seeds[:1]:
                score = WAYS[name].make(known, seed)
                ranks = np.array([_rank(score, template, rows, texts) for template in asked])
                recalls = {f"recall_at_{k}": float((ranks <= k).mean()) for k in _KS}
                runs.append({"task": task, "method": name, "seed": seed, **recalls})
    return runs


def object_crop(image: Image.Image, box: tuple[float, float, float, float]) -> Image.Image:
    """What the official code cuts out of an image for a box (left, top, width, height), on a black square.

    The paper says that boxes are dilated. The code moves left and top out by 0.7 of the box's size and then ends at 1.7 of it from there: unless the
    image's edge is in the way, the object lies in the lower right corner, with nothing added on its other sides. The same is done here.
    """
    left, top = max(0.0, box[0] - DILATION * box[2]), max(0.0, box[1] - DILATION * box[3])
    right, bottom = min(image.width, left + (1 + DILATION) * box[2]), min(image.height, top + (1 + DILATION) * box[3])
    cut = image.crop((round(left), round(top), max(round(right), round(left) + 1), max(round(bottom), round(top) + 1)))
    side = max(cut.size)
    square = Image.new(cut.mode, (side, side))
    square.paste(cut, ((side - cut.width) // 2, (side - cut.height) // 2))
    return square


def _rank(score: Any, template: ConditionTemplate, rows: dict[TemplateImage, Rows], texts: dict[str, Rows]) -> int:
    gallery = np.stack([rows[image] for image in (template.target, *template.gallery)])
    return target_rank(score(rows[template.reference][None], texts[template.condition][None], gallery)[0], 0)


def _image_rows(request: BenchmarkRequest, root: Path, task: str, templates: list[ConditionTemplate], encoder: Any) -> dict[TemplateImage, Rows]:
    """Unit rows of a task's images; those that cannot be read are left out."""
    shown = list(dict.fromkeys(image for each in templates for image in (each.reference, each.target, *each.gallery)))
    if all(image.box is None for image in shown):
        space = embed(read_genecis(str(root), task), encoder, progress=request.progress)
        found = dict(zip(space.table.frame["path"], np.asarray(space.vectors, np.float32), strict=True))
        return {image: found[image.path] for image in shown if image.path in found}
    rows: dict[TemplateImage, Rows] = {}
    for begin in range(0, len(shown), _CROPS_AT_ONCE):
        cut = dict(_crops(root, shown[begin : begin + _CROPS_AT_ONCE]))
        if cut:
            rows |= zip(cut, np.asarray(load_encoder(encoder).encode_images(list(cut.values())), np.float32), strict=True)
        if request.progress:
            request.progress(min(begin + _CROPS_AT_ONCE, len(shown)), len(shown))
    return rows


def _crops(root: Path, images: Iterable[TemplateImage]) -> Iterable[tuple[TemplateImage, Image.Image]]:
    for image in images:
        try:
            whole = read_image(root / image.path)
        except (UnreadableImageError, InputError, OSError):
            continue
        yield image, object_crop(whole, image.box) if image.box else whole


BENCHMARK = Benchmark(
    "genecis",
    "GeneCIS",
    "A photo and a condition, focus on or change of an attribute or object, in a gallery of each question's own.",
    _METRICS,
    tuple(WAYS),
    tuple(WAYS),
    measure_genecis,
)
