"""The presets of the language guidance paper and of its authors' commands, against one table of what the two say."""

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from tests.training.paper_settings import fits, settings

from likeness.io import assets_dir
from likeness.studies.study import read_study
from likeness.training.config import RunConfig, difference, presets, read_config, with_changes
from likeness.training.loop.train import train

PRESETS = [name for name in presets() if name.startswith("lg-")]
# what a run is about, rather than how it is set
ABOUT = {"name", "note", "data.source", "data.attribute", "guidance.kind"}
# keys that a command sets, by its columns
BY_COMMAND = {
    "backbone.dim": "dim",
    "epochs": "epochs",
    "batch.size": "batch",
    "guidance.omega": "omega",
    "objective.s2sd.feature_weight": "feature_weight",
    "optimizer.milestones": "tau",
    "optimizer.factor": "gamma",
}


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(assets_dir() / "papers" / f"language_guidance_{name}.csv", dtype=str, keep_default_na=False)


SETTINGS, COMMANDS = table("settings"), table("commands")


def preset_of(command: dict[str, str]) -> str:
    return f"lg-code-{command['dataset'].lower()}-{command['dim']}-{command['objective']}-plg"


def rows_about(preset: str) -> list[dict[str, str]]:
    """The rows with a key that are about a preset."""
    patterns = SETTINGS["presets"].where(SETTINGS["presets"] != "", "lg-*").str.split()
    rows = SETTINGS[[any(fnmatch(preset, each) for each in own) for own in patterns]]
    return rows[rows["key"] != ""].to_dict("records")  # type: ignore[return-value]


def expected(preset: str, row: dict[str, str]) -> str:
    """What the code says for its presets; for the paper's, what the paper says, and where it is silent the code, or what the table names as ours."""
    own = preset.startswith("lg-code-")
    said = row["code"] if own else row["ours"] or row["paper"] or row["code"]
    if said != "commands":
        return said
    [command] = [each for each in COMMANDS.to_dict("records") if preset_of(each) == (preset if own else command_of(preset))]
    value = command[BY_COMMAND[row["key"]]]
    return f"[{value}]" if row["key"] == "optimizer.milestones" else value


def command_of(preset: str) -> str:
    """The preset of the command that trains what one of the paper's presets does, in its 128 dimensions."""
    dataset, objective = preset.split("-")[1:3]
    return f"lg-code-{dataset}-128-{objective}-plg"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_set_as_paper_or_code_says(preset: str) -> None:
    found, rows = settings(read_config(preset)), rows_about(preset)
    wrong = {row["key"]: (found.get(row["key"], "no such key"), expected(preset, row)) for row in rows if not fits_row(found, preset, row)}
    assert wrong == {}
    assert len({row["key"] for row in rows}) == len(rows)  # one row for each key


def fits_row(found: dict[str, Any], preset: str, row: dict[str, str]) -> bool:
    return row["key"] in found and fits(found[row["key"]], expected(preset, row))


@pytest.mark.parametrize("preset", PRESETS)
def test_whatever_a_preset_sets_stands_in_the_table(preset: str) -> None:
    changed = {key for key in difference(read_config(preset), RunConfig()) if settings(read_config(preset)).get(key) is not None}
    guidance = {key for key in changed if key.startswith("guidance.")}
    assert changed - guidance - ABOUT - {row["key"] for row in rows_about(preset)} == set()
    config = read_config(preset).guidance
    assert config is None or {f"guidance.{key}" for key in config.model_fields_set} - {"guidance.classifier"} - ABOUT <= {
        row["key"] for row in rows_about(preset)
    }


def test_every_row_says_where_it_is_from_and_a_deviation_says_why() -> None:
    known = set().union(*(settings(read_config(preset)) for preset in PRESETS))
    for row in SETTINGS.to_dict("records"):
        assert row["setting"]
        assert row["key"] in known | {""}, row
        assert row["paper"] or row["code"] or row["ours"], row
        assert row["where"] or row["key"] == "guidance.control", row
        assert not row["ours"] or len(row["note"]) > 20, row
        assert row["code"] != "commands" or row["key"] in BY_COMMAND, row
        assert any(row in rows_about(preset) for preset in PRESETS) == bool(row["key"]), row


def test_a_wrong_value_is_found() -> None:
    [row] = [row for row in rows_about("lg-cub200-margin") if row["key"] == "optimizer.rate"]
    found = settings(read_config("lg-cub200-margin"))
    assert fits_row(found, "lg-cub200-margin", row)
    assert not fits_row(found | {"optimizer.rate": 2e-5}, "lg-cub200-margin", row)
    for value, text, right in ((7, "1 to 10", True), (12, "1 to 10", False), ([28], "[28]", True), (None, "null", True), (True, "1", False)):
        assert fits(value, text) == right


def test_each_command_has_its_preset() -> None:
    assert sorted(preset_of(command) for command in COMMANDS.to_dict("records")) == [name for name in PRESETS if name.startswith("lg-code-")]
    assert len(COMMANDS) == 8
    for command in COMMANDS.to_dict("records"):
        config = read_config(preset_of(command))
        assert f" {command['command']} " in config.note
        assert f"after {command['tau']} epochs the rate falls to {command['gamma']} of itself" in config.note
        assert config.data.source.partition(":")[0].upper() == command["dataset"]
        assert (config.objective.s2sd is not None) == (command["objective"] == "s2sd") == (command["feature_weight"] != "")


@pytest.mark.parametrize("table", ["2", "s1"])
def test_tables_without_a_schedule_have_the_weights_of_the_commands(table: str) -> None:
    weights = {
        (each["dataset"], each["objective"]): (each["omega"], each["feature_weight"])
        for each in COMMANDS[COMMANDS["dim"] == "128"].to_dict("records")
    }
    assert (weights["CUB200", "multisimilarity"], weights["CUB200", "s2sd"]) == (("7.5", ""), ("1.5", "125"))
    rows = read_study(f"language-table-{table}").rows
    for row, changes in rows.items():
        omega, feature_weight = weights["CUB200", "s2sd" if "S2SD" in row else "multisimilarity"]
        if row.startswith("Multisimilarity") and changes.get("guidance"):
            assert changes["guidance"]["omega"] == float(omega), row
        if "S2SD" in row:
            assert changes["objective.s2sd"]["feature_weight"] == float(feature_weight), row


def test_the_other_tables_have_the_weight_of_the_command_too() -> None:
    """Their first rows are those of Table 2."""
    for table in ("3", "4", "5", "s2", "s3"):
        assert {changes["guidance"]["omega"] for changes in read_study(f"language-table-{table}").rows.values() if changes.get("guidance")} == {7.5}


def test_table_1_has_the_weights_of_the_commands() -> None:
    for command in COMMANDS.to_dict("records"):
        rows = read_study(f"language-table-1-{command['dataset'].lower()}").rows
        own = rows[f"ResNet50-{command['dim']} {'S2SD' if command['objective'] == 's2sd' else 'Multisimilarity'}+PLG"]
        assert own["guidance.omega"] == float(command["omega"])
        assert command["objective"] != "s2sd" or own["objective.s2sd"]["feature_weight"] == float(command["feature_weight"])


@pytest.mark.parametrize("preset", ["lg-code-cub200-128-s2sd-plg", "lg-cars196-margin-elg"])
def test_presets_train_with_a_small_network_on_small_images(photos: Path, tmp_path: Path, preset: str) -> None:
    small = {"name": "test_resnet", "weights": "none"}
    config = with_changes(
        read_config(preset),
        {f"backbone.{key}": value for key, value in small.items()}
        | {"data.source": str(photos), "data.split": "classes", "data.attribute": "class", "data.image_size": 16, "guidance.language": "clip:cars"}
        | {"batch.size": 8, "epochs": 2, "device": "cpu"}  # more classes than there are, which replacement allows
        | ({"guidance.classifier": small} if preset.endswith("plg") else {}),
    )
    run = train(config, tmp_path / "run")
    losses = run.metrics()["loss"].dropna()
    assert len(losses) == 2 * (18 // 8)
    assert (losses > 0).all()
    betas = [value for name, value in torch.load(run.checkpoint, weights_only=True)["state_dict"].items() if name.endswith(".beta")]
    if preset.endswith("margin-elg"):
        assert len(betas) == 1
        assert (betas[0] - 1.2).abs().max() == pytest.approx(4 * 5e-4, rel=0.2)  # four steps of Adam at beta's own rate
