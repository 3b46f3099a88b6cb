"""Objects passed to `train` in place of what the config names."""

from typing import Any, NamedTuple

import torch
from torch import nn

from likeness.errors import InputError
from likeness.losses import Mined, as_module, make_objective, wrap_objective
from likeness.samplers import make_miner
from likeness.training.config import OBJECTS, ObjectiveConfig, RunConfig, with_changes
from likeness.training.network.backbones import build_network
from likeness.training.network.embedding_network import EmbeddingNetwork

CUSTOM = "custom"


class GivenObjects(NamedTuple):
    """Objects passed to `train`, including Lightning callbacks; None: named by the config.

    Attributes:
        loss: (embeddings (n, d), labels) -> scalar, a module or a function; with a miner (embeddings, labels, tuples) -> scalar. Labels are class
            numbers (n,), or label distances (a, n) of the first a rows if the config's objective reads those.
        miner: (embeddings, labels) -> tuples of row numbers.
        language: for guidance, an object with `encode_texts`, or several.
        backbone: images (n, 3, s, s) -> features (n, f).
        data: an `ImageTable`.
        sampler: class numbers (n,) of the training images -> an object whose `batch(number)` gives places (size,) among these.
        transform: a crop (3, s, s) with values 0 to 1 -> one of the same size.
    """

    loss: Any = None
    miner: Any = None
    language: Any = None
    backbone: Any = None
    callbacks: tuple[Any, ...] = ()
    data: Any = None
    sampler: Any = None
    transform: Any = None


NOTHING_GIVEN = GivenObjects()


def config_with(config: RunConfig, given: GivenObjects) -> RunConfig:
    """The config of a run with these objects, which says "custom" instead of a name, so that the run is not resumed without them.

    InputError: a language model without guidance, or a changed config that is invalid.
    """
    changes: dict[str, Any] = {}
    if given.loss is not None:
        # the config's objective decides whether embeddings are normalized, not the object
        name = f"{CUSTOM}-distances" if config.objective.continuous else CUSTOM
        changes |= {"objective.name": name, "objective.options": {}, "backbone.unit": config.unit_embeddings}
    if given.miner is not None:
        changes |= {"objective.miner": CUSTOM, "objective.miner_options": {}}
    if given.language is not None:
        if config.guidance is None:
            raise InputError("A language model was passed, but the config has no guidance; set guidance, or remove language.")
        changes |= {"guidance.language": [CUSTOM]}
    if given.backbone is not None:
        changes |= {"backbone.name": CUSTOM, "backbone.weights": "none", "backbone.options": {}}
    if given.data is not None and config.data.split == "official":
        raise InputError("data.split official reads a dataset's own parts; choose another split, or name the dataset in data.source.")
    if given.sampler is not None and config.objective.continuous:
        raise InputError(
            f"A sampler gives no anchors, which objective.name {config.objective.name} needs; set batch.nearest and batch.drawn instead."
        )
    if passed := tuple(name for name in OBJECTS if getattr(given, name) is not None):
        changes |= {"objects": passed}
    return with_changes(config, changes) if changes else config


def check_given(config: RunConfig, given: GivenObjects) -> None:
    """InputError: an object that the run was begun with is not passed."""
    if missing := [name for name in config.objects if getattr(given, name) is None]:
        raise InputError(f"The run was begun with an object as {missing[0]}; pass it again: train(config, folder, {missing[0]}=...).")


def given_network(config: RunConfig, given: GivenObjects) -> EmbeddingNetwork:
    """The network of a run, with the passed backbone or that of its config. InputError: a backbone whose output is not (n, f)."""
    if given.backbone is None:
        return build_network(config.backbone)
    size, chosen = config.data.image_size, config.backbone
    given.backbone.eval()  # in evaluation mode, so that the probe does not change batch norm statistics
    with torch.no_grad():
        features = given.backbone(torch.zeros(2, 3, size, size, device=next(given.backbone.parameters(), torch.zeros(())).device))
    if not isinstance(features, torch.Tensor) or features.ndim != 2:
        what = f"shape {tuple(features.shape)}" if isinstance(features, torch.Tensor) else type(features).__name__
        raise InputError(f"The backbone returns {what} for two images, but features must be (2, f); pool its output.")
    found = EmbeddingNetwork(given.backbone, features.shape[1], chosen.dim, freeze_batch_norm=chosen.freeze_batch_norm, parts=chosen.parts)
    found.is_given = True
    return found


def build_objective(config: ObjectiveConfig, classes: int, dim: int, feature_dim: int, given: GivenObjects = NOTHING_GIVEN) -> nn.Module:
    """The objective of a run, on label distances, or on classes and inside the wrappers that the config names.

    InputError: unknown names or options, or an object that is required by the config and not passed, or not callable.
    """

    def base(dim: int) -> nn.Module:
        miner = given.miner if given.miner is not None or config.miner is None else make_miner(config.miner, **config.miner_options)
        if given.loss is None:
            return make_objective(config.name, classes, dim, miner=miner, **config.options)
        return as_module(given.loss) if miner is None else Mined(given.loss, make_miner(miner))

    return wrap_objective(base, config.wrappers, dim, feature_dim, classes)


def require_here(given: GivenObjects, processes: int) -> None:
    """InputError: objects for a run that starts its own processes, which only read the config."""
    if any(each is not None and each != () for each in given):
        raise InputError(
            f"Objects cannot be passed to the {processes} processes of the run; set devices to 1, or start a script that calls train with torchrun."
        )
