"""The studies that ship: their cells are configs, and their rows are the papers'."""

from pathlib import Path

import pytest
import torch

from likeness.language import TOP_3, language_model, short_names
from likeness.studies import published_guidance
from likeness.studies.study import cells, read_study, studies, study_splits
from likeness.training.config import RunConfig
from likeness.training.loop.given_objects import build_objective
from likeness.training.network.backbones import timm_model

TABLES = {"language-table-3": "table3", "language-table-s2": "table_s2", "language-table-4": "table4", "language-table-5": "table5"} | {
    "language-table-s3": "table_s3"
}
TABLE_1 = {"language-table-1-cub200": "CUB200", "language-table-1-cars196": "CARS196", "language-table-1-sop": "SOP"}


def configs(name: str, changes: dict[str, str] | None = None) -> dict[str, RunConfig]:
    """The first seed's config of each row."""
    study = read_study(name)
    return {cell.row: cell.config for cell in cells(study, Path("runs"), changes) if cell.seed == study.seeds[0]}


@pytest.mark.parametrize("name", studies())
def test_every_cell_is_a_config_and_no_two_are_one(name: str) -> None:
    study = read_study(name)
    wanted = cells(study, Path("runs"))
    assert study.name == name
    assert len(study.note) > 40
    splits = len(study_splits(study))
    untrained = sum(cell.config.epochs == 0 for cell in wanted) // splits  # of one seed
    assert len(wanted) == splits * ((len(study.rows) - untrained) * len(study.seeds) + untrained)
    assert len({cell.folder for cell in wanted}) == len(wanted)
    assert len({cell.config.model_copy(update={"name": ""}).model_dump_json() for cell in wanted}) == len(wanted)
    for cell in wanted:
        build_objective(cell.config.objective, 10, cell.config.backbone.dim or 8, 8)


@pytest.mark.parametrize(("name", "table"), TABLES.items())
def test_rows_are_those_of_the_papers_table(name: str, table: str) -> None:
    printed = list(dict.fromkeys(published_guidance(table, "CUB200")["method"]))
    assert list(dict.fromkeys(row.partition(": ")[0] for row in read_study(name).rows)) == printed
    assert len(read_study(name).seeds) == 5


@pytest.mark.parametrize(("name", "dataset"), TABLE_1.items())
def test_rows_of_table_1_are_its_cells_with_pseudolabels(name: str, dataset: str) -> None:
    table = published_guidance("table1", dataset)
    table = table[table["method"].str.contains("PLG")]
    assert list(read_study(name).rows) == list(dict.fromkeys(table["backbone"] + "-" + table["dim"].astype(str) + " " + table["method"]))
    for row, config in configs(name).items():
        network, _, dim = row.split()[0].rpartition("-")
        inception = network == "Inception-BN"
        assert config.guidance is not None
        assert config.guidance.classifier is not None
        assert config.backbone.name == config.guidance.classifier.name == ("inception_v3" if inception else "resnet50")
        assert (config.backbone.dim, config.data.image_size) == (int(dim), 299 if inception else 224)
        assert (config.objective.s2sd is not None) == ("S2SD" in row)
        assert (config.data.validation, config.optimizer.plateau is not None) == (0.15, True)
        low, high = (0.1, 1) if dataset == "SOP" else (1, 10)
        assert low <= config.guidance.omega <= high


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_cub200_is_one_of_cars196_too(name: str) -> None:
    for config in configs(name, {"data.source": "cars196:data/cars196", "data.attribute": "car_model"}).values():
        assert (config.data.source, config.data.attribute) == ("cars196:data/cars196", "car_model")


@pytest.mark.parametrize("name", [*TABLES, *TABLE_1, "shipped-cars"])
def test_language_models_are_known(name: str) -> None:
    for config in configs(name).values():
        for model in config.guidance.language if config.guidance else ():
            if not model.startswith(("vectors:", "hierarchy:")) and model != "wordnet":
                assert language_model(model).identity


def test_language_models_are_what_their_short_names_stand_for() -> None:
    for name in ("language-table-3", "language-table-s2"):
        rows = {row: config.guidance.language for row, config in configs(name).items() if config.guidance}
        assert rows["+Top 3"] == tuple(short_names()[each] for each in TOP_3)
        known = {"+CLIP-L": "clip", "+BERT": "bert", "+DistBert": "distilbert", "+Roberta-B": "roberta-base", "+Roberta-L": "roberta-large"} | {
            "+DistRoberta": "distilroberta",
            "+Reformer": "reformer",
            "+MPNet": "mpnet",
            "+GPT2": "gpt2",
        }
        for row, short in known.items():
            if row in rows:
                assert rows[row] == (short_names()[short],)


def test_the_inception_network_is_an_imagenet_classifier_with_batch_norm() -> None:
    config = configs("language-table-1-cub200")["Inception-BN-512 S2SD+PLG"].backbone.model_copy(update={"weights": "none"})
    model = timm_model(config)
    assert model.num_classes == 1000
    assert any(isinstance(module, torch.nn.BatchNorm2d) for module in model.modules())
