"""Settings of a study's rows, such as the learning rate of each loss, chosen on held-out training images, so that no test image has a say."""

from collections.abc import Collection
from itertools import product
from typing import Any

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import find_metric
from likeness.studies.study import StudyConfig, row_configs, study_splits

HELD_OUT = 0.15


def sweep_of(study: StudyConfig, rows: Collection[str] | None = None) -> StudyConfig:
    """The study that tries every combination of the values under `study.sweep` in each row that trains, or in these rows, with its first seed.

    A part of the training classes, or images, is held out and judges (`data.validation`; 0.15 where the study has none). Of a study on several
    splits the first one trains, the easiest. InputError: a study without `sweep`.
    """
    if not study.sweep:
        raise InputError(f"{study.name} names no values to try; write into its file, say, sweep: {{optimizer.rate: [0.0003, 0.001, 0.003]}}.")
    found: dict[str, dict[str, Any]] = {}
    for row, config in row_configs(study, rows).items():
        if config.epochs:
            held = {} if config.data.validation else {"data.validation": HELD_OUT}
            found |= {_title(row, settings): study.rows[row] | settings | held for settings in _combinations(study)}
    first = {"only": (split.name,)} if (split := study_splits(study)[0]) else {}
    return study.model_copy(update={"name": f"{study.name}-sweep", "rows": found, "seeds": study.seeds[:1], "sweep": {}, **first})


def sweep_table(study: StudyConfig, every: pd.DataFrame) -> pd.DataFrame:
    """What came out of a sweep of this study, from a line per run, as `likeness.studies.measured` gives them: for each row that trains the values
    that were tried, their figure, and which are the best.

    Returns:
        row, a column for each setting, `figure` (R@1, or with continuous labels the mean label distance of ten images, of what was held out),
        `best`, and `edge`: the best value is the smallest or the largest that was tried, so that there may be a better one beyond.
    """
    lines = []
    for row, config in row_configs(study).items():
        judge = find_metric(config.selection_metric)
        figure = f"validation_{judge.name}"
        figures = every.set_index("row")[figure] if figure in every else pd.Series(dtype=float)
        tried = [settings for settings in _combinations(study) if config.epochs and _title(row, settings) in figures.index]
        if not tried:
            continue
        best = (min if judge.larger_is_better is False else max)(tried, key=lambda settings: figures[_title(row, settings)])
        for settings in tried:
            edge = any(len(values) > 1 and settings[key] in (min(values), max(values)) for key, values in study.sweep.items() if _ordered(values))
            lines.append({"row": row} | settings | {"figure": float(figures[_title(row, settings)]), "best": settings == best, "edge": edge})
    return pd.DataFrame(lines, columns=["row", *study.sweep, "figure", "best", "edge"])


def _combinations(study: StudyConfig) -> list[dict[str, Any]]:
    return [dict(zip(study.sweep, values, strict=True)) for values in product(*study.sweep.values())]


def _ordered(values: tuple[Any, ...]) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _title(row: str, settings: dict[str, Any]) -> str:
    return ", ".join([row, *(f"{key.rpartition('.')[2]} {value}" for key, value in settings.items())])
