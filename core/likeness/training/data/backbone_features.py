"""The features that splits are measured by: of all images of a run, from its backbone as it is before training, not scaled to unit length."""

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageClasses, ImageTable, image_classes, read_dataset
from likeness.progress import Progress
from likeness.training.config import RunConfig


def backbone_features(config: RunConfig, progress: Progress | None = None) -> tuple[ImageTable, ImageClasses, NDArray[np.float32]]:
    """All images of a run's source, their classes, and the backbone's features (n, f); from the cache that head-only runs use, too.

    Raises:
        InputError: as `read_dataset`, `image_classes` and `build_network`.
    """
    from likeness.training.data.outputs import stored_outputs
    from likeness.training.data.pixels import load_pixels
    from likeness.training.network.network import build_network

    table = read_dataset(config.data.source)
    classes = image_classes(table, config.data.attribute)
    network = build_network(config.backbone)
    pixels = load_pixels(table, config.data.image_size, progress)
    return table, classes, stored_outputs(network, pixels, np.arange(len(table)), config.data.image_size, progress)
