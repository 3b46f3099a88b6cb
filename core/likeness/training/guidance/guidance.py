"""Guidance of a run: language similarities of class names, captions, or pseudolabels of an ImageNet classifier."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness import data
from likeness.data import has_label
from likeness.errors import InputError
from likeness.language import (
    captions_in_order,
    class_similarities,
    class_vectors,
    imagenet_names,
    insert_class_name,
    names_in_use,
    pseudolabel_similarities,
    pseudolabels_of,
    read_captions,
    read_pseudolabels,
    readable_names,
    top_pseudolabels,
)
from likeness.progress import Progress, no_progress
from likeness.training.config import BackboneConfig, GuidanceConfig, RunConfig
from likeness.training.data.outputs import cached_outputs
from likeness.training.data.pixels import load_pixels
from likeness.training.data.run_images import RunImages
from likeness.training.guidance.ablations import LanguageContrast, LanguageMining, LanguageScaling, PredictedLanguage, ViTPrediction
from likeness.training.guidance.guided_loss import ClassTargets, ImageTargets, LanguageGuidance, VectorTargets
from likeness.training.network.backbones import timm_model
from likeness.training.network.embedding_network import EmbeddingNetwork

Guidance = LanguageGuidance | PredictedLanguage | ViTPrediction | LanguageContrast | LanguageMining | LanguageScaling


def build_guidance(
    config: RunConfig, images: RunImages, progress: Progress = no_progress, network: EmbeddingNetwork | None = None, language: Any = None
) -> Guidance:
    """Builds the guidance of a run with all its tables; pseudolabels are cached.

    `network` is for method "vit", which reads its feature maps; `language` is an object with `encode_texts`, or several, instead of the config's
    models. InputError: a missing language model or classifier, names that it does not know, images without captions, or a network without feature
    maps for "vit".
    """
    guidance = config.guidance
    assert guidance is not None
    models = guidance.language if language is None else language
    progress(0, 1, "Reading class names")
    options: dict[str, Any] = {
        "shift": guidance.gamma,
        "direction": guidance.direction,
        "matching": guidance.matching,
        "temperature": guidance.temperature,
        "stop_gradient": guidance.stop_gradient,
    }
    if guidance.method != "match":
        return _ablation(config, images, models, network)
    if guidance.text != "names":
        targets = VectorTargets(caption_vectors(guidance, images, models), of_images=True)
        return LanguageGuidance(targets, masked=guidance.mask_language, **options)
    if guidance.kind == "elg":
        names = _names(config, images)
        if not guidance.stop_gradient:
            return LanguageGuidance(VectorTargets(class_vectors(names, models, guidance.primer), learned=True), **options)
        return LanguageGuidance(ClassTargets(_expert_targets(guidance, names, models)), **options)
    used, chosen = pseudolabel_names(config, images, progress)
    similarities = class_similarities(used, models, guidance.primer)
    if guidance.level == "class":
        table = np.asarray(pseudolabel_similarities(chosen[_dealt(guidance.control, config.seed, len(chosen))], similarities, guidance.variant))
        return LanguageGuidance(ClassTargets(flat_similarities(table) if guidance.control == "flat" else table), **options)
    chosen = _scatter(chosen, images.train, len(images.table))
    return LanguageGuidance(ImageTargets(chosen, similarities, guidance.variant), masked=guidance.mask_language, **options)


def _ablation(config: RunConfig, images: RunImages, models: Any, network: EmbeddingNetwork | None) -> Guidance:
    import torch

    guidance, dim = config.guidance, network.head.out_features if network is not None else config.backbone.dim or 0
    assert guidance is not None
    names = _names(config, images)
    if guidance.method in ("mining", "scaling"):
        targets = ClassTargets(_expert_targets(guidance, names, models))
        if guidance.method == "mining":
            return LanguageMining(targets, *guidance.nu or ())
        return LanguageScaling(targets, guidance.nu) if guidance.nu else LanguageScaling(targets)
    language = class_vectors(names, models, guidance.primer)
    if guidance.method == "vit":
        assert network is not None, "method vit reads the maps of a network"
        channels, height, width = network.map_shape(config.data.image_size)
        torch.manual_seed(config.seed)  # loading a language model may use random numbers
        return ViTPrediction(language, channels, height * width)
    torch.manual_seed(config.seed)
    return PredictedLanguage(language, dim) if guidance.method == "devise" else LanguageContrast(language, dim)


def _names(config: RunConfig, images: RunImages) -> list[str]:
    assert config.guidance is not None
    names = class_names(images, config.guidance.names)
    return [names[place] for place in _dealt(config.guidance.control, config.seed, len(names))]


def _dealt(control: str, seed: int, count: int) -> NDArray[np.int64]:
    """Which class's name each class gets: its own, or a random one in the control."""
    return np.random.default_rng([seed, 3]).permutation(count) if control == "shuffled" else np.arange(count)


def _expert_targets(guidance: GuidanceConfig, names: list[str], models: Any) -> NDArray[np.float32]:
    found = expert_similarities(guidance, names, models)
    return flat_similarities(found) if guidance.control == "flat" else found


def flat_similarities(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Similarities (c, c) or (t, c, c) with all off-diagonal entries replaced by their mean."""
    other = ~np.eye(table.shape[-1], dtype=bool)
    return np.where(other, table[..., other].mean(axis=-1)[..., None, None], table)


def class_names(images: RunImages, attribute: str | None = None) -> list[str]:
    """Cleaned names of the training classes: their own, or those of another attribute. InputError: the attribute has several values in a class."""
    if attribute is None:
        return readable_names(images.train_classes)
    if attribute not in images.table.attributes:
        raise InputError(f"'{images.table.name}' has no attribute '{attribute}'; it has {', '.join(images.table.attributes) or 'none'}.")
    rows = images.used[images.labels[images.used] < len(images.train_classes)]
    column = images.table.frame[attribute].iloc[rows]
    known = has_label(column)
    by_class = column[known].groupby(images.labels[rows][known]).unique()
    values = [by_class.get(number, []) for number in range(len(images.train_classes))]
    for name, found in zip(images.train_classes, values, strict=True):
        if len(found) != 1:
            values_text = ", ".join(f"'{value}'" for value in found[:2]) or "none"
            raise InputError(f"The class '{name}' has no single '{attribute}' ({values_text}); choose another attribute in guidance.names.")
    return readable_names([str(found[0]) for found in values])


def expert_similarities(guidance: GuidanceConfig, names: list[str], models: Any = None) -> NDArray[np.float32]:
    """S^lang (c, c) of clean class names; a name that several classes share is compared once."""
    distinct = {name: place for place, name in enumerate(dict.fromkeys(names))}
    places = [distinct[name] for name in names]
    found: NDArray[np.float32] = class_similarities(list(distinct), models or guidance.language, guidance.primer)[np.ix_(places, places)]
    return found


def caption_vectors(guidance: GuidanceConfig, images: RunImages, models: Any = None) -> NDArray[np.float32]:
    """Language vectors (images, m) of the training images' captions; rows of other images are zero. Class names replace keywords if the config says
    so. InputError: a missing or damaged file, a dataset or a training image without caption.
    """
    if guidance.captions is None:
        sentences = data.read_captions(images.table)
        captions = [sentences[row][0] for row in images.train]
    else:
        paths = [str(path) for path in images.table.frame["path"].iloc[images.train]]
        captions = captions_in_order(read_captions(Path(guidance.captions).expanduser()), paths)
    if guidance.text == "captions+names":
        names = class_names(images, guidance.names)
        own = [names[label] for label in images.labels[images.train]]
        captions = [insert_class_name(caption, name, guidance.keywords) for caption, name in zip(captions, own, strict=True)]
    return _scatter(class_vectors(captions, models or guidance.language, "{}"), images.train, len(images.table))


def _scatter(rows: NDArray[Any], places: NDArray[np.int64], count: int) -> NDArray[Any]:
    """An array of `count` rows with these rows at the given places, zeros elsewhere."""
    found = np.zeros((count, rows.shape[1]), rows.dtype)
    found[places] = rows
    return found


def pseudolabel_names(config: RunConfig, images: RunImages, progress: Progress | None = None) -> tuple[list[str], NDArray[np.int64]]:
    """All names, and the k best of each training class (classes, k), or image (images, k), as indices into them.

    InputError as `pseudolabels`, or a file of pseudolabels that is missing or lacks a class.
    """
    guidance = config.guidance
    assert guidance is not None
    if guidance.pseudolabels is None:
        return names_in_use(pseudolabels(config, images, progress), imagenet_names())
    own = pseudolabels_of(images.train_classes, read_pseudolabels(guidance.pseudolabels), guidance.k)
    used = sorted({name for names in own for name in names})
    place = {name: number for number, name in enumerate(used)}
    return used, np.array([[place[name] for name in names] for names in own], dtype=np.int64)


def pseudolabels(config: RunConfig, images: RunImages, progress: Progress | None = None) -> NDArray[np.int64]:
    """The k best ImageNet names of each training class (classes, k), or of each training image (images, k), best first.

    InputError: no classifier, or one without ImageNet's 1,000 outputs.
    """
    guidance = config.guidance
    assert guidance is not None
    outputs = classifier_outputs(guidance.classifier or config.backbone, images, config.data.image_size, progress, config.device)
    labels = images.labels[images.train] if guidance.level == "class" else None
    return top_pseudolabels(outputs, labels, guidance.k, guidance.average)


def classifier_outputs(
    classifier: BackboneConfig, images: RunImages, size: int, progress: Progress | None = None, device: str = "cpu"
) -> NDArray[np.float32]:
    """Raw outputs (n, 1000) of an ImageNet classifier for the training images, computed once for the same images and weights."""
    if classifier.name.startswith("clip:"):
        raise InputError("Pseudolabels need an ImageNet classifier; set guidance.classifier to a timm model with its weights.")
    model = timm_model(classifier)
    if model.num_classes != len(imagenet_names()):
        raise InputError(f"The classifier '{classifier.name}' has {model.num_classes} classes, not ImageNet's 1,000; choose another.")
    data = model.pretrained_cfg
    network = EmbeddingNetwork(model, model.num_classes, 2, tuple(data["mean"]), tuple(data["std"]))
    return cached_outputs(network, load_pixels(images.table, size), images.train, size, progress, "Computing pseudolabels", device)
