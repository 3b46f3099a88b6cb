"""The presets of the language guidance paper and of its authors' commands, against one table of what the two say."""

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from tests.studies.paper_settings import fits, settings

from likeness.io import assets_dir
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
