"""The study that a benchmark is: methods on splits of the current images, trained from a network."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from config_access import resolve_config
from likeness.data import ImageClasses
from likeness.errors import InputError
from likeness.shifts import SplitFile
from likeness.studies import StudyConfig, image_passes, row_configs
from likeness.training import config_from, read_config
from pages.shifts.benchmark_methods import METHODS
from pages.shifts.benchmark_network import Network
from pages.shifts.splits import Progression
from shared.sidebar import listed, readable
from shared.view import View

SHOTS = 2
WHOLE_PRESET = "oodml-cars196"  # the protocol of the benchmark's paper, which trains whole networks
_BATCHES = (96, 48, 24)
_PER_CLASS = (4, 6, 8, 12, 16, 24, 48)
_PIXELS = 96 * 224**2  # in a batch, about as many as the papers' 112 images of 224 px have


@dataclass(frozen=True)
class Choices:
    """What the form asks for, beside images and splits."""

    network: Network
    methods: list[str]
    seeds: int
    epochs: int
    few_shot: bool


def study_of(view: View, shown: Progression, splits: SplitFile, classes: ImageClasses, chosen: Choices) -> StudyConfig:
    """The study, without name and the place of its splits, with paths as visitors write them.

    Raises:
        InputError: a method that does not go with the network; the message names both.
    """
    network = chosen.network
    base: dict[str, Any] = {
        "data": {"source": view.entry.source, "attribute": splits.model_dump(mode="json")["attribute"], "image_size": network.image_size},
        "backbone": {"name": network.name, "dim": 128, "head_only": not network.whole},
        "objective": {"name": "margin"},
        "batch": _batch(splits, class_counts(classes), network),
        "optimizer": {"rate": 0.001},
        "epochs": chosen.epochs,
        "evaluate_every": chosen.epochs,
        "structure": True,
        "matched_classes": min(len(split.test) for split in splits),
    }
    if network.whole:
        paper = read_config(WHOLE_PRESET)
        base["objective"] |= paper.objective.model_dump(include={"proxy_rate", "wrapper_rate"})
        base["optimizer"] = paper.optimizer.model_dump(include={"rate", "weight_decay"})
    if chosen.few_shot:
        base["few_shot"] = {"shots": [SHOTS], "episodes": 5, "steps": 50, "rate": 0.0003}
    labels = listed([readable(name).lower() for name in shown.attributes])
    note = f"{shown.space.table.name}, by {labels}, on {len(splits.splits)} splits; {network.title}."
    rows = {name: METHODS[name].changes for name in chosen.methods}
    study = StudyConfig(note=note, base=base, seeds=tuple(range(chosen.seeds)), rows=rows)
    for row in rows:
        _check(study, row)
    return study


def _check(study: StudyConfig, row: str) -> None:
    try:
        row_configs(study, [row])
    except InputError as error:
        raise InputError(f"{row} can't be trained so: {error}") from error


def resolved(study: StudyConfig) -> StudyConfig:
    """The study with whole paths and the files of labels that were given in the app; raises InputError for a path that may not be read."""
    base = resolve_config(config_from(study.base))
    return study.model_copy(update={"base": base.model_dump(mode="json", exclude_unset=True)})


def passes(study: StudyConfig, splits: SplitFile, classes: ImageClasses) -> int:
    """Of images through the network, as `image_passes`."""
    return image_passes(row_configs(study).values(), splits, len(study.seeds), class_counts(classes))


def class_counts(classes: ImageClasses) -> dict[str, int]:
    """Images of each class."""
    return dict(zip(classes.names, np.bincount(classes.labels, minlength=len(classes.names)).tolist(), strict=True))


def _batch(splits: SplitFile, images: dict[str, int], network: Network) -> dict[str, int]:
    """A batch that the fewest training classes fill; for a whole network with no more images and pixels than there are and memory may hold."""
    classes = min(len(split.train) for split in splits)
    trains = min(sum(images[name] for name in split.train) for split in splits)
    fits = [size for size in _BATCHES if not network.whole or (size <= trains and size * network.image_size**2 <= _PIXELS)]
    size = fits[0] if fits else _BATCHES[-1]
    per_class = next((count for count in _PER_CLASS if size % count == 0 and size // count <= classes), size // 2)
    return {"size": size, "per_class": per_class}
