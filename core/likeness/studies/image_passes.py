"""How much a benchmark on splits has to compute, in passes of an image through its network."""

from collections.abc import Iterable, Mapping

from likeness.shifts import ClassSplit
from likeness.training import RunConfig

# A step of training over a forward pass: backward, the gradients of activations and of weights take a product each (Kaplan et al. 2020, section 2.1).
_STEP = 3


def image_passes(rows: Iterable[RunConfig], splits: Iterable[ClassSplit], seeds: int, images: Mapping[str, int]) -> int:
    """At least how many times an image is sent forward through the network, where training with an image counts as three times.

    Runs of the embedding layer alone share the features of all images, which are computed once. Of each other run its epochs count and one
    pass over the images that test; what is small or depends on other settings does not.

    Args:
        rows: the methods; one that does not train (epochs 0) has one run on each split.
        splits: on which each is run.
        seeds: how many times.
        images: in each class.
    """
    configs = list(rows)
    whole = [config for config in configs if not config.backbone.head_only]
    passes = sum(images.values()) if len(whole) < len(configs) else 0
    for split in splits:
        train, test = (sum(images[name] for name in side) for side in (split.train, split.test))
        for config in whole:
            size = config.batch.size
            trained = config.epochs * max(1, train // size) * size
            passes += (seeds if config.epochs else 1) * (_STEP * trained + test)
    return passes
