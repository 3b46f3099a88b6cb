from pathlib import Path

import pandas as pd
import pytest

from experiments.published import beside_guidance, published_guidance
from likeness.language import language_model
from likeness.studies.study import cells, read_study, row_configs, studies, study_splits
from likeness.training.config import RunConfig, difference, read_config
from likeness.training.loop.given_objects import build_objective

TABLES = {"language-table-3": "table3", "language-table-s2": "table_s2", "language-table-4": "table4", "language-table-5": "table5"} | {
    "language-table-s3": "table_s3"
}
TABLE_1 = {"language-table-1-cub200": "CUB200", "language-table-1-cars196": "CARS196", "language-table-1-sop": "SOP"}
# their rows are named by the objective that a method is added to
RELATIVE = {"language-table-2": "table2", "language-table-s1": "table_s1"}
# the rows that no paper has: guidance whose meaning is taken away, by the row that they belong to
_ELG, _PLG = ("names shuffled", "flat target"), ("pseudolabels shuffled", "flat target")
CONTROLS = {key: {"Multisimilarity +ELG": _ELG, "Multisimilarity +PLG Top-5": _PLG} for key in RELATIVE}
CONTROLS |= {key: {"+CLIP-L": _ELG} for key in ("language-table-3", "language-table-s2")}
CONTROLS |= {key: {"+ELG": _ELG} for key in ("language-table-4", "language-table-5")} | {"language-table-s3": {"+ELG": _ELG, "+PLG (Top-5)": _PLG}}
CONTROLS |= {key: {"ResNet50-128 Multisimilarity+PLG": _PLG} for key in TABLE_1}
RAW = "Raw ResNet-50"


def controls(name: str) -> list[str]:
    return [RAW, *(f"{row}, {title}" for row, titles in CONTROLS[name].items() for title in titles)]


def configs(name: str) -> dict[str, RunConfig]:
    study = read_study(name)
    return {cell.row: cell.config for cell in cells(study, Path("runs")) if cell.seed == study.seeds[0]}


# a part of another study, whose raw rows and controls stand there
PARTS = {"lsp-pose-sizes": "lsp-pose", "synthetic-poses-sizes": "synthetic-poses"}


@pytest.mark.parametrize("name", studies())
def test_every_cell_is_a_config_no_two_are_one_and_a_control_and_the_raw_network_are_among_them(name: str) -> None:
    study = read_study(name)
    if study.splits_command:  # its splits are computed from the dataset; others stand in
        study = study.model_copy(update={"splits": "cars196-oodml"})
    wanted = cells(study, Path("runs"))
    assert study.name == name
    assert len(study.note) > 40
    assert len(study.seeds) >= 2
    splits = len(study_splits(study))
    untrained = sum(cell.config.epochs == 0 for cell in wanted) // splits  # of one seed
    assert len(wanted) == splits * ((len(study.rows) - untrained) * len(study.seeds) + untrained)
    assert len({cell.config.model_copy(update={"name": ""}).model_dump_json() for cell in wanted}) == len(wanted)
    for cell in wanted:
        build_objective(cell.config.objective, 10, cell.config.backbone.dim or 8, 128)
    models = {model for cell in wanted for model in (cell.config.guidance.language if cell.config.guidance else ())}
    assert all(language_model(each).identity for each in models if not each.startswith(("vectors:", "hierarchy:")) and each != "wordnet")
    whole = row_configs(read_study(PARTS.get(name, name))).values()
    assert any(not config.epochs and config.backbone.dim is None for config in whole)
    assert any(map(controlled, whole))


@pytest.mark.parametrize(("name", "table"), (TABLES | RELATIVE).items())
def test_rows_are_those_of_the_papers_table(name: str, table: str) -> None:
    rows = list(read_study(name).rows)
    assert len(read_study(name).seeds) == 5
    if name in TABLES:
        printed = list(dict.fromkeys(published_guidance(table, "CUB200")["method"]))
        assert list(dict.fromkeys(row.partition(": ")[0] for row in rows)) == printed + controls(name)
        return
    beside = beside_guidance(pd.DataFrame({"row": rows, "recall_at_1": 0.5, "recall_at_1 ±": 0.01}), table).set_index("row")
    assert set(beside.index) == set(rows)  # the paper has no row that we have not
    assert (beside["R@1, CARS196, paper"] == "").sum() == len(controls(name)) + (table == "table_s1")  # S1 lacks +ELG on multisimilarity
    assert rows[9:] == controls(name)
    own = {"Multisimilarity": "multisimilarity", "Margin, β = 1.2": "margin", "Multisimilarity + S2SD": "s2sd"}
    for row, config in configs(name).items():
        if row not in controls(name):
            group, _, way = row.partition(" +PLG" if " +PLG" in row else " +ELG")
            preset = f"lg-cub200-{own[group]}" + ("-plg" if way else "-elg" if "+ELG" in row else "")
            assert set(difference(config, read_config(preset))) <= {"name", "note"}, row


@pytest.mark.parametrize("name", CONTROLS)
def test_controls_differ_from_what_they_control_by_the_meaning_alone(name: str) -> None:
    found = configs(name)
    raw = found[RAW]
    assert (raw.epochs, raw.backbone.dim, raw.backbone.name, raw.guidance, raw.data.validation) == (0, None, "resnet50.tv_in1k", None, 0)
    for row, title in ((row, title) for row, titles in CONTROLS[name].items() for title in titles):
        differ = difference(found[f"{row}, {title}"], found[row])
        assert differ.keys() == {"name", "guidance.control"}
        assert differ["guidance.control"] == ("flat" if title == "flat target" else "shuffled", "none")


@pytest.mark.parametrize(("name", "dataset"), TABLE_1.items())
def test_rows_of_table_1_are_its_cells_with_pseudolabels(name: str, dataset: str) -> None:
    table = published_guidance("table1", dataset)
    table = table[table["method"].str.contains("PLG")]
    rows = list(dict.fromkeys(table["backbone"] + "-" + table["dim"].astype(str) + " " + table["method"]))
    assert list(read_study(name).rows) == rows + controls(name)
    found = configs(name)
    for row, config in ((row, found[row]) for row in rows):
        network, _, dim = row.split()[0].rpartition("-")
        inception = network == "Inception-BN"
        assert config.backbone.name == config.guidance.classifier.name == ("inception_v3" if inception else "resnet50.tv_in1k")
        assert (config.backbone.dim, config.data.image_size) == (int(dim), 299 if inception else 224)
        assert (config.objective.s2sd is not None) == ("S2SD" in row)
        assert (config.data.validation, config.optimizer.plateau is not None) == (0.15, True)
        low, high = (0.1, 1) if dataset == "SOP" else (1, 10)
        assert low <= config.guidance.omega <= high


def controlled(config: RunConfig) -> bool:
    """Trains on what has lost its meaning, or does not train although it has an embedding layer."""
    guided = config.guidance is not None and config.guidance.control != "none"
    return config.data.shuffled or guided or (not config.epochs and config.backbone.dim is not None)


@pytest.mark.parametrize(("name", "whole"), PARTS.items())
def test_a_part_of_a_study_has_the_settings_of_the_whole(name: str, whole: str) -> None:
    part, study = read_study(name), read_study(whole)
    assert isinstance(part.base, dict)
    assert isinstance(study.base, dict)
    assert {**part.base, "evaluate_every": None} == {**study.base, "evaluate_every": None}
    rates: dict[tuple[str, str], object] = {}
    for config in row_configs(study).values():
        rates.setdefault((config.objective.name, str(config.objective.options)), config.optimizer)
    for row, config in row_configs(part).items():
        assert config.optimizer == rates[config.objective.name, str(config.objective.options)], row
