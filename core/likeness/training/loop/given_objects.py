"""The objective of a run, from its config or from a loss, miner or language model that is passed as an object in place of a name."""

from typing import Any, NamedTuple

import torch
from torch import nn

from likeness.errors import InputError
from likeness.losses import Mined, as_module, make_objective, wrap_objective
from likeness.samplers import make_miner
from likeness.training.config import ObjectiveConfig, RunConfig, with_changes
from likeness.training.network.backbones import build_network
from likeness.training.network.embedding_network import EmbeddingNetwork

CUSTOM = "custom"


class GivenObjects(NamedTuple):
    """Objects passed to `train`, callbacks of Lightning among them; None: the config names it.

    Attributes:
        loss: (embeddings (n, d), labels) -> scalar, a module or a function; beside a miner (embeddings, labels, tuples) -> scalar. Labels are
            class numbers (n,), or label distances (a, n) of the first a rows where the config's objective reads those.
        miner: (embeddings, labels) -> tuples of row numbers.
        language: for guidance, an object with `encode_texts`, or several.
        backbone: images (n, 3, s, s) -> features (n, f).
    """

    loss: Any = None
    miner: Any = None
    language: Any = None
    backbone: Any = None
    callbacks: tuple[Any, ...] = ()


NOTHING_GIVEN = GivenObjects()


def config_with(config: RunConfig, given: GivenObjects) -> RunConfig:
    """The config of a run that trains with these objects: it says "custom" in place of a name, so that the run is not resumed without them.

    Raises InputError for a language model without guidance, and what the changed config does not allow.
    """
    changes: dict[str, Any] = {}
    if given.loss is not None:
        # the config's objective decides whether embeddings are normalized; the object does not
        name = f"{CUSTOM}-distances" if config.objective.continuous else CUSTOM
        changes |= {"objective.name": name, "objective.options": {}, "backbone.unit": config.unit_embeddings}
    if given.miner is not None:
        changes |= {"objective.miner": CUSTOM, "objective.miner_options": {}}
    if given.language is not None:
        if config.guidance is None:
            raise InputError("A language model was given, but the config has no guidance; set guidance, or leave out language.")
        changes |= {"guidance.language": [CUSTOM]}
    if given.backbone is not None:
        changes |= {"backbone.name": CUSTOM, "backbone.weights": "none", "backbone.options": {}}
    return with_changes(config, changes) if changes else config


def given_network(config: RunConfig, given: GivenObjects) -> EmbeddingNetwork:
    """The network of a run, around the backbone that is given, which must give features (n, f), or that its config names; InputError."""
    if given.backbone is None:
        return build_network(config.backbone)
    size, chosen = config.data.image_size, config.backbone
    given.backbone.eval()  # so that batch norm learns nothing of the probe
    with torch.no_grad():
        features = given.backbone(torch.zeros(2, 3, size, size, device=next(given.backbone.parameters(), torch.zeros(())).device))
    if not isinstance(features, torch.Tensor) or features.ndim != 2:
        what = f"shape {tuple(features.shape)}" if isinstance(features, torch.Tensor) else type(features).__name__
        raise InputError(f"The backbone gives {what} for two images, but features are (2, f); pool what it gives.")
    found = EmbeddingNetwork(given.backbone, features.shape[1], chosen.dim, freeze_batch_norm=chosen.freeze_batch_norm, parts=chosen.parts)
    found.is_given = True
    return found


def build_objective(config: ObjectiveConfig, classes: int, dim: int, feature_dim: int, given: GivenObjects = NOTHING_GIVEN) -> nn.Module:
    """The objective of a run, on label distances, or on classes and inside the wrappers that the config names.

    InputError: unknown names or options, or an object that the config names and that is not passed, or that cannot be called.
    """

    def base(dim: int) -> nn.Module:
        miner = given.miner if given.miner is not None or config.miner is None else make_miner(config.miner, **config.miner_options)
        if given.loss is None:
            return make_objective(config.name, classes, dim, miner=miner, **config.options)
        return as_module(given.loss) if miner is None else Mined(given.loss, make_miner(miner))

    return wrap_objective(base, config.wrappers, dim, feature_dim, classes)


def require_here(given: GivenObjects, processes: int) -> None:
    """Raises InputError for objects where the run starts processes of its own, which read the config only."""
    if any(each is not None and each != () for each in given):
        raise InputError(
            f"What is given as an object does not reach the {processes} processes of the run; set devices to 1, "
            f"or start a script that calls train with torchrun."
        )
