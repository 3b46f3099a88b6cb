import os
import signal
import time
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from likeness.errors import InputError
from likeness.evaluation import by_split, few_shot_gains, generalization_scores
from likeness.shifts import splits_from, write_splits
from likeness.studies.study import StudyConfig, cells, finished, measured, run_study
from likeness.studies.study_folder import StudyFolder, list_studies
from likeness.training.runs.run_folder import RunFolder

_WAIT = 600


@pytest.fixture
def study(content: dict[str, Any], tmp_path: Path) -> StudyConfig:
    """Two trained methods and the raw network, two splits, two seeds: ten runs of a second."""
    names = [f"class {number}" for number in range(6)]
    found = [
        {"name": "start", "distance": 1.0, "train": names[:3], "test": names[3:]},
        {"name": "swap 1", "distance": 2.0, "train": [names[0], names[1], names[5]], "test": [names[3], names[4], names[2]]},
    ]
    write_splits(tmp_path / "splits.json", splits_from({"version": 1, "dataset": "photos", "splits": found}))
    few_shot = {"shots": [2], "episodes": 2, "steps": 2}
    base = content | {"epochs": 2, "structure": True, "matched_classes": 2, "few_shot": few_shot}
    base["backbone"] = content["backbone"] | {"head_only": True}
    rows = {"Margin": {}, "ArcFace": {"objective.name": "arcface"}, "Raw": {"epochs": 0, "backbone.dim": None, "few_shot": None}}
    return StudyConfig(name="shifts", base=base, seeds=(0, 1), rows=rows, splits=str(tmp_path / "splits.json"))


def _stamps(folder: StudyFolder) -> dict[str, int]:
    return {str(file.parent.name): file.stat().st_mtime_ns for file in folder.path.glob("*/report.json")}


def test_every_method_on_every_split_from_easy_to_hard(study: StudyConfig, tmp_path: Path) -> None:
    found = cells(study, tmp_path)
    first, second = ([(row, split, seed) for split in ("start", "swap 1") for row in study.rows] for seed in study.seeds)
    trained = [each for each in second if each[0] != "Raw"]  # the raw network does not depend on the seed
    assert [(cell.row, cell.split and cell.split.name, cell.seed) for cell in found] == first + trained
    assert {cell.config.data.shift for cell in found} == {"start", "swap 1"}
    assert found[0].folder.name == "margin-start-0"
    only = study.model_copy(update={"only": ("swap 1",)})
    assert {cell.config.data.shift for cell in cells(only, tmp_path)} == {"swap 1"}
    for changes, message in (({"only": ("end",)}, "no split 'end'"), ({"only": ("swap 1",), "splits": None}, "but no file of splits")):
        with pytest.raises(InputError, match=message):
            cells(study.model_copy(update=changes), tmp_path)
    with pytest.raises(InputError, match="R@1 among 4 classes needs as many test classes, but there are 3"):
        run_study(cells(study, tmp_path / "few", {"matched_classes": 4})[:1])


def test_figures_of_all_runs(study: StudyConfig, tmp_path: Path) -> None:
    folder = StudyFolder(tmp_path / "runs" / "shifts")
    folder.create(study)
    folder.run()
    assert folder.standing().state == "finished"
    every = measured(folder.cells())
    assert (len(every), set(every["distance"])) == (10, {1.0, 2.0})
    names = ["recall_at_1", "map_at_1000", "matched_recall_at_1", "structure_inter", "structure_spectral_decay"]
    assert every[names].notna().all(axis=None)
    assert every["few_shot_2"].between(0, 1).tolist() == (every["row"] != "Raw").tolist()
    assert len(by_split(every)) == 6
    assert set(generalization_scores(every)["row"]) == {"Margin", "ArcFace", "Raw"}
    assert len(few_shot_gains(every)) == 4
    assert [each.path for each in list_studies(tmp_path / "runs")] == [folder.path]


@pytest.mark.long
def test_killed_half_way_it_goes_on_without_repeating_what_is_finished(study: StudyConfig, tmp_path: Path) -> None:
    folder = StudyFolder(tmp_path / "killed")
    folder.create(study)
    pid = folder.begin()
    with pytest.raises(InputError, match="is running; stop it first"):
        folder.begin()
    end = time.monotonic() + _WAIT
    while len(_stamps(folder)) < 4 and time.monotonic() < end:
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    while folder.standing().state == "running" and time.monotonic() < end:
        time.sleep(0.01)
    status = folder.standing()
    assert (status.state, status.total) == ("lost", 10)
    assert 3 <= status.done < 10  # the last report may be there while its run does not count as finished yet
    done = {cell.folder.name for cell in folder.cells() if finished(cell)}
    before = {name: stamp for name, stamp in _stamps(folder).items() if name in done}

    folder.begin()
    while folder.standing().state == "running" and time.monotonic() < end + _WAIT:
        time.sleep(0.05)
    assert folder.standing().state == "finished", folder.standing()
    assert {name: stamp for name, stamp in _stamps(folder).items() if name in before} == before
    undisturbed = [cell for cell in cells(study, tmp_path / "whole") if cell.seed == 0]
    run_study(undisturbed)
    figures = [name for name in measured(undisturbed).columns if name != "seconds"]
    resumed = measured(folder.cells())[figures]
    assert resumed[resumed["seed"] == 0].reset_index(drop=True).equals(measured(undisturbed)[figures])


def test_a_stop_is_heard_and_the_rest_is_left(study: StudyConfig, tmp_path: Path) -> None:
    folder = StudyFolder(tmp_path / "stopped")
    folder.create(study)
    folder.run(progress=lambda done, total, stage="": folder.request_stop() if done == 2 else None)
    assert (folder.standing().state, folder.standing().done) == ("stopped", 3)  # with the one that was about to begin
    folder.run(folder.cells()[:4])
    assert (folder.standing().state, folder.standing().done) == ("stopped", 4)


def test_a_run_that_fails_and_an_error_that_nobody_foresaw_are_told_of(study: StudyConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = StudyFolder(tmp_path / "failed")
    folder.create(study.model_copy(update={"rows": {"Margin": {}, "Broken": {"data.attribute": "nothing"}}, "only": ("start",), "seeds": (0,)}))
    with pytest.raises(InputError, match=r"1 of 2 runs failed: Broken, start, seed 0\. The first one: .*has no attribute 'nothing'"):
        folder.run()
    assert folder.standing().state == "failed"
    assert "Broken, start, seed 0" in folder.standing().message
    assert RunFolder(folder.cells()[0].folder).status().state == "finished"

    monkeypatch.setattr("likeness.training.train", MagicMock(side_effect=RuntimeError("no kernel image")))
    with pytest.raises(RuntimeError):
        folder.run()
    assert (folder.standing().state, folder.standing().message) == ("failed", "Ended by RuntimeError: no kernel image")


def test_changes_go_into_every_row_or_into_some(study: StudyConfig, tmp_path: Path) -> None:
    folder, some, other = StudyFolder(tmp_path / "changed"), *list(study.rows)[:2]
    folder.create(study, {"batch.size": 4})
    assert {cell.config.batch.size for cell in folder.cells()} == {4}
    assert [cell.config for cell in folder.cells()] == [cell.config for cell in cells(study, tmp_path, {"batch.size": 4})]
    with pytest.raises(InputError, match="There is no study in"):
        StudyFolder(tmp_path / "nothing").study()
    folder = StudyFolder(tmp_path / "some")
    folder.create(study, {"batch.size": 4}, [some])
    folder.create(study, {"batch.size": 6, "guidance": None}, [other])
    plain = {cell.row: cell.config.batch.size for cell in cells(study, tmp_path)}
    assert {cell.row: cell.config.batch.size for cell in folder.cells()} == plain | {some: 4, other: 6}
    only = cells(study, tmp_path, {"guidance": {"kind": "elg", "names": "kind"}}, [some])
    assert {(cell.row, cell.config.guidance and cell.config.guidance.names) for cell in only} == {(some, "kind")}
