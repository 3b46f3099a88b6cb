"""Which models are trained where, and Table 1's form."""

from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.recipes.captioning.compare import captioning_cells, captioning_table
from likeness.recipes.captioning.config import captioning_config_from

CONFIG = captioning_config_from({"name": "a"})


def test_a_folder_for_each_model_and_each_set_of_features(tmp_path: Path) -> None:
    runs = [f"run:{tmp_path / place / 'cars'}" for place in ("a", "b")]
    cells = captioning_cells(CONFIG, ["imagenet", *runs], ["topdown", "att2all2", "topdown"], tmp_path)
    assert len(cells) == 6
    names = [path.name for path in cells]
    assert names[:2] == ["topdown-imagenet", "att2all2-imagenet"]
    assert all(name.startswith(("topdown-run-cars-", "att2all2-run-cars-")) for name in names[2:])
    assert [cell[0].decoder.kind for cell in cells.values()] == ["topdown", "att2all2"] * 3
    assert list(captioning_cells(CONFIG, ["imagenet"], [], tmp_path).values()) == [(CONFIG, "imagenet")]


def test_wrong_features_and_models_are_told(tmp_path: Path) -> None:
    for features in ([], ["imagenet", "imagenet"]):
        with pytest.raises(InputError, match="Name each set of features once"):
            captioning_cells(CONFIG, features, [], tmp_path)
    with pytest.raises(InputError, match=r"decoder\.kind is 'show'"):
        captioning_cells(CONFIG, ["imagenet"], ["show"], tmp_path)


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
