"""A study: several variants of a config with several seeds; each cell is a run, so that a stopped study can be resumed."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import Field

from likeness.errors import InputError
from likeness.io import FrozenConfig, assets_dir, config_file, read_figures, yaml_content
from likeness.progress import Progress, report_progress
from likeness.shifts import ClassSplit, read_splits, shipped_splits
from likeness.training import RunConfig, RunFolder, config_from, read_config, with_changes

# a training step costs three forward passes: the gradients of activations and of weights take a product each (Kaplan et al. 2020, section 2.1)
_STEP = 3

FIGURES = (
    "recall_at_1",
    "map_at_1000",
    "nmi",
    "text_to_image_recall_at_1",
    "image_to_text_recall_at_1",
    "mean_label_distance_at_1",
    "mean_label_distance_at_10",
    "ndcg_at_10",
    "ndcg_at_100",
)


class StudyConfig(FrozenConfig):
    """A table of a paper, or a sweep.

    Attributes:
        name, note: title, also of the folder; description, with paper and table.
        base: a preset's name, or a config.
        seeds: seeds of each row; the table has their mean and standard deviation.
        rows: changes of the base by dotted keys, for each row's name.
        splits: a file of splits, or the name of a shipped one: every row is trained on each split, as in the ooDML benchmark. Rows without training
            (epochs 0) use only the first seed.
        splits_command: command that creates that file, if it does not ship.
        only: names of the splits to use; empty: all.
        sweep: values by dotted key that `likeness sweep` tries in every row, on held-out training images.
    """

    name: str = "study"
    note: str = ""
    base: str | dict[str, Any] = "shipped-cars-elg"
    seeds: tuple[int, ...] = Field(default=(0, 1, 2), min_length=1)
    rows: dict[str, dict[str, Any]] = Field(min_length=1)
    splits: str | None = None
    splits_command: str = ""
    only: tuple[str, ...] = ()
    sweep: dict[str, tuple[Any, ...]] = Field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """A run of a study: row, seed, split (if any), config and folder."""

    row: str
    seed: int
    config: RunConfig
    folder: Path
    split: ClassSplit | None = None


def studies() -> dict[str, Path]:
    return {path.stem: path for path in sorted((Path(__file__).parent / "presets").glob("*.yaml"))}


def read_study(file: Path | str) -> StudyConfig:
    """Reads a study from a YAML file, or a shipped one by name. InputError: there is none, or invalid keys or values."""
    shipped = studies()
    path = config_file(file, shipped, f"There is no study file or shipped study '{file}'; shipped ones are {', '.join(shipped)}.")
    return StudyConfig.checked(yaml_content(path), path.name)


def cells(study: StudyConfig, folder: Path, changes: dict[str, Any] | None = None, rows: Collection[str] | None = None) -> list[Cell]:
    """The runs of a study, by seed and split, so that every row has results early.

    `folder` contains the runs' folders. `changes` and `rows` are as in `rows_with`. InputError: invalid changes, two rows whose names give the same
    folder, or missing splits.
    """
    base, changed = _base(study), rows_with(study, changes or {}, rows)
    slugs = {row: _slug(row) for row in study.rows}
    if len(set(slugs.values())) < len(slugs):
        raise InputError(f"Two rows of {study.name} differ only in punctuation ({', '.join(study.rows)}); rename one.")
    found = []
    for seed in study.seeds:
        for split in study_splits(study):
            for row, own in ((row, own) for row, own in changed.items() if rows is None or row in rows):
                shift: dict[str, Any] = {"data.split": "file", "data.splits": resolve_splits(study), "data.shift": split.name} if split else {}
                config = with_changes(base, shift | own | {"name": row, "seed": seed})
                if seed == study.seeds[0] or config.epochs:
                    place = f"{slugs[row]}-{_slug(split.name)}-{seed}" if split else f"{slugs[row]}-{seed}"
                    found.append(Cell(row, seed, config, folder / place, split))
    return found


def rows_with(study: StudyConfig, changes: dict[str, Any], chosen: Collection[str] | None = None) -> dict[str, dict[str, Any]]:
    """The rows with further changes by dotted keys, of all or of chosen rows, such as another source, fewer epochs, another omega.

    Changes do not apply to rows without the changed part, such as guidance, and do not give epochs or an embedding layer to rows without training
    (epochs 0). InputError: changes of name or seed, which the study sets, or of a part that no row has.
    """
    for key in ("name", "seed"):
        if key in changes:
            reason = f"its seeds are {', '.join(map(str, study.seeds))}" if key == "seed" else "a run has its row's"
            raise InputError(f"{key} cannot be set for the runs of a study: {reason}; change the study's file.")
    configs = row_configs(study, chosen)
    own = {row: {key: value for key, value in changes.items() if _concerns(config, key)} for row, config in configs.items()}
    unused = [key for key in changes if not any(key in each for each in own.values())]
    if unused:
        raise InputError(f"No row of {study.name} has the part of '{unused[0]}'; remove it, or add it to a row in the study's file.")
    return {row: study.rows[row] | own.get(row, {}) for row in study.rows}


def row_configs(study: StudyConfig, rows: Collection[str] | None = None) -> dict[str, RunConfig]:
    """The configs of a study's rows, or of these, without name, seed and split. InputError: an invalid config."""
    base = _base(study)
    return {row: with_changes(base, own) for row, own in study.rows.items() if rows is None or row in rows}


def _base(study: StudyConfig) -> RunConfig:
    return read_config(study.base) if isinstance(study.base, str) else config_from(study.base, f"The base of {study.name}")


def _concerns(config: RunConfig, key: str) -> bool:
    """Whether a run has the part of the dotted key, and trains if the key is about training."""
    if not config.epochs and key in ("epochs", "backbone.dim"):
        return False
    place: Any = config.model_dump(mode="json")
    for step in key.split(".")[:-1]:
        place = place.get(step, {}) if isinstance(place, dict) else place  # unknown keys are reported by the config
    return place is not None


def study_splits(study: StudyConfig) -> list[ClassSplit | None]:
    """The splits of a study, from easy to hard; a single None if it has none. InputError: no such file, or no such split in it."""
    if study.splits is None:
        if study.only:
            raise InputError(f"{study.name} has the split '{study.only[0]}', but no file of splits; set splits.")
        return [None]
    if study.splits_command and study.splits not in shipped_splits() and not Path(study.splits).is_file():
        raise InputError(f"{study.name} needs the splits of '{study.splits}', but there is no such file; create it: {study.splits_command}")
    splits = read_splits(study.splits)
    chosen: list[ClassSplit] = [splits.named(name) for name in study.only] or list(splits)
    return [*sorted(chosen, key=lambda split: split.distance)]


def resolve_splits(study: StudyConfig) -> str | None:
    """The absolute path of its file of splits, or the name of a shipped one."""
    return str(Path(study.splits).resolve()) if study.splits and Path(study.splits).is_file() else study.splits


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def run_study(wanted: list[Cell], progress: Progress | None = None, should_stop: Callable[[], bool] | None = None) -> None:
    """Trains unfinished cells; failed ones are skipped, reported at the end, and tried again by the next call.

    Before each cell, `progress` is called with (cells done, cells, title of the next cell), and `should_stop` checked; if true, the rest is left for
    the next call. InputError: failed cells, with the first one's reason.
    """
    from likeness.training import train

    failed: list[tuple[Cell, InputError]] = []
    for number, cell in enumerate(wanted):
        if should_stop and should_stop():
            break
        report_progress(progress, number, len(wanted), cell_title(cell))
        if not finished(cell):
            try:
                train(cell.config, cell.folder)
            except InputError as error:
                failed.append((cell, error))
    if failed:
        raise InputError(_failures(failed, len(wanted)))


def _failures(failed: list[tuple[Cell, InputError]], total: int) -> str:
    if 1 < len(failed) == total and len({str(error) for _, error in failed}) == 1:
        return f"All {total} runs failed for the same reason: {failed[0][1]}"
    names = "; ".join(cell_title(cell) for cell, _ in failed)
    return f"{len(failed)} of {total} runs failed: {names}. The first one: {failed[0][1]}"


def cell_title(cell: Cell) -> str:
    """Title such as "ArcFace, swap 12, seed 0"."""
    return ", ".join([cell.row, *([cell.split.name] if cell.split else []), f"seed {cell.seed}"])


def finished(cell: Cell) -> bool:
    """Whether the cell's run is finished. InputError: the folder holds a run with another config."""
    run = RunFolder(cell.folder)
    if not (cell.folder / "config.yaml").is_file():
        return False
    if not run.config().same_run(cell.config):
        raise InputError(f"The folder '{cell.folder}' holds a run with another config; choose another folder for the study.")
    return run.status().state == "finished"


def study_notes(wanted: list[Cell]) -> list[str]:
    """Notes of a study's runs, each sentence once, with its rows."""
    found: dict[str, list[str]] = {}
    for cell in wanted:
        if finished(cell) and (note := RunFolder(cell.folder).status().message):
            found.setdefault(note, []).append(cell.row)
    return [f"{', '.join(dict.fromkeys(rows))}: {note}" for note, rows in found.items()]


def measured(wanted: list[Cell], which: str = "last") -> pd.DataFrame:
    """Metrics of the finished cells: row, seed, seconds and every metric, of the last or the best weights; with splits also `split`, `distance`."""
    found = []
    for cell in wanted:
        figures = (RunFolder(cell.folder).report() or {}) if finished(cell) else {}
        if which in figures:
            place: dict[str, Any] = {"split": cell.split.name, "distance": cell.split.distance} if cell.split else {}
            found.append({"row": cell.row, "seed": cell.seed} | place | {"seconds": figures["seconds"]} | figures[which])
    return pd.DataFrame(found)


def study_table(wanted: list[Cell], which: str = "last", figures: tuple[str, ...] = FIGURES) -> pd.DataFrame:
    """A row for each row of the study: runs, and mean and standard deviation of each metric over the seeds ("nmi", "nmi ±")."""
    return table_of(measured(wanted, which), figures, list(dict.fromkeys(cell.row for cell in wanted)))


def read_results(name: str, folder: Path | None = None) -> pd.DataFrame:
    """Shipped results of a study that takes too long for a notebook, a row per run, as from `measured` or `compare`.

    `folder` contains the CSV files; by default the shipped ones. InputError: no results of this name.
    """
    file = (folder or assets_dir() / "results") / f"{name}.csv"
    if not file.is_file():
        raise InputError(f"No results of a study '{name}' ship; train it: likeness study {name}.")
    found = read_figures(file, dtype={"refused": str})
    return found.fillna({"refused": ""}) if "refused" in found else found


def table_of(every: pd.DataFrame, figures: tuple[str, ...] = FIGURES, rows: list[str] | None = None) -> pd.DataFrame:
    """`study_table` from the metrics of single runs; `rows` also includes rows without runs."""
    lines = []
    for row in dict.fromkeys(every["row"]) if rows is None else rows:
        own = every[every["row"] == row] if len(every) else every
        line: dict[str, Any] = {"row": row, "runs": len(own)}
        for name in (figure for figure in figures if figure in own):
            line |= {name: float(own[name].mean()), f"{name} ±": float(own[name].std(ddof=1))}
        lines.append(line)
    return pd.DataFrame(lines)


def image_passes(rows: Iterable[RunConfig], splits: Iterable[ClassSplit], seeds: int, images: Mapping[str, int]) -> int:
    """Lower bound of the number of forward passes of images; training with an image counts as three.

    Runs on features or maps that are computed once share those of all images. Other runs count their epochs and one pass over the test images; small
    or settings-dependent costs are ignored. Methods without training (epochs 0) have one run on each split, not one per seed. `images` is the number
    in each class.
    """
    configs = list(rows)
    whole = [config for config in configs if not config.backbone.inputs]
    passes = sum(images.values()) if len(whole) < len(configs) else 0
    for split in splits:
        train, test = (sum(images[name] for name in side) for side in (split.train, split.test))
        for config in whole:
            size = config.batch.size
            trained = config.epochs * (config.epoch_steps or max(1, train // size)) * size
            passes += (seeds if config.epochs else 1) * (_STEP * trained + test)
    return passes
