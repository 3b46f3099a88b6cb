"""The language side of a run: similarities of its class names, or of the pseudolabels that an ImageNet classifier gives its images."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.language import (
    class_similarities,
    embed_names,
    imagenet_names,
    names_in_use,
    prime,
    pseudolabel_similarities,
    readable_names,
    top_pseudolabels,
)
from likeness.training.ablations import LanguageContrast, LanguageMining, LanguageScaling, PredictedLanguage
from likeness.training.config import BackboneConfig, GuidanceConfig, RunConfig
from likeness.training.guidance import ClassTargets, ImageTargets, LanguageGuidance
from likeness.training.network import EmbeddingNetwork, timm_model
from likeness.training.outputs import stored_outputs
from likeness.training.pixels import load_pixels
from likeness.training.run_data import RunImages

Report = Callable[[str, int, int], None]


Guidance = LanguageGuidance | PredictedLanguage | LanguageContrast | LanguageMining | LanguageScaling


def build_guidance(config: RunConfig, images: RunImages, report: Report) -> Guidance:
    """The guidance of a run, with everything that it looks up computed; pseudolabels are stored in the cache.

    Raises:
        InputError: a language model or classifier that is not there, or names that it does not know.
    """
    guidance = config.guidance
    assert guidance is not None
    report("Reading class names", 0, 1)
    options: dict[str, Any] = {
        "shift": guidance.gamma,
        "direction": guidance.direction,
        "matching": guidance.matching,
        "temperature": guidance.temperature,
        "mask_language": guidance.mask_language,
        "stop_gradient": guidance.stop_gradient,
    }
    if guidance.way != "match":
        return _other_way(guidance, images.train_classes, config.backbone.dim, config.seed)
    if guidance.kind == "elg":
        return LanguageGuidance(ClassTargets(expert_similarities(guidance, images.train_classes)), **options)
    used, chosen = names_in_use(pseudolabels(config, images, report), imagenet_names())
    names = class_similarities(used, guidance.language, guidance.primer)
    if guidance.level == "class":
        return LanguageGuidance(ClassTargets(np.asarray(pseudolabel_similarities(chosen, names, guidance.variant))), **options)
    everywhere = np.zeros((len(images.table), guidance.k), np.int64)
    everywhere[images.train] = chosen
    return LanguageGuidance(ImageTargets(everywhere, names, guidance.variant), masked=False, **options)


def _other_way(guidance: GuidanceConfig, names: list[str], dim: int, seed: int) -> Guidance:
    import torch

    if guidance.way in ("mining", "scaling"):
        targets = ClassTargets(expert_similarities(guidance, names))
        return LanguageMining(targets) if guidance.way == "mining" else LanguageScaling(targets)
    language = embed_names(prime(readable_names(names), guidance.primer), guidance.language[0])
    torch.manual_seed(seed)  # reading names draws numbers where the model was not loaded before
    return PredictedLanguage(language, dim) if guidance.way == "devise" else LanguageContrast(language, dim)


def expert_similarities(guidance: GuidanceConfig, names: list[str]) -> NDArray[np.float32]:
    """S^lang (c, c) of class names, cleaned first."""
    return class_similarities(readable_names(names), guidance.language, guidance.primer)


def pseudolabels(config: RunConfig, images: RunImages, report: Report | None = None) -> NDArray[np.int64]:
    """The k best ImageNet names of each training class (classes, k), or of each training image (images, k), best first.

    Raises:
        InputError: no classifier, or one without ImageNet's 1,000 outputs.
    """
    guidance = config.guidance
    assert guidance is not None
    outputs = classifier_outputs(guidance.classifier or config.backbone, images, config.data.image_size, report)
    labels = images.labels[images.train] if guidance.level == "class" else None
    return top_pseudolabels(outputs, labels, guidance.k, guidance.average)


def classifier_outputs(classifier: BackboneConfig, images: RunImages, size: int, report: Report | None = None) -> NDArray[np.float32]:
    """Raw outputs (n, 1000) of an ImageNet classifier for the training images, computed once for the same images and weights.

    Raises:
        InputError: a backbone without a classifier, or one with other classes.
    """
    if classifier.name.startswith("clip:"):
        raise InputError("Pseudolabels come from an ImageNet classifier; set guidance.classifier to a timm model with its weights.")
    model = timm_model(classifier)
    if model.num_classes != len(imagenet_names()):
        raise InputError(f"The classifier '{classifier.name}' has {model.num_classes} classes, not ImageNet's 1,000; choose another.")
    data = model.pretrained_cfg
    network = EmbeddingNetwork(model, model.num_classes, 2, tuple(data["mean"]), tuple(data["std"]))
    told = (lambda done, total: report("Computing pseudolabels", done, total)) if report else None
    return stored_outputs(network, load_pixels(images.table, size), images.train, size, told)
