"""Captions a person's own images with a trained captioning model."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.captioning.config import LARGEST_BEAM
from experiments.captioning.features import FeatureNetwork, grid_features, seeded_network
from experiments.captioning.folder import CaptioningFolder
from experiments.captioning.speaking import describe
from experiments.captioning.vocabulary import Vocabulary, read_vocabulary
from likeness.data import ImageTable, read_dataset
from likeness.errors import InputError
from likeness.progress import Progress

if TYPE_CHECKING:
    from experiments.captioning.decoder import Captioner


def caption_images(
    model: Path | str, images: ImageTable | Path | str, beam: int | None = None, stage: str | None = None, progress: Progress | None = None
) -> list[str]:
    """A sentence for each image, in the table's order, by beam search; the model sees the middle square, as in its training.

    Args:
        model: folder of a captioning model that `python -m experiments.captioning train` finished. Its features come from the network that it was
        trained on, which
            its folder names, so that this network must still be there with the same weights.
        images: a table, or what `likeness.read` takes.
        beam: width of the search, 1 to 100; None: the model's own, by which it was scored.
        stage: "xe", the best weights of cross-entropy, or "rl", those of self-critical training; None: of the last stage that it has.
        progress: called with (images done, images, what is being done).

    Raises:
        InputError: no model, one that is not finished, weights or words that cannot be read, a network that is gone or has other weights, a
            stage or a width that is not there, or an image that cannot be read.
    """
    place = CaptioningFolder(model)
    config = place.config()
    if place.report() is None:
        raise InputError(f"The captioning model in '{place.path}' is not finished; resume it with `python -m experiments.captioning train`.")
    stages = ["xe", "rl"] if config.rl.epochs else ["xe"]
    if stage not in (None, *stages):
        raise InputError(f"The captioning model in '{place.path}' has no stage '{stage}'; choose {' or '.join(stages)}.")
    width = config.beam if beam is None else beam
    if not 1 <= width <= LARGEST_BEAM:
        raise InputError(f"The beam is {width} sentences wide; choose a number from 1 to {LARGEST_BEAM}.")
    vocabulary, network = read_vocabulary(place.vocabulary), _network(place)
    captioner = _captioner(place, stage or stages[-1], vocabulary, network.network.map_shape(config.data.image_size)[0])
    table = images if isinstance(images, ImageTable) else read_dataset(images)
    grid = grid_features(network, table, config.data.image_size, config.data.grid, progress)
    return describe(captioner, grid, np.arange(len(table)), vocabulary, config.longest, width)


def _network(place: CaptioningFolder) -> FeatureNetwork:
    """The features that the model was trained on."""
    config, features = place.config(), place.features()
    try:
        network = seeded_network(features.get("name", ""), config.backbone, config.seed)
    except InputError as error:
        raise InputError(f"The network of the captioning model in '{place.path}' cannot be had: {error}") from error
    if network.identity != features["identity"]:
        raise InputError(
            f"The network '{features['name']}' has changed since the captioning model in '{place.path}' was trained; train the model again."
        )
    return network


def _captioner(place: CaptioningFolder, stage: str, vocabulary: Vocabulary, features: int) -> "Captioner":
    import torch

    from experiments.captioning.decoder import CAPTIONERS
    from likeness.encoders import choose_device

    sizes = place.config().decoder
    with torch.device("meta"):  # nothing as large as a foreign config says is made before the weights are seen
        captioner = CAPTIONERS[sizes.kind](len(vocabulary), features, sizes.hidden, sizes.embedding, sizes.attention, sizes.dropout)
    place.load_best(stage, captioner)
    return captioner.float().to(choose_device("auto"))
