"""Tuning of the settings of a study's rows, such as learning rates of losses, on held-out training images, never on test images."""

from collections.abc import Collection
from itertools import product
from typing import Any

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import find_metric
from likeness.studies.study import StudyConfig, row_configs, study_splits

HELD_OUT = 0.15


def sweep_of(study: StudyConfig, rows: Collection[str] | None = None) -> StudyConfig:
    """The study with every combination of the values under `study.sweep` for each trained row, or these rows, with its first seed.

    Evaluated on held-out training classes, or images (`data.validation`; 0.15 if the study has none). With several splits, uses the first, easiest
    one. InputError: a study without `sweep`.
    """
    if not study.sweep:
        raise InputError(f"{study.name} has no values to try; add to its file, for example, sweep: {{optimizer.rate: [0.0003, 0.001, 0.003]}}.")
    found: dict[str, dict[str, Any]] = {}
    for row, config in row_configs(study, rows).items():
        if config.epochs:
            held = {} if config.data.validation else {"data.validation": HELD_OUT}
            found |= {_title(row, settings): study.rows[row] | settings | held for settings in _combinations(study)}
    first = {"only": (split.name,)} if (split := study_splits(study)[0]) else {}
    return study.model_copy(update={"name": f"{study.name}-sweep", "rows": found, "seeds": study.seeds[:1], "sweep": {}, **first})


def sweep_table(study: StudyConfig, every: pd.DataFrame) -> pd.DataFrame:
    """Results of a sweep of this study, from a row per run, as from `likeness.studies.measured`: the tried values of each trained row, their score,
    and which are best.

    Returns:
        row, a column for each setting, `figure` (R@1, or with continuous labels the mean label distance at 10, on held-out images), `best`, and
        `edge`: the best value is the smallest or largest tried one, so there may be a better one beyond.
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
