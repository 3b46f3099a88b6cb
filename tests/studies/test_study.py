"""Studies: rows times seeds as runs of their own, gone on with where they were stopped, and their table."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import ttest_rel

from likeness.errors import InputError
from likeness.studies import paired_differences, study as module
from likeness.studies.study import Cell, StudyConfig, cells, measured, read_study, run_study, study_table
from likeness.training.runs.run_folder import RunFolder


@pytest.fixture
def study(content: dict[str, Any]) -> StudyConfig:
    base = content | {"epochs": 1}
    return StudyConfig(name="two", base=base, seeds=(0, 1), rows={"Margin": {}, "Contrastive": {"objective.name": "contrastive"}})


def _stamp(cell: Cell) -> int:
    return (cell.folder / "report.json").stat().st_mtime_ns


def test_every_row_has_a_run_of_every_seed_the_first_seed_first(study: StudyConfig, tmp_path: Path) -> None:
    found = cells(study, tmp_path, {"epochs": 2})
    assert [(cell.row, cell.seed) for cell in found] == [("Margin", 0), ("Contrastive", 0), ("Margin", 1), ("Contrastive", 1)]
    assert [cell.config.objective.name for cell in found] == ["margin", "contrastive"] * 2
    assert {cell.config.epochs for cell in found} == {2}
    assert [(cell.config.name, cell.config.seed, cell.folder.name) for cell in found[:3]] == [
        ("Margin", 0, "margin-0"),
        ("Contrastive", 0, "contrastive-0"),
        ("Margin", 1, "margin-1"),
    ]


def test_a_change_leaves_rows_alone_that_do_not_have_what_it_is_of(study: StudyConfig, tmp_path: Path) -> None:
    rows = {"Alone": {}, "Guided": {"guidance": {"language": "minilm"}}, "S2SD": {"objective.s2sd": {}}, "Raw": {"epochs": 0, "backbone.dim": None}}
    changes = {"guidance.omega": 3.0, "objective.s2sd.feature_weight": 7.0, "epochs": 2, "backbone.dim": 16, "data.image_size": 32}
    found = {cell.row: cell.config for cell in cells(study.model_copy(update={"rows": rows}), tmp_path, changes) if cell.seed == 0}
    assert {row: config.guidance and config.guidance.omega for row, config in found.items()} == {
        "Alone": None,
        "Guided": 3.0,
        "S2SD": None,
        "Raw": None,
    }
    assert {row for row, config in found.items() if config.objective.s2sd} == {"S2SD"}
    assert found["S2SD"].objective.s2sd == {"feature_weight": 7.0}
    assert {row: (config.epochs, config.backbone.dim) for row, config in found.items()} == {
        **dict.fromkeys(("Alone", "Guided", "S2SD"), (2, 16)),
        "Raw": (0, None),
    }
    assert {config.data.image_size for config in found.values()} == {32}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 3}, "seed can't be set for the runs of a study: its seeds are 0, 1; change the study's file"),
        ({"name": "mine"}, "name can't be set for the runs of a study: a run has its row's"),
        ({"guidance.omega": 3.0}, "No row of two has what 'guidance.omega' is a part of"),
        ({"objective.names": "margin"}, "there is no key 'objective.names'"),
        ({"objectives.name": "margin"}, "there is no key 'objectives'"),
    ],
)
def test_changes_that_do_not_fit_a_study_are_refused(study: StudyConfig, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cells(study, tmp_path, changes)


def test_a_second_call_repeats_nothing_and_goes_on_with_what_is_missing(study: StudyConfig, tmp_path: Path) -> None:
    wanted = cells(study, tmp_path)
    run_study(wanted[:2])
    before = [_stamp(cell) for cell in wanted[:2]]
    told: list[tuple[int, int, str]] = []
    run_study(wanted, lambda *each: told.append(each))
    assert [_stamp(cell) for cell in wanted[:2]] == before
    assert [RunFolder(cell.folder).status().state for cell in wanted] == ["finished"] * 4
    assert told[0] == (0, 4, "Margin, seed 0")
    assert told[-1] == (3, 4, "Contrastive, seed 1")


def test_the_table_has_mean_and_deviation_over_the_seeds(study: StudyConfig, tmp_path: Path) -> None:
    wanted = cells(study, tmp_path)
    run_study(wanted[:3])
    every, table = measured(wanted), study_table(wanted).set_index("row")
    margin = [RunFolder(cell.folder).report()["last"]["nmi"] for cell in (wanted[0], wanted[2])]  # type: ignore[index]
    assert every.loc[every["row"] == "Margin", "nmi"].tolist() == margin
    assert table.loc["Margin", "nmi"] == pytest.approx(np.mean(margin), abs=1e-12)
    assert table.loc["Margin", "nmi ±"] == pytest.approx(np.std(margin, ddof=1), abs=1e-12)
    assert table["runs"].tolist() == [2, 1]
    assert np.isnan(table.loc["Contrastive", "nmi ±"])


def test_nothing_finished_is_a_table_without_figures(study: StudyConfig, tmp_path: Path) -> None:
    assert study_table(cells(study, tmp_path)).to_dict("records") == [{"row": "Margin", "runs": 0}, {"row": "Contrastive", "runs": 0}]


def test_a_run_that_fails_does_not_keep_the_others_from_training(study: StudyConfig, tmp_path: Path) -> None:
    broken = study.model_copy(update={"rows": {"Broken": {"data.attribute": "nothing"}, "Margin": {}}, "seeds": (0,)})
    wanted = cells(broken, tmp_path)
    with pytest.raises(InputError, match=r"1 of 2 runs failed: Broken, seed 0\. The first one.*has no attribute 'nothing'"):
        run_study(wanted)
    assert RunFolder(wanted[1].folder).status().state == "finished"


def test_runs_that_all_fail_for_one_reason_are_told_of_in_one_sentence(study: StudyConfig, tmp_path: Path) -> None:
    wanted = cells(study.model_copy(update={"seeds": (0, 1)}), tmp_path, {"backbone.weights": "nowhere.safetensors"})
    with pytest.raises(InputError, match=r"^All 4 runs failed for the same reason: The weights 'nowhere\.safetensors' of '.*' are not there"):
        run_study(wanted)


def test_an_interruption_ends_the_study_and_keeps_what_is_done(study: StudyConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness import training

    train, calls = training.train, []

    def interrupted(config: Any, folder: Path, *rest: Any) -> RunFolder:
        calls.append(folder)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return train(config, folder, *rest)

    wanted = cells(study, tmp_path)
    monkeypatch.setattr(training, "train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_study(wanted)
    assert [module.finished(cell) for cell in wanted] == [True, False, False, False]


def test_a_folder_with_other_runs_is_refused(study: StudyConfig, tmp_path: Path) -> None:
    run_study(cells(study, tmp_path)[:1])
    with pytest.raises(InputError, match="another config"):
        study_table(cells(study, tmp_path, {"epochs": 2}))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("rows: {}", "rows"),
        ("seeds: []\nrows: {A: {}}", "seeds"),
        ("nonsense: 1\nrows: {A: {}}", "there is no key 'nonsense'"),
        ("rows: [", "no YAML"),
        ("just a text", "does not fit"),
    ],
)
def test_a_study_that_does_not_fit_is_one_sentence(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "mine.yaml").write_text(content)
    with pytest.raises(InputError, match=told):
        read_study(tmp_path / "mine.yaml")


def test_an_unknown_study_names_those_that_ship() -> None:
    with pytest.raises(InputError, match="shipped-cars"):
        read_study("nothing-of-that-name")


def test_rows_that_would_share_a_folder_are_refused(content: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="other names"):
        cells(StudyConfig(base=content, rows={"+ELG": {}, "ELG": {}}), tmp_path)


def test_a_study_file_reads_back(study: StudyConfig, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(study.model_dump(mode="json")))
    assert read_study(tmp_path / "mine.yaml") == study


BASE = {("a", 0): 0.5, ("a", 1): 0.6, ("b", 0): 0.3, ("b", 1): 0.35}
MORE = {("b", 1): 0.36, ("a", 0): 0.53, ("a", 1): 0.61, ("b", 0): 0.29}
RUNS = pd.DataFrame(
    [
        *({"row": "base", "split": split, "seed": seed, "step": 9, "nmi": value} for (split, seed), value in BASE.items()),
        *({"row": "more", "split": split, "seed": seed, "step": 9, "nmi": value} for (split, seed), value in MORE.items()),
        {"row": "raw", "split": "a", "seed": 0, "step": 0, "nmi": 0.4},
        {"row": "raw", "split": "b", "seed": 0, "step": 0, "nmi": 0.2},
        {"row": "begun", "split": "b", "seed": 1, "step": 9, "nmi": 0.4},
    ]
)


def test_pairs_have_the_same_seed_and_split() -> None:
    found = paired_differences(RUNS, "base").set_index("row")
    base, more = np.array([0.5, 0.6, 0.3, 0.35]), np.array([0.53, 0.61, 0.29, 0.36])
    assert found.loc["more", "nmi"] == pytest.approx((more - base).mean())
    t = ttest_rel(more, base)
    assert found.loc["more", "nmi"] / found.loc["more", "nmi ±"] == pytest.approx(t.statistic)
    assert found.loc["more", ["pairs", "nmi ahead"]].tolist() == [4, 3]


def test_what_does_not_train_stands_beside_every_seed() -> None:
    found = paired_differences(RUNS, "base").set_index("row")
    assert found["pairs"].to_dict() == {"more": 4, "raw": 4, "begun": 1}
    assert found.loc["raw", "nmi"] == pytest.approx(np.mean([0.4 - 0.5, 0.4 - 0.6, 0.2 - 0.3, 0.2 - 0.35]))
    assert "recall_at_1" not in found


def test_one_pair_has_no_error_and_a_row_without_runs_is_refused() -> None:
    without_splits = pd.DataFrame({"row": ["a", "b"], "seed": [0, 0], "step": [1, 1], "nmi": [0.1, 0.4]})
    line = paired_differences(without_splits, "a").iloc[0]
    assert line["nmi"] == pytest.approx(0.3)
    assert np.isnan(line["nmi ±"])
    with pytest.raises(InputError, match="No run of 'c' is finished, so nothing can be compared with it; finished are runs of a, b"):
        paired_differences(without_splits, "c")
    with pytest.raises(InputError, match="finished are runs of none"):
        paired_differences(pd.DataFrame(), "c")
