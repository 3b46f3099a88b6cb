"""Section 4.6 of the log-ratio paper (Kim et al., CVPR 2019): captioning models on several sets of features, and its Table 1."""

import functools
import hashlib
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from experiments.captioning.captioned import Captioned, read_captioned
from experiments.captioning.config import CaptionDataConfig, CaptioningConfig, with_captioning_changes
from experiments.captioning.features import IMAGENET, RUN, FeatureNetwork, grid_features, seeded_network
from experiments.captioning.folder import CaptioningFolder
from experiments.captioning.metrics.cider import CiderD
from experiments.captioning.tokenizer import tokenize
from likeness.errors import InputError
from likeness.progress import Progress, no_progress

# Columns of Table 1 but SPICE, and what they are called here.
COLUMNS = {"bleu_4": "BLEU-4", "cider_d": "CIDEr-D", "meteor_like": "METEOR-like", "rouge_l": "ROUGE-L"}
STAGES = {"xe": "XE", "rl": "RL"}
_SEED = "{seed}"


class Cell(NamedTuple):
    """A model to train: its config, the name of its features, and its names in the table."""

    config: CaptioningConfig
    features: str
    title: str


Cells = dict[Path, Cell]


def captioning_cells(
    config: CaptioningConfig, features: Sequence[str], models: Sequence[str], folder: Path, seeds: Sequence[int] = (), control: bool = False
) -> Cells:
    """The models to train by folder, seed by seed, so that every row of the table has a result early.

    Args:
        config: of all.
        features: "imagenet", "run:FOLDER"; with a title for the table, "TITLE=run:FOLDER". Of runs of several seeds, "{seed}" in the folder's
            name stands for the seed of the model.
        models: kinds of decoder; none: the config's.
        folder: where the models' folders lie or will lie; those of the config's own seed are named by kind and features alone.
        seeds: of each model; none: the config's.
        control: also each model trained on captions of other images, `data.shuffled`.

    Raises:
        InputError: no features, some features, a title or a seed twice, an unknown kind, or a seed that is none.
    """
    named = [_titled(each) for each in features]
    if not named or any(len(set(part)) < len(named) for part in zip(*named, strict=True)):
        raise InputError(f"Pass each set of features once, such as imagenet and run:runs/NAME; got {', '.join(features) or 'none'}.")
    if len(set(seeds)) < len(seeds):
        raise InputError(f"Pass each seed once; got {', '.join(map(str, seeds))}.")
    kinds, shuffled = dict.fromkeys(models or [config.decoder.kind]), (False, True) if control else (config.data.shuffled,)
    cells = {}
    for seed, (title, template), kind, is_control in itertools.product(seeds or [config.seed], named, kinds, shuffled):
        own = with_captioning_changes(config, {"decoder.kind": kind, "data.shuffled": is_control, "seed": seed})
        name = template.replace(_SEED, str(seed))
        place = [kind, _slug(name)] + ["shuffled"] * is_control + [f"seed-{seed}"] * (seed != config.seed)
        cells[folder / "-".join(place)] = Cell(own, name, title + ", shuffled captions" * is_control)
    return cells


def _titled(features: str) -> tuple[str, str]:
    """Title and name of features; without a title, both are the name."""
    title, _, name = features.partition("=")
    return (title.strip(), name) if title.strip() and (name == IMAGENET or name.startswith(RUN)) else (features, features)


def compare_features(cells: Cells, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Trains unfinished models, and returns the reports of finished ones; a stop request leaves the rest.

    Args:
        cells: of `captioning_cells`.
        progress: called with (done, total, what is being done).

    Raises:
        InputError: as `read_captioned`, `grid_features` and `train_captioner`.
    """
    from experiments.captioning.train import Features, train_captioner

    progress = progress or no_progress
    waiting = {path: cell for path, cell in cells.items() if finished_report(path, *cell) is None}
    # a run that is missing is told before anything slow
    networks: dict[Path, FeatureNetwork] = {}
    known: dict[str, FeatureNetwork] = {}
    for path, (config, name, _) in waiting.items():
        network = seeded_network(name, config.backbone, config.seed)
        networks[path] = known.setdefault(network.identity, network)
    read = functools.cache(_captioned)
    for path, (config, name, title) in waiting.items():
        data, network, about = config.data, networks[path], f"{config.decoder.kind}, {title}, seed {config.seed}"

        def progress_of_cell(done: int, total: int, stage: str = "", about: str = about) -> None:
            progress(done, total, f"{about}: {stage}")

        captioned = read(data, config.seed)
        grid = grid_features(network, captioned.table, data.image_size, data.grid, progress_of_cell, config.device)
        train_captioner(config, captioned, Features(name, network.identity, grid), path, progress_of_cell)
    return [found for path, cell in cells.items() if (found := finished_report(path, *cell)) is not None]


def _captioned(data: CaptionDataConfig, seed: int) -> Captioned:
    return read_captioned(data.source, data.each, data.validation, data.test, seed, data.split, data.shuffled, data.path_column, data.caption_column)


def finished_report(path: Path, config: CaptioningConfig, features: str, title: str = "") -> dict[str, Any] | None:
    """The report of a finished model, with the title of its features for their name.

    Raises:
        InputError: if a model of another config or other features is there.
    """
    place = CaptioningFolder(path)
    found = place.report()
    if found is not None and (place.config() != config or place.features()["name"] != features):
        raise InputError(f"The folder '{path}' holds a captioning model of another config or other features; choose another folder.")
    return None if found is None else found | {"features": title or features, "seed": config.seed}


def captioning_runs(reports: Sequence[dict[str, Any]], part: str = "test") -> pd.DataFrame:
    """A line for each model and stage, as studies have one for each run: row (model, features and stage in words), model, features, stage, seed,
    step and the scores of the images of "test" or "validation", as `caption_scores` names them.
    """
    lines = []
    for report in reports:
        for stage, title in STAGES.items():
            if stage in report:
                about = {"model": report["model"], "features": report["features"], "stage": title, "seed": report["seed"]}
                about["step"] = report[stage]["step"]
                row = f"{about['model']}, {about['features']}, {title}"
                lines.append({"row": row} | about | {name: report[stage][part][name] for name in COLUMNS})
    return pd.DataFrame(lines)


def captioning_sentences(cells: Cells) -> pd.DataFrame:
    """Figure 8: what finished models say of the test images, a line for each: model, features, stage, seed, path, caption, and its CIDEr-D against
    the image's own captions, with document frequencies of these as in `caption_scores`.
    """
    lines = []
    for path, (config, _, title) in cells.items():
        for stage, shown in STAGES.items():
            said = CaptioningFolder(path).captions(stage)
            if said:
                scorer = CiderD([[tokenize(text) for text in one["references"]] for one in said])
                scores = scorer.scores([tokenize(one["caption"]) for one in said])
                about = {"model": config.decoder.kind, "features": title, "stage": shown, "seed": config.seed}
                lines += [about | {"path": one["path"], "caption": one["caption"], "cider_d": score} for one, score in zip(said, scores, strict=True)]
    return pd.DataFrame(lines, columns=["model", "features", "stage", "seed", "path", "caption", "cider_d"])


def captioning_table(reports: Sequence[dict[str, Any]], part: str = "test") -> pd.DataFrame:
    """Table 1: a row for each model, its features and its stage (XE, RL), with scores on the images of "test" or "validation".

    Where a row has reports of several seeds, its scores are their means, beside `runs` and standard deviations ("CIDEr-D", "CIDEr-D ±").
    """
    about = ["model", "features", "train"]
    rows = [
        {"model": report["model"], "features": report["features"], "train": title}
        | {column: report[stage][part][name] for name, column in COLUMNS.items()}
        for report in reports
        for stage, title in STAGES.items()
        if stage in report
    ]
    frame = pd.DataFrame(rows, columns=[*about, *COLUMNS.values()])
    groups = frame.groupby(about, sort=False)
    runs = groups.size()
    if len(runs) == len(frame):
        return frame
    scores = {title: values for name in COLUMNS.values() for title, values in ((name, groups[name].mean()), (f"{name} ±", groups[name].std()))}
    return pd.DataFrame({"runs": runs} | scores).reset_index()


def _slug(name: str) -> str:
    """Name of features for a folder; distinguishes runs with the same name in other places."""
    if not name.startswith(RUN):
        return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")
    place = Path(name.removeprefix(RUN)).expanduser().resolve()
    return f"run-{re.sub(r'[^a-z0-9.]+', '-', place.name.lower()).strip('-')}-{hashlib.sha256(str(place).encode()).hexdigest()[:6]}"
