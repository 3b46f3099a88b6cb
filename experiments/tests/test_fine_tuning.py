from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.training.conftest import write_images

from experiments.analyses import fine_tuning
from likeness.training import RunConfig, with_changes

FAMILIES = {f"class {number}": f"family {number // 5}" for number in range(40)}


def test_near_classes_are_of_trained_families_and_far_ones_of_others() -> None:
    for division in range(10):
        split, near = fine_tuning.divide(FAMILIES, division)
        assert sorted(split.train + split.test) == sorted(FAMILIES)
        trained = {FAMILIES[name] for name in split.train}
        assert {FAMILIES[name] for name in near} == {FAMILIES[name] for name in split.tuning} == trained
        assert {FAMILIES[name] for name in split.test if name not in near}.isdisjoint(trained)
        assert (len(split.train), len(split.tuning), len(near)) == (16, 4, 4)
    assert len({fine_tuning.divide(FAMILIES, division)[0].train for division in range(10)}) > 5


def test_a_stopped_experiment_goes_on_and_its_table_has_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photos, out = write_images(tmp_path / "photos", classes=40, each=3), tmp_path / "fine-tuning.csv"
    begin = fine_tuning.base_config

    def small(*given: Any) -> RunConfig:
        changes = {"data.image_size": 16, "backbone.name": "test_resnet", "backbone.weights": "none", "batch.size": 9, "batch.per_class": 3}
        return with_changes(begin(*given), changes | {"epochs": 1, "evaluate_every": 1})

    monkeypatch.setattr(fine_tuning, "base_config", small)
    monkeypatch.setitem(fine_tuning.ARMS, "last block", {"backbone.train_from": "layer4"})
    monkeypatch.setattr(fine_tuning, "SEEDS", 1)
    monkeypatch.setattr(fine_tuning, "DIVISIONS", 1)
    train, left = fine_tuning.train, [5]

    def stopping(*given: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return train(*given)

    monkeypatch.setattr(fine_tuning, "train", stopping)
    with pytest.raises(KeyboardInterrupt):
        fine_tuning.run_all("colors", str(photos), "class", FAMILIES, out)
    assert len(fine_tuning.read_runs(out)) == 5
    left[0] = 100
    runs = fine_tuning.run_all("colors", str(photos), "class", FAMILIES, out)
    assert left[0] == 100 - 7  # eight choose rates, four judge
    judged = runs[runs["stage"] == "test"].set_index("arm")
    assert list(judged.index) == list(fine_tuning.ARMS)
    chosen = fine_tuning.chosen_rates(runs)
    assert judged["rate"].to_dict() == chosen
    untouched = judged[judged["alpha"] == 0]
    assert untouched["mixed far"].tolist() == pytest.approx(untouched["raw far"].tolist())
    table = fine_tuning.fine_tuning_table(runs)
    assert table["trained"].tolist() == ["pretrained", *(f"{arm}{mixed}" for arm in fine_tuning.ARMS for mixed in ("", ", mixed"))]
    assert f"{judged['near'].iloc[0]:.3f}".removeprefix("0") in table["near"].iloc[1]


def test_gains_are_over_the_pretrained_network_of_the_same_division() -> None:
    rows = [("birds", "test", d, 0, "LoRA", 1e-4, 0.5, 0.6 + d / 10, 0.3, 0.6, 0.4, 0.5, 0.4, 0.7, 60.0, 30.0) for d in (0, 1)]
    found = fine_tuning.fine_tuning_table(pd.DataFrame(rows, columns=fine_tuning.COLUMNS)).set_index("trained")
    assert found.loc["LoRA", ["near", "far", "minutes"]].tolist() == [".650 (+0.100 to +0.200)", ".300 (-0.100 to -0.100)", "1.0"]
    assert found.loc["LoRA, mixed", ["far", "alpha", "minutes"]].tolist() == [".400 (+0.000 to +0.000)", "0.5", "1.5"]
    assert found.loc["pretrained", ["near", "far"]].tolist() == [".500", ".400"]
