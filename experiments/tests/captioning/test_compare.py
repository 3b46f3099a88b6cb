"""Which models are trained where, and Table 1's form."""

from pathlib import Path
from typing import Any

import pytest

from experiments.captioning.compare import captioning_cells, captioning_runs, captioning_table
from experiments.captioning.config import captioning_config_from, with_captioning_changes
from likeness.errors import InputError

CONFIG = captioning_config_from({"name": "a"})


def test_a_folder_for_each_model_and_each_set_of_features(tmp_path: Path) -> None:
    runs = [f"run:{tmp_path / place / 'cars'}" for place in ("a", "b")]
    cells = captioning_cells(CONFIG, ["imagenet", *runs], ["topdown", "att2all2", "topdown"], tmp_path)
    assert len(cells) == 6
    names = [path.name for path in cells]
    assert names[:2] == ["topdown-imagenet", "att2all2-imagenet"]
    assert all(name.startswith(("topdown-run-cars-", "att2all2-run-cars-")) for name in names[2:])
    assert [cell[0].decoder.kind for cell in cells.values()] == ["topdown", "att2all2"] * 3
    assert captioning_cells(CONFIG, ["imagenet"], [], tmp_path) == {tmp_path / "topdown-imagenet": (CONFIG, "imagenet", "imagenet")}


def test_a_folder_for_each_seed_and_the_own_seeds_where_it_was(tmp_path: Path) -> None:
    run = f"run:{tmp_path / 'study' / 'log-ratio-{seed}'}"
    cells = captioning_cells(CONFIG, ["imagenet", f"Log-ratio={run}"], [], tmp_path, seeds=[0, 2])
    assert [(cell.config.seed, cell.title) for cell in cells.values()] == [(seed, title) for seed in (0, 2) for title in ("imagenet", "Log-ratio")]
    first, second, third, fourth = cells
    assert (first.name, third.name) == ("topdown-imagenet", "topdown-imagenet-seed-2")
    assert second.name.startswith("topdown-run-log-ratio-0-")
    assert fourth.name.startswith("topdown-run-log-ratio-2-")
    assert fourth.name.endswith("-seed-2")
    assert [cell.features for cell in cells.values()] == ["imagenet", run.replace("{seed}", "0"), "imagenet", run.replace("{seed}", "2")]
    assert captioning_cells(CONFIG, [run.replace("{seed}", "0")], [], tmp_path).keys() == {second}


def test_a_control_stands_beside_each_model_and_an_equals_sign_in_a_folder_is_no_title(tmp_path: Path) -> None:
    cells = captioning_cells(CONFIG, ["imagenet"], [], tmp_path, control=True)
    assert {path.name: (cell.config.data.shuffled, cell.title) for path, cell in cells.items()} == {
        "topdown-imagenet": (False, "imagenet"),
        "topdown-imagenet-shuffled": (True, "imagenet, shuffled captions"),
    }
    shuffled = with_captioning_changes(CONFIG, {"data.shuffled": True})
    assert captioning_cells(shuffled, ["imagenet"], [], tmp_path).keys() == {tmp_path / "topdown-imagenet-shuffled"}
    (cell,) = captioning_cells(CONFIG, ["run:runs/rate=0.1"], [], tmp_path).values()
    assert (cell.title, cell.features) == ("run:runs/rate=0.1", "run:runs/rate=0.1")


def test_wrong_features_and_models_are_told(tmp_path: Path) -> None:
    for features in ([], ["imagenet", "imagenet"], ["A=imagenet", "imagenet"], ["A=run:a", "A=run:b"]):
        with pytest.raises(InputError, match="Pass each set of features once"):
            captioning_cells(CONFIG, features, [], tmp_path)
    with pytest.raises(InputError, match="Pass each seed once; got 1, 1"):
        captioning_cells(CONFIG, ["imagenet"], [], tmp_path, seeds=[1, 1])
    with pytest.raises(InputError, match="seed is -1"):
        captioning_cells(CONFIG, ["imagenet"], [], tmp_path, seeds=[-1])


def test_table_1_has_a_row_for_each_stage() -> None:
    def scores(value: float) -> dict[str, dict[str, float]]:
        own = {"bleu_4": value, "cider_d": value + 1, "meteor_like": value + 2, "rouge_l": value + 3, "bleu_1": 0.0}
        return {"test": own, "validation": {name: each + 10 for name, each in own.items()}}

    reports = [
        {"model": "topdown", "features": "imagenet", "xe": scores(0.1), "rl": scores(0.2)},
        {"model": "topdown", "features": "run:a", "xe": scores(0.3)},
    ]
    table = captioning_table(reports)
    assert list(table.columns) == ["model", "features", "train", "BLEU-4", "CIDEr-D", "METEOR-like", "ROUGE-L"]
    assert table.values.tolist() == [
        ["topdown", "imagenet", "XE", 0.1, 1.1, 2.1, 3.1],
        ["topdown", "imagenet", "RL", 0.2, 1.2, 2.2, 3.2],
        ["topdown", "run:a", "XE", 0.3, 1.3, 2.3, 3.3],
    ]
    assert captioning_table(reports, "validation")["BLEU-4"].tolist() == [10.1, 10.2, 10.3]
    assert captioning_table([]).empty


def test_runs_are_a_line_for_each_model_and_stage() -> None:
    own = {"bleu_4": 0.1, "cider_d": 0.2, "meteor_like": 0.3, "rouge_l": 0.4, "bleu_1": 0.5}
    report = {"model": "topdown", "features": "Log-ratio", "seed": 2, "xe": {"step": 7, "test": own, "validation": dict.fromkeys(own, 0.9)}}
    runs = captioning_runs([report, report | {"seed": 3}])
    assert runs.loc[0].to_dict() == {
        "row": "topdown, Log-ratio, XE",
        "model": "topdown",
        "features": "Log-ratio",
        "stage": "XE",
        "seed": 2,
        "step": 7,
        **{name: value for name, value in own.items() if name != "bleu_1"},
    }
    assert runs["seed"].tolist() == [2, 3]
    assert captioning_runs([report], "validation")["cider_d"].tolist() == [0.9]


def test_several_seeds_are_a_row_with_means_and_deviations() -> None:
    def report(features: str, value: float) -> dict[str, Any]:
        own = dict.fromkeys(("bleu_4", "meteor_like", "rouge_l"), 0.5) | {"cider_d": value}
        return {"model": "topdown", "features": features, "xe": {"test": own, "validation": own}}

    table = captioning_table([report("imagenet", 0.1), report("Log-ratio", 0.4), report("imagenet", 0.3), report("imagenet", 0.2)])
    assert list(table.columns[:6]) == ["model", "features", "train", "runs", "BLEU-4", "BLEU-4 ±"]
    assert table["features"].tolist() == ["imagenet", "Log-ratio"]
    assert table["runs"].tolist() == [3, 1]
    assert table["CIDEr-D"].tolist() == pytest.approx([0.2, 0.4])
    assert table["CIDEr-D ±"][0] == pytest.approx(0.1)  # n - 1 in the denominator
    assert table["CIDEr-D ±"].isna().tolist() == [False, True]
    assert table["BLEU-4 ±"][0] == 0
