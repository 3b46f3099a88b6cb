"""Section 4.6 of the log-ratio paper (Kim et al., CVPR 2019): captioning models on several sets of features, and its Table 1."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from likeness.errors import InputError
from likeness.progress import Progress, no_progress
from likeness.recipes.captioning.captioned import read_captioned
from likeness.recipes.captioning.config import CaptioningConfig, with_captioning_changes
from likeness.recipes.captioning.folder import CaptioningFolder

if TYPE_CHECKING:
    from likeness.recipes.captioning.features import FeatureNetwork

# Columns of Table 1 but SPICE, and what they are called here.
COLUMNS = {"bleu_4": "BLEU-4", "cider_d": "CIDEr-D", "meteor_like": "METEOR-like", "rouge_l": "ROUGE-L"}
STAGES = {"xe": "XE", "rl": "RL"}
Cells = dict[Path, tuple[CaptioningConfig, str]]


def captioning_cells(config: CaptioningConfig, features: Sequence[str], models: Sequence[str], folder: Path) -> Cells:
    """The models to train by their folders, each with its config and the name of its features.

    Args:
        config: of all.
        features: "imagenet", "run:FOLDER".
        models: kinds of decoder; none: the config's.
        folder: where the models' folders lie or will lie.

    Raises:
        InputError: no features, some twice, or an unknown kind.
    """
    if not features or len(set(features)) < len(features):
        raise InputError(f"Name each set of features once, such as imagenet and run:runs/NAME; got {', '.join(features) or 'none'}.")
    kinds = dict.fromkeys(models or [config.decoder.kind])
    return {folder / f"{kind}-{_slug(name)}": (with_captioning_changes(config, {"decoder.kind": kind}), name) for name in features for kind in kinds}


def compare_features(cells: Cells, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Trains what is not finished yet, and gives the reports of all that are; a stop that is asked for leaves the rest.

    Args:
        cells: of `captioning_cells`.
        progress: called with (done, total, what is being done).

    Raises:
        InputError: as `read_captioned`, `grid_features` and `train_captioner`.
    """
    from likeness.recipes.captioning.features import grid_features
    from likeness.recipes.captioning.train import Features, train_captioner

    progress = progress or no_progress
    waiting = {path: cell for path, cell in cells.items() if finished_report(path, *cell) is None}
    # a run that is missing is told before anything slow
    networks = {name: _network(config, name) for config, name in waiting.values()}
    captioned = None
    for path, (config, name) in waiting.items():
        data, about = config.data, f"{config.decoder.kind}, {name}"

        def progress_of_cell(done: int, total: int, stage: str = "", about: str = about) -> None:
            progress(done, total, f"{about}: {stage}")

        captioned = captioned or read_captioned(data.source, data.each, data.validation, data.test, config.seed)
        grid = grid_features(networks[name], captioned.table, data.image_size, data.grid, progress_of_cell, config.device)
        train_captioner(config, captioned, Features(name, networks[name].identity, grid), path, progress_of_cell)
    return [found for path, cell in cells.items() if (found := finished_report(path, *cell)) is not None]


def _network(config: CaptioningConfig, name: str) -> "FeatureNetwork":
    """The same at every call, also where its weights are random."""
    import torch

    from likeness.recipes.captioning.features import feature_network
    from likeness.recipes.captioning.random_state import kept_random_state

    with kept_random_state():
        torch.manual_seed(config.seed)
        return feature_network(name, config.backbone)


def finished_report(path: Path, config: CaptioningConfig, features: str) -> dict[str, Any] | None:
    """The report of a finished model.

    Raises:
        InputError: if a model of another config or other features is there.
    """
    place = CaptioningFolder(path)
    found = place.report()
    if found is not None and (place.config() != config or place.features()["name"] != features):
        raise InputError(f"The folder '{path}' holds a captioning model of another config or other features; choose another folder.")
    return found


def captioning_table(reports: Sequence[dict[str, Any]], part: str = "test") -> pd.DataFrame:
    """Table 1: a row for each model, its features and its stage (XE, RL), with scores on the images of "test" or "validation"."""
    rows = []
    for report in reports:
        for stage in (stage for stage in STAGES if stage in report):
            scores = report[stage][part]
            own = {"model": report["model"], "features": report["features"], "train": STAGES[stage]}
            rows.append(own | {title: scores[name] for name, title in COLUMNS.items()})
    return pd.DataFrame(rows, columns=["model", "features", "train", *COLUMNS.values()])


def _slug(name: str) -> str:
    """Of features as a folder's name; that of a run tells runs of the same name in other places apart."""
    if not name.startswith("run:"):
        return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")
    place = Path(name.removeprefix("run:")).expanduser().resolve()
    return f"run-{re.sub(r'[^a-z0-9.]+', '-', place.name.lower()).strip('-')}-{hashlib.sha256(str(place).encode()).hexdigest()[:6]}"
