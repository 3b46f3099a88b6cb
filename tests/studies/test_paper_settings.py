import inspect
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
import yaml

from likeness.errors import InputError
from likeness.io import assets_dir
from likeness.losses import OBJECTIVES, S2SD, WRAPPERS
from likeness.options import defaults
from likeness.studies.study import StudyConfig, cells, read_study
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
    return pd.read_csv(assets_dir() / "papers" / f"{name}.csv", dtype=str, keep_default_na=False)


SETTINGS, COMMANDS = table("language_guidance_settings"), table("language_guidance_commands")


def preset_of(command: dict[str, str]) -> str:
    return f"lg-code-{command['dataset'].lower()}-{command['dim']}-{command['objective']}-plg"


def rows_about(preset: str) -> list[dict[str, str]]:
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
    dataset, objective = preset.split("-")[1:3]
    return f"lg-code-{dataset}-128-{objective}-plg"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_set_as_paper_or_code_says_and_sets_nothing_else(preset: str) -> None:
    config, rows = read_config(preset), rows_about(preset)
    found, keys = settings(config), {row["key"] for row in rows}
    said = {row["key"]: expected(preset, row) for row in rows}
    assert differing(found, said) == {}
    assert len(keys) == len(rows)  # one row for each key
    changed = {key for key in difference(config, RunConfig()) if found.get(key) is not None}
    assert {key for key in changed if not key.startswith("guidance.")} - ABOUT - keys == set()
    own = {f"guidance.{key}" for key in config.guidance.model_fields_set} if config.guidance else set()
    assert own - {"guidance.classifier"} - ABOUT <= keys


def settings(config: RunConfig) -> dict[str, Any]:
    """All settings by dotted keys, with the options that an objective and its wrappers have by default."""
    content = config.model_dump(mode="json")
    objective = content["objective"]
    objective["options"] = defaults(OBJECTIVES[objective["name"]].options) | objective["options"]
    for name in config.objective.wrappers:
        objective[name] = wrapper_defaults(name) | objective[name]
    return flat(content)


def wrapper_defaults(name: str) -> dict[str, Any]:
    options = WRAPPERS[name].options
    if options is not None:
        return defaults(options)
    return {name: each.default for name, each in inspect.signature(S2SD).parameters.items() if each.default is not each.empty}


def flat(content: dict[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in content.items():
        found |= flat(value, f"{before}{key}.") if isinstance(value, dict) and value else {f"{before}{key}": value}
    return found


def differing(found: dict[str, Any], said: dict[str, str]) -> dict[str, Any]:
    """What is set otherwise than the table says, beside what it says."""
    return {key: (found.get(key), text) for key, text in said.items() if key not in found or not fits(found[key], text)}


def fits(value: Any, text: str) -> bool:
    """Whether a value is what the table says: a number, a range ("1 to 10"), a list, a word, null."""
    low, to, high = text.partition(" to ")
    if to:
        return float(low) <= value <= float(high)
    if re.fullmatch(r"[\d.]+(e-?\d+)?", text):
        return not isinstance(value, bool) and value == pytest.approx(float(text), rel=1e-12)
    return bool(value == yaml.safe_load(text))


DATASETS = {"cub200": "oodml-cub200", "cars196": "oodml-cars196", "sop": "oodml-sop"}
FEW_SHOT = {"cub200": "oodml-few-shot-cub200", "cars196": "oodml-few-shot-cars196"}
METHODS = ("Margin", "Multisimilarity", "ArcFace", "ProxyAnchor", "R-margin", "DiVA", "Uniform prior", "S2SD")
ROWS = [(dataset, row) for dataset in DATASETS for row in METHODS] + [("sop", "S2SD, ResNet-101")]
# what a run is about, and what is only measured, rather than how it is set
OODML_ABOUT = {"name", "note", "seed", "data.source", "data.attribute", "data.split", "data.splits", "data.shift", "matched_classes"}
OODML_TABLE = table("oodml_settings").to_dict("records")


def study_of(dataset: str, few_shot: bool = False) -> StudyConfig:
    """The study; the splits of Cars196 stand in for those that a person computes."""
    return read_study((FEW_SHOT if few_shot else DATASETS)[dataset]).model_copy(update={"splits": "cars196-oodml"})


def config_of(dataset: str, row: str, few_shot: bool = False) -> RunConfig:
    return cells(study_of(dataset, few_shot), Path("runs"), rows=[row])[0].config


def said_of(dataset: str, row: str, few_shot: bool = False) -> dict[str, str]:
    """What the table says of a row, by key; of two lines about a key, the later one is about fewer rows, or about few shots."""
    found = {}
    for line in OODML_TABLE:
        here = (line[dataset] or not any(line[each] for each in DATASETS)) and (few_shot or not line["setting"].startswith("few shots"))
        if line["key"] and here and any(fnmatch(row, pattern) for pattern in (line["rows"] or "*").split(";")):
            found[line["key"]] = line["ours"] or line[dataset] or line["paper"]
    return found


@pytest.mark.parametrize(
    ("dataset", "row", "few_shot"), [(*place, False) for place in ROWS] + [(dataset, row, True) for dataset in FEW_SHOT for row in METHODS]
)
def test_a_row_is_set_as_the_scripts_say_and_sets_nothing_else(dataset: str, row: str, few_shot: bool) -> None:
    said, config = said_of(dataset, row, few_shot), config_of(dataset, row, few_shot)
    found = settings(config)
    assert len(said) > 25
    assert differing(found | {"seeds": list(study_of(dataset, few_shot).seeds)}, said) == {}
    options = ("objective.options.", "objective.s2sd.", "objective.diva.", "objective.uniform_prior.")
    changed = {key for key in found if key.startswith(options)} | {key for key in difference(config, RunConfig()) if key in found}
    assert changed - OODML_ABOUT - {"few_shot.seed"} - set(said) == set()


@pytest.mark.parametrize("dataset", DATASETS)
def test_rows_are_the_methods_and_encoders_of_the_figures(dataset: str) -> None:
    rows = list(read_study(DATASETS[dataset]).rows)
    trained = [row for row in rows if not row.endswith((", raw", ", random projection"))]
    more = {"cars196": ["Multisimilarity +ELG", "Multisimilarity +PLG"], "sop": ["S2SD, ResNet-101"], "cub200": []}[dataset]
    assert trained == [*METHODS, *more]
    raw = ["CLIP", "SwAV", "BiT ImageNet-1k", "BiT ImageNet-21k", "EfficientNet-B0", "ResNet-50"]  # Figure 6
    assert rows[len(trained) :] == [*(f"{name}, raw" for name in raw), "ResNet-50, random projection"]  # the last one is ours, a control


@pytest.mark.parametrize("dataset", ["cub200", "sop"])
def test_without_its_splits_a_study_names_the_command_that_makes_them(dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = read_study(DATASETS[dataset])
    with pytest.raises(InputError) as error:
        cells(study, tmp_path)
    assert f"'data/{dataset}-oodml.json', but there is no such file; create it: {study.splits_command}" in str(error.value)
    assert re.fullmatch(rf"likeness splits build --like oodml-{dataset} --start official --per-step .* --out {study.splits}", study.splits_command)
    words = " ".join(study.note.split())
    assert all(said in words for said in (study.splits_command, "computed by the paper's rule", "are not those"))


def test_networks_of_three_sizes_differ_by_dataset_in_settings_and_splits_alone() -> None:
    birds, cars, main = read_study("oodml-capacity-cub200"), read_study("oodml-capacity-cars196"), read_study("oodml-cub200")
    assert (birds.rows, birds.seeds) == (cars.rows, cars.seeds)
    assert (birds.base, birds.splits, birds.splits_command) == (main.base, main.splits, main.splits_command)


SMALL = [("cars196", "DiVA"), ("cub200", "S2SD"), ("sop", "ProxyAnchor"), ("cars196", "Uniform prior")]


@pytest.mark.parametrize(("dataset", "row"), SMALL)
def test_rows_train_with_a_small_network_on_small_images(photos: Path, tmp_path: Path, dataset: str, row: str) -> None:
    parts = 4 if row == "DiVA" else 1
    config = with_changes(
        config_of(dataset, row),
        {"backbone": {"name": "test_resnet", "weights": "none", "dim": 16, "parts": parts}, "data": {"source": str(photos), "image_size": 16}}
        | {"data.crops": "whole", "data.select_on_test": True, "batch.size": 8, "epochs": 2, "device": "cpu", "matched_classes": 2}
        | ({"objective.uniform_prior.piece": 8} if row == "Uniform prior" else {}),
    )
    run = train(config, tmp_path / "run")
    losses = run.metrics()["loss"].dropna()
    assert (len(losses), (losses != 0).all()) == (2 * (18 // 8), True)
    state = torch.load(run.checkpoint, weights_only=True)["state_dict"]
    betas = {name: each for name, each in state.items() if name.endswith(".beta")}
    start, rate = (0.6 if (dataset, row) == ("cub200", "S2SD") else 0.9 if row == "S2SD" else 1.2), (1e-5 if row == "S2SD" else 5e-4)
    assert len(betas) == {"DiVA": 3, "S2SD": 4, "ProxyAnchor": 0, "Uniform prior": 1}[row]
    for each in betas.values():
        assert float((each - start).abs().max()) == pytest.approx(4 * rate, rel=0.25)  # four steps of Adam at their own rate
    assert "matched_recall_at_1" in (run.report() or {})["last"]
