from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import ttest_rel

from likeness.errors import InputError
from likeness.shifts import ClassSplit
from likeness.studies import image_passes, paired_differences, study as module
from likeness.studies.study import Cell, StudyConfig, cells, measured, read_study, run_study, study_table
from likeness.training import RunConfig, config_from
from likeness.training.runs.run_folder import RunFolder


@pytest.fixture
def study(content: dict[str, Any]) -> StudyConfig:
    base = content | {"epochs": 1}
    return StudyConfig(name="two", base=base, seeds=(0, 1), rows={"Margin": {}, "Contrastive": {"objective.name": "contrastive"}})


def _stamp(cell: Cell) -> int:
    return (cell.folder / "report.json").stat().st_mtime_ns


def test_every_row_has_a_run_of_every_seed_and_a_change_leaves_rows_alone_that_do_not_have_what_it_is_of(study: StudyConfig, tmp_path: Path) -> None:
    found = cells(study, tmp_path, {"epochs": 2})
    assert [(cell.row, cell.config.name, cell.seed, cell.config.seed, cell.folder.name, cell.config.objective.name) for cell in found] == [
        (name, name, seed, seed, f"{name.lower()}-{seed}", name.lower()) for seed in (0, 1) for name in ("Margin", "Contrastive")
    ]
    assert {cell.config.epochs for cell in found} == {2}

    rows = {"Alone": {}, "Guided": {"guidance": {"language": "minilm"}}, "S2SD": {"objective.s2sd": {}}, "Raw": {"epochs": 0, "backbone.dim": None}}
    changes = {"guidance.omega": 3.0, "objective.s2sd.feature_weight": 7.0, "epochs": 2, "backbone.dim": 16, "data.image_size": 32}
    made = {cell.row: cell.config for cell in cells(study.model_copy(update={"rows": rows}), tmp_path, changes) if cell.seed == 0}
    assert {row: config.guidance.omega for row, config in made.items() if config.guidance} == {"Guided": 3.0}
    assert {row: config.objective.s2sd for row, config in made.items() if config.objective.s2sd} == {"S2SD": {"feature_weight": 7.0}}
    trained = dict.fromkeys(("Alone", "Guided", "S2SD"), (2, 16))
    assert {row: (config.epochs, config.backbone.dim) for row, config in made.items()} == trained | {"Raw": (0, None)}
    assert {config.data.image_size for config in made.values()} == {32}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 3}, "seed cannot be set for the runs of a study: its seeds are 0, 1; change the study's file"),
        ({"name": "mine"}, "name cannot be set for the runs of a study: a run has its row's"),
        ({"guidance.omega": 3.0}, "No row of two has the part of 'guidance.omega'"),
        ({"objective.names": "margin"}, "there is no key 'objective.names'"),
        ({"objectives.name": "margin"}, "there is no key 'objectives'"),
    ],
)
def test_changes_that_do_not_fit_a_study_are_refused(study: StudyConfig, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cells(study, tmp_path, changes)


def test_a_second_call_goes_on_with_what_is_missing_and_the_table_has_mean_and_deviation_over_the_seeds(study: StudyConfig, tmp_path: Path) -> None:
    wanted = cells(study, tmp_path)
    assert study_table(wanted).to_dict("records") == [{"row": "Margin", "runs": 0}, {"row": "Contrastive", "runs": 0}]
    run_study(wanted[:3])
    every, table = measured(wanted), study_table(wanted).set_index("row")
    margin = [RunFolder(cell.folder).report()["last"]["nmi"] for cell in (wanted[0], wanted[2])]  # type: ignore[index]
    assert every.loc[every["row"] == "Margin", "nmi"].tolist() == margin
    assert table.loc["Margin", ["nmi", "nmi ±"]].tolist() == pytest.approx([np.mean(margin), np.std(margin, ddof=1)], abs=1e-12)
    assert table["runs"].tolist() == [2, 1]
    assert np.isnan(table.loc["Contrastive", "nmi ±"])

    before = [_stamp(cell) for cell in wanted[:3]]
    told: list[tuple[int, int, str]] = []
    run_study(wanted, lambda *each: told.append(each))
    assert [_stamp(cell) for cell in wanted[:3]] == before
    assert [RunFolder(cell.folder).status().state for cell in wanted] == ["finished"] * 4
    assert (told[0], told[-1]) == ((0, 4, "Margin, seed 0"), (3, 4, "Contrastive, seed 1"))
    with pytest.raises(InputError, match="another config"):
        study_table(cells(study, tmp_path, {"epochs": 2}))


def test_a_run_that_fails_does_not_keep_the_others_from_training_but_an_interruption_does(
    study: StudyConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = cells(study.model_copy(update={"rows": {"Broken": {"data.attribute": "nothing"}, "Margin": {}}, "seeds": (0,)}), tmp_path)
    with pytest.raises(InputError, match=r"1 of 2 runs failed: Broken, seed 0\. The first one.*has no attribute 'nothing'"):
        run_study(wanted)
    assert [module.finished(cell) for cell in wanted] == [False, True]
    absent = cells(study, tmp_path / "absent", {"backbone.weights": "nowhere.safetensors"})
    with pytest.raises(InputError, match=r"^All 4 runs failed for the same reason: The weights 'nowhere\.safetensors' of '.*' do not exist"):
        run_study(absent)

    monkeypatch.setattr("likeness.training.train", MagicMock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        run_study(absent)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("rows: {}", "rows"),
        ("seeds: []\nrows: {A: {}}", "seeds"),
        ("nonsense: 1\nrows: {A: {}}", "there is no key 'nonsense'"),
        ("rows: [", "not valid YAML"),
        ("just a text", "does not fit"),
        ("rows: {+ELG: {}, ELG: {}}", "rename one"),
        ("", "shipped-cars"),
    ],
)
def test_a_study_that_does_not_fit_is_one_sentence(tmp_path: Path, content: str, told: str) -> None:
    if content:
        (tmp_path / "mine.yaml").write_text(content)
    with pytest.raises(InputError, match=told):
        cells(read_study(tmp_path / "mine.yaml"), tmp_path)


def test_a_study_file_reads_back(study: StudyConfig, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(study.model_dump(mode="json")))
    assert read_study(tmp_path / "mine.yaml") == study


BASE = {("a", 0): 0.5, ("a", 1): 0.6, ("b", 0): 0.3, ("b", 1): 0.35}
MORE = {("b", 1): 0.36, ("a", 0): 0.53, ("a", 1): 0.61, ("b", 0): 0.29}
RUNS = pd.DataFrame(
    [(row, split, seed, 9, value) for row, found in (("base", BASE), ("more", MORE)) for (split, seed), value in found.items()]
    + [("raw", "a", 0, 0, 0.4), ("raw", "b", 0, 0, 0.2), ("begun", "b", 1, 9, 0.4)],
    columns=["row", "split", "seed", "step", "nmi"],
)


def test_pairs_have_the_same_seed_and_split_and_what_does_not_train_stands_beside_every_seed() -> None:
    found = paired_differences(RUNS, "base").set_index("row")
    base, more = np.array([0.5, 0.6, 0.3, 0.35]), np.array([0.53, 0.61, 0.29, 0.36])
    assert found.loc["more", "nmi"] == pytest.approx((more - base).mean())
    assert found.loc["more", "nmi"] / found.loc["more", "nmi ±"] == pytest.approx(ttest_rel(more, base).statistic)
    assert found.loc["more", "nmi ahead"] == 3
    assert found["pairs"].to_dict() == {"more": 4, "raw": 4, "begun": 1}
    assert found.loc["raw", "nmi"] == pytest.approx(np.mean(np.array([0.4, 0.4, 0.2, 0.2]) - base))
    assert "recall_at_1" not in found
    # one pair has no error, and a row without runs is refused
    without_splits = pd.DataFrame({"row": ["a", "b"], "seed": [0, 0], "step": [1, 1], "nmi": [0.1, 0.4]})
    line = paired_differences(without_splits, "a").iloc[0]
    assert (line["nmi"], np.isnan(line["nmi ±"])) == (pytest.approx(0.3), True)
    for runs, finished in ((without_splits, "a, b"), (pd.DataFrame(), "none")):
        with pytest.raises(InputError, match=f"No run of 'c' is finished, so nothing can be compared with it; finished are runs of {finished}"):
            paired_differences(runs, "c")


IMAGES = {"a": 10, "b": 20, "c": 5, "d": 7}
SPLITS = [
    ClassSplit(name="start", distance=0.1, train=("a", "b"), test=("c", "d")),
    ClassSplit(name="far", distance=0.2, train=("a", "c"), test=("b", "d")),
]


def _config(epochs: int, **backbone: Any) -> RunConfig:
    return config_from({"backbone": backbone, "batch": {"size": 8, "per_class": 2}, "epochs": epochs})


def test_passes_of_a_case_by_hand_and_how_they_add_up() -> None:
    # 30 images are three steps of 8, 15 are one
    trained = 2 * ((3 * 4 * 24 + 12) + (3 * 4 * 8 + 27))
    assert image_passes([_config(4), _config(0)], SPLITS, 2, IMAGES) == trained + 12 + 27
    heads = [_config(4, head_only=True), _config(9, train_from="layer4")]  # features and maps of one pass
    assert image_passes(heads, SPLITS, 2, IMAGES) == image_passes(heads[:1], SPLITS, 7, IMAGES) == 42
    rows = [_config(3), _config(5)]
    assert image_passes(rows, SPLITS, 3, IMAGES) == 3 * sum(image_passes([row], [split], 1, IMAGES) for row in rows for split in SPLITS)
    assert image_passes([], SPLITS, 3, IMAGES) == 0
