from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.studies import StudyConfig, cells, measured, sweep_of, sweep_table
from likeness.studies.study import run_study

ROWS = {"Raw": {"epochs": 0, "backbone.dim": None}, "Margin": {}, "Contrastive": {"objective.name": "contrastive", "data.validation": 2}}


@pytest.fixture
def study(content: dict[str, Any]) -> StudyConfig:
    return StudyConfig(name="two", base=content | {"epochs": 1}, seeds=(3, 4), rows=ROWS, sweep={"optimizer.rate": (0.001, 0.01, 0.1)})


def test_each_row_that_trains_is_tried_with_each_value_on_held_out_classes(study: StudyConfig, tmp_path: Path) -> None:
    swept = sweep_of(study)
    assert swept.name == "two-sweep"
    found = cells(swept, tmp_path)
    assert {cell.seed for cell in found} == {3}
    assert [(cell.row, cell.config.optimizer.rate, cell.config.data.validation) for cell in found] == [
        (f"{row}, rate {rate}", rate, held) for row, held in (("Margin", 0.15), ("Contrastive", 2)) for rate in (0.001, 0.01, 0.1)
    ]
    assert len(sweep_of(study, ["Margin"]).rows) == 3
    both = study.model_copy(update={"sweep": {"optimizer.rate": (0.001, 0.01), "objective.options": ({"margin": 0.1}, {"margin": 0.3})}})
    assert [name for name in sweep_of(both).rows if name.startswith("Margin")] == [
        f"Margin, rate {rate}, options {{'margin': {margin}}}" for rate in (0.001, 0.01) for margin in (0.1, 0.3)
    ]
    with pytest.raises(InputError, match="has no values to try"):
        sweep_of(study.model_copy(update={"sweep": {}}))


def test_the_best_is_that_of_the_held_out_figure_and_not_of_the_test_classes(study: StudyConfig) -> None:
    rows = [f"{row}, rate {rate}" for row in ("Margin", "Contrastive") for rate in (0.001, 0.01, 0.1)]
    figures = {"recall_at_1": [0.9, 0.1, 0.2, 0.1, 0.2, 0.3], "validation_recall_at_1": [0.1, 0.5, 0.4, 0.3, 0.2, 0.1]}
    every = pd.DataFrame({"row": rows} | figures)
    table = sweep_table(study, every)
    best = table[table["best"]].set_index("row")
    assert best["optimizer.rate"].to_dict() == {"Margin": 0.01, "Contrastive": 0.001}
    assert best["edge"].to_dict() == {"Margin": False, "Contrastive": True}
    assert best["figure"].to_dict() == {"Margin": 0.5, "Contrastive": 0.3}
    assert not len(sweep_table(study, every.iloc[:0]))

    data = study.base["data"] | {"split": "images", "labels": {"kind": "numbers", "columns": ["x"]}}
    base = study.base | {"data": data, "objective": {"name": "log-ratio"}, "batch": {"size": 12, "nearest": 2, "drawn": 2}}
    apart = study.model_copy(update={"base": base, "rows": {"Log-ratio": {}}})
    rows = [f"Log-ratio, rate {rate}" for rate in (0.001, 0.01, 0.1)]
    table = sweep_table(apart, pd.DataFrame({"row": rows, "validation_mean_label_distance_at_10": [9.0, 7.0, 8.0]}))
    assert table[table["best"]]["optimizer.rate"].tolist() == [0.01]  # the smallest distance


def test_a_sweep_runs_and_is_told(study: StudyConfig, tmp_path: Path) -> None:
    row = {"data.validation": 2, "data.train_classes": 0.7, "batch.size": 4}
    few = study.model_copy(update={"sweep": {"optimizer.rate": (0.001, 0.01)}, "rows": {"Margin": row}})
    found = cells(sweep_of(few), tmp_path)
    run_study(found)
    table = sweep_table(few, measured(found))
    assert (table["best"].sum(), table["edge"].tolist()) == (1, [True, True])
