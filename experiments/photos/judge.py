"""Evaluates text-to-photo retrieval and zero-shot classification on data that did not train the head."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.photos.head import HeadRecipe, PhotoFeatures, Rows, fit_twice, probabilities
from likeness.arrays import unit_rows
from likeness.data import read_dataset
from likeness.encoders import load_encoder
from likeness.errors import InputError
from likeness.progress import Progress

RANKS = (1, 5, 10)
JUDGED = 297  # photos, as in the figures that others gave
_FOLDS = 6


@dataclass(frozen=True)
class CaptionFigures:
    """Text to image: recall at `RANKS` among `judged` held-out photos, mean and standard deviation over samples.

    Attributes:
        trained: photos that the head was fitted on.
        judged: photos among which each caption looks for its own.
        reduced_px: the short side to which those were reduced first; None: not.
        mean, spread: (3,) of recall at 1, 5 and 10.
    """

    trained: int
    judged: int
    reduced_px: int | None
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]


@dataclass(frozen=True)
class ClassFigures:
    """Zero-shot: the share of `images` photos of `classes` classes for which "a photo of a NAME" of their own class is the nearest one."""

    name: str
    images: int
    classes: int
    accuracy: float


def judge_captions(features: PhotoFeatures, reduced: PhotoFeatures, captions: Rows, names: Rows, recipe: HeadRecipe) -> list[CaptionFigures]:
    """Recall of heads fitted on a half, three quarters and all of the photos, except up to 297 for evaluation.

    Raises:
        InputError: fewer than 20 photos.
    """
    count = len(captions)
    if count < 20:
        raise InputError(f"{count} photos are too few to fit and evaluate a head; use at least 20.")
    judged = min(JUDGED, count // 2)
    trained = [round(share * (count - judged)) for share in (0.5, 0.75, 1.0)]
    sharp = [_recall(features, reduced, features, captions, names, recipe, train, judged) for train in trained]
    return [*sharp, _recall(features, reduced, reduced, captions, names, recipe, trained[-1], judged)]


def _recall(
    features: PhotoFeatures, reduced: PhotoFeatures, judges: PhotoFeatures, captions: Rows, names: Rows, recipe: HeadRecipe, train: int, judged: int
) -> CaptionFigures:
    found = []
    for fold in range(_FOLDS):
        order = np.random.default_rng(fold).permutation(len(captions))
        # the same photos judge every size
        fitted, others = order[judged : judged + train], order[:judged]
        head = fit_twice(features[fitted], reduced[fitted], captions[fitted], names, recipe)
        texts = unit_rows((captions[others].reshape(-1, captions.shape[2]) - head["center"]) @ head["text"], "The captions")
        found.append(recall(texts, _images(head, judges[others]), np.repeat(np.arange(judged), captions.shape[1])))
    return CaptionFigures(train, judged, recipe.reduced_px if judges is reduced else None, np.mean(found, 0), np.std(found, 0))


def recall(texts: Rows, images: Rows, owners: NDArray[np.integer]) -> NDArray[np.float64]:
    """Shares of texts (m, d) whose own image is among the first `RANKS` of images (n, d), (3,); `owners` (m,) are rows of images."""
    similarities = texts @ images.T
    ahead = (similarities > similarities[np.arange(len(texts)), owners][:, None]).sum(1)
    return np.array([(ahead < rank).mean() for rank in RANKS])


def _images(head: dict[str, Rows], features: PhotoFeatures) -> Rows:
    rows = probabilities(features.logits, float(head["temperature"])) @ head["names"] + features.roots @ head["features"] + head["bias"]
    return np.asarray(unit_rows(rows, "The photos"), dtype=np.float64)


def judge_classes(folder: Path, images: Path, progress: Progress | None = None) -> ClassFigures:
    """Zero-shot accuracy of an encoder's folder on a folder of classes, whose names are those of its folders.

    Raises:
        InputError: there is no such folder, or it has no classes.
    """
    table = read_dataset(images)
    if "class" not in table.attributes:
        raise InputError(f"'{images}' has no classes; use a folder with one subfolder per class.")
    encoder = load_encoder(f"photos:{folder}")
    labels = table.frame["class"].astype(str)
    names = sorted(set(labels))
    texts = encoder.encode_texts([f"a photo of a {name.replace('_', ' ')}" for name in names])
    paths, right = table.paths(), 0
    for start in range(0, len(paths), 256):
        nearest = (encoder.encode_images(paths[start : start + 256]) @ texts.T).argmax(1)
        right += sum(names[found] == label for found, label in zip(nearest, labels[start : start + 256], strict=True))
        if progress:
            progress(start, len(paths), f"Judging by {images.name}")
    return ClassFigures(images.name, len(paths), len(names), right / len(paths))
