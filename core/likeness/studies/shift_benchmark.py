"""Study of methods on splits of growing distance: its methods, and settings for a network and classes (ooDML)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from likeness.errors import InputError
from likeness.losses import WRAPPERS, objectives_on
from likeness.shifts import SplitFile
from likeness.studies.study import StudyConfig, row_configs
from likeness.training import read_config

SHOTS = 2  # images of each new class for the adaptation of a trained network
WHOLE_PRESET = "oodml-cars196"  # the protocol of the ooDML paper, which trains whole networks
_FEWEST_QUERIES = 2
_BATCHES = (96, 48, 24)
_PER_CLASS = (4, 6, 8, 12, 16, 24, 48)
_PIXELS = 96 * 224**2  # pixels of a batch, about those of the papers' 112 images of 224 px
# values other than the objective's own, for runs of the size of a benchmark
_OPTIONS: dict[str, dict[str, Any]] = {"r-margin": {"beta": 0.6, "rho": 0.35}}
# Margin with its wrappers, by wrapper
_AROUND: dict[str, tuple[str, dict[str, Any]]] = {
    "uniform_prior": ("Margin + uniform prior", {"objective.uniform_prior": {"weight": 0.2}}),
    "s2sd": ("S2SD", {"objective.s2sd": {"target_dims": [512]}}),
    "diva": ("DiVA", {"objective.diva": {"separation_weight": 94}, "backbone.parts": 4}),
}
_ELG = {"guidance": {"kind": "elg", "gamma": 0.0, "omega": 10.0, "language": "minilm"}}


@dataclass(frozen=True)
class ShiftMethod:
    """changes: of a run's config, by dotted keys. help: one sentence."""

    help: str
    changes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ShiftNetwork:
    """The network to train.

    Attributes:
        name: of the backbone.
        image_size: native image size in pixels.
        whole: trains all of it, not only the embedding layer.
    """

    name: str
    image_size: int
    whole: bool


def shift_methods() -> dict[str, ShiftMethod]:
    """Methods by title: the raw encoder, all objectives on classes, Margin with wrappers, and Margin with language guidance."""
    objectives = {
        each.title: ShiftMethod(each.help, {"objective.name": name, "objective.options": _OPTIONS.get(name, {})})
        for name, each in objectives_on("classes").items()
    }
    around = {title: ShiftMethod(f"Around Margin: {WRAPPERS[name].help}", changes) for name, (title, changes) in _AROUND.items()}
    return {
        "Raw encoder": ShiftMethod("The encoder without training.", {"epochs": 0, "backbone.dim": None, "few_shot": None}),
        **objectives,
        **around,
        "Margin + ELG": ShiftMethod("Margin that also learns similarities of class names from a language model.", _ELG),
    }


def shift_study(
    source: str,
    splits: SplitFile,
    images: Mapping[str, int],
    network: ShiftNetwork,
    methods: Mapping[str, ShiftMethod],
    *,
    seeds: int,
    epochs: int,
    few_shot: bool,
    note: str = "",
) -> StudyConfig:
    """The study, without name and path of its splits. Methods train equally long on every split, and the parameters of losses, such as class
    directions, learn as fast beside the network as in `WHOLE_PRESET`.

    Args:
        source: source of the images.
        splits: splits of their classes.
        images: number of images of each class.
        few_shot: also adapts trained networks to `SHOTS` images of each test class.

    Raises:
        InputError: a class with too few images, or a method that does not fit the network.
    """
    _check_classes(splits, images, few_shot)
    paper, batch = read_config(WHOLE_PRESET), _batch(splits, images, network)
    base: dict[str, Any] = {
        "data": {"source": source, "attribute": splits.model_dump(mode="json")["attribute"], "image_size": network.image_size},
        "backbone": {"name": network.name, "dim": 128, "head_only": not network.whole},
        "objective": {"name": "margin"} | paper.objective.model_dump(include={"proxy_rate", "wrapper_rate"}),
        "batch": batch,
        "optimizer": paper.optimizer.model_dump(include={"rate", "weight_decay"}) if network.whole else {"rate": 0.001},
        "epochs": epochs,
        "epoch_steps": max(1, max(sum(images[name] for name in split.train) for split in splits) // batch["size"]),
        "evaluate_every": epochs,
        "structure": True,
        "matched_classes": min(len(split.test) for split in splits),
    }
    if few_shot:
        base["few_shot"] = {"shots": [SHOTS], "episodes": 5, "steps": 50, "rate": 0.0003}
    study = StudyConfig(note=note, base=base, seeds=tuple(range(seeds)), rows={name: method.changes for name, method in methods.items()})
    for row in study.rows:
        try:
            row_configs(study, [row])
        except InputError as error:
            raise InputError(f"{row} does not fit this benchmark: {error}") from error
    return study


def _check_classes(splits: SplitFile, images: Mapping[str, int], few_shot: bool) -> None:
    used = {name for split in splits for name in (*split.train, *split.test)}
    fewest = min(used, key=lambda name: (images[name], name))
    if images[fewest] < 2:
        raise InputError(f"The class '{fewest}' has only one image, so nothing can be retrieved for it. Choose other labels as classes.")
    tested, needed = min({name for split in splits for name in split.test}, key=lambda name: (images[name], name)), SHOTS + _FEWEST_QUERIES
    if few_shot and images[tested] < needed:
        raise InputError(
            f"The class '{tested}' has {images[tested]} images, but few-shot needs {needed}: {SHOTS} for adaptation and {_FEWEST_QUERIES} "
            "queries. Turn few-shot off, or choose other labels as classes."
        )


def _batch(splits: SplitFile, images: Mapping[str, int], network: ShiftNetwork) -> dict[str, int]:
    """A batch that the split with the fewest training classes can fill; for a whole network also limited by images and memory."""
    classes = min(len(split.train) for split in splits)
    trains = min(sum(images[name] for name in split.train) for split in splits)
    fits = [size for size in _BATCHES if not network.whole or (size <= trains and size * network.image_size**2 <= _PIXELS)]
    size = fits[0] if fits else _BATCHES[-1]
    per_class = next((count for count in _PER_CLASS if size % count == 0 and size // count <= classes), size // 2)
    return {"size": size, "per_class": per_class}
