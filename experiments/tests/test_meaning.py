from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import timm
import torch
from safetensors.torch import load_file
from tests.training.conftest import write_images

from experiments.analyses import meaning
from experiments.efficientnet_lite import convert
from likeness.data import image_classes, read_dataset
from likeness.errors import InputError
from likeness.language import read_captions
from likeness.training import RunConfig

TUNED = 3 * (1 + 5 * 7)  # runs that choose omega
FAMILIES = {f"class {number}": f"family {number // 2}" for number in range(12)}


def test_no_family_is_on_two_sides() -> None:
    for division in range(20):
        split = meaning.divide(FAMILIES, division)
        assert sorted(split.train + split.test) == sorted(FAMILIES)
        assert len(split.train) == 6
        kept = [name for name in split.train if name not in split.tuning]
        sides = [{FAMILIES[name] for name in side} for side in (kept, split.tuning, split.test)]
        assert all(sides)
        assert sum(map(len, sides)) == len(set.union(*sides))
    assert len({meaning.divide(FAMILIES, division).train for division in range(20)}) > 5
    assert meaning.divide(FAMILIES, 3) == meaning.divide(dict(reversed(FAMILIES.items())), 3)


def _runs(gained: dict[str, float], spread: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = []
    for stage, division, seed, arm, omega in meaning.planned("test", {}):
        value = 0.5 + division / 100 + gained.get(arm, 0.0) * (1 + spread * rng.normal())
        rows.append(("birds", stage, division, seed, arm, omega, value, value, 1.0, "32"))
    return pd.DataFrame(rows, columns=meaning.COLUMNS)


def test_gains_are_told_from_no_difference_and_from_what_is_open() -> None:
    found = meaning.gains(_runs({"names": 0.02, "flat": 0.02, "taxonomy": -0.03, "shuffled": 0.001})).set_index(["arm", "over"])
    assert found.loc[("names", "none")][["gain", "low", "high"]].tolist() == pytest.approx([0.02] * 3)
    assert found["verdict"].to_dict() == {
        ("names", "none"): "gains",
        ("names", "flat"): "makes no difference",
        ("names", "shuffled"): "gains",
        ("pseudolabels", "none"): "makes no difference",
        ("pseudolabels", "flat"): "loses",
        ("pseudolabels", "shuffled"): "loses",
        ("flat", "none"): "gains",
        ("shuffled", "none"): "gains",
        ("taxonomy", "none"): "loses",
        ("taxonomy", "flat"): "loses",
        ("taxonomy", "shuffled"): "loses",
        ("class means", "none"): "makes no difference",
        ("class means", "flat"): "loses",
        ("class means", "shuffled"): "loses",
        ("image features", "none"): "makes no difference",
        ("image features", "flat"): "loses",
        ("image features", "shuffled"): "loses",
    }
    runs = _runs({"names": 0.02})
    late = runs[(runs["arm"] != "image features") | (runs["seed"] < 2)]  # an arm with fewer seeds takes none from the others
    assert meaning.gains(late).set_index(["arm", "over"])["runs"].loc[[("names", "none"), ("image features", "flat")]].tolist() == [50, 20]
    wide = meaning.gains(_runs({"names": 0.02}, spread=8)).set_index(["arm", "over"]).loc[("names", "none")]
    assert wide["low"] < 0.0 < wide["high"]
    assert wide["verdict"] == "open"


def test_the_interval_is_that_of_divisions_and_seeds_drawn_again() -> None:
    """Beside the variance of such means: that of divisions' means over their number, and that of seeds within, over all."""
    rng = np.random.default_rng(1)
    index = pd.MultiIndex.from_product([range(10), range(5)], names=["division", "seed"])
    differences = pd.Series(np.repeat(rng.normal(size=10), 5) + rng.normal(scale=0.5, size=50), index)
    low, high = meaning._interval(differences)
    groups = differences.to_numpy().reshape(10, 5)
    expected = np.sqrt(groups.mean(axis=1).var() / 10 + groups.var(axis=1).mean() / 50)
    assert (high - low) / (2 * 1.96) == pytest.approx(expected, rel=0.12)


def test_omega_by_one_division_alone_stands_beside_that_by_all_and_what_it_loses() -> None:
    best = {"names": (1.0, 1.0, 1.0), "flat": (0.5, 2.5, 2.5)}  # by division
    rows = []
    for stage, division, seed, arm, omega in meaning.planned("tuning", {}):
        value = 0.5 + 0.1 * (omega == best.get(arm, (5.0,) * 3)[division])
        rows.append(("birds", stage, division, seed, arm, omega, value, value, 1.0, "32"))
    runs = pd.DataFrame(rows, columns=meaning.COLUMNS)
    found = meaning.omega_choices(pd.concat([runs, _runs({"names": 0.02})])).set_index("arm")
    assert list(found.index) == [arm for arm in meaning.ARMS if arm != meaning.NONE]
    assert found.loc["names", ["omega", "one division alone"]].tolist() == ["1", "1, 1, 1"]
    assert found.loc["names", [f"{omega:g}" for omega in meaning.OMEGAS]].tolist() == pytest.approx([0.5, 0.6, 0.5, 0.5, 0.5])
    assert found.loc["flat", ["omega", "one division alone"]].tolist() == ["2.5", "0.5, 2.5, 2.5"]
    assert found["lost"].drop("flat").tolist() == pytest.approx([0.0] * 6)
    assert found.loc["flat", "lost"] == pytest.approx(0.1 / 3)
    assert found["omega"].astype(float).to_dict() == meaning.chosen_omegas(runs)


class _Run:
    def __init__(self, path: Path, recall: float) -> None:
        self.path, self.recall = path, recall
        path.mkdir()

    def report(self) -> dict[str, Any]:
        return {"last": {"recall_at_1": self.recall, "map_at_1000": 0.5}, "seconds": 2.0}


def test_all_arms_of_a_division_and_a_seed_compute_in_one_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = _runs({})
    for supported, expected in ((True, "bf16-mixed"), (False, "32")):
        monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda supported=supported: supported)
        assert meaning.precision_of(runs, "birds", ("test", 3, 1, "flat", 2.5)) == "32"  # as those before
        assert meaning.precision_of(runs, "CIFAR-100", ("test", 3, 1, "flat", 2.5)) == expected
        assert meaning.precision_of(runs, "birds", ("tuning", 3, 1, "flat", 2.5)) == expected


def test_omega_is_chosen_on_held_out_classes_and_a_stopped_experiment_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photos, out, trained = write_images(tmp_path / "photos", classes=12, each=2), tmp_path / "runs.csv", list[tuple[RunConfig, Any]]()
    material = meaning.Material(str(photos), "class", FAMILIES, tmp_path / "lite.safetensors")
    features = SimpleNamespace(paths=["a.png"])
    monkeypatch.setattr(meaning, "StrongerFeatures", lambda *_: features)

    def train(config: RunConfig, folder: Path, language: Any = None) -> _Run:
        if len(trained) == 150:
            raise KeyboardInterrupt
        trained.append((config, language))
        guidance = config.guidance
        if guidance is not None and guidance.captions is not None:
            assert read_captions(Path(guidance.captions)) == {"a.png": "a.png"}  # as a run reads it
        return _Run(folder, 0.5 if guidance is None else 0.6 - abs(guidance.omega - (2.5 if guidance.control == "shuffled" else 5)) / 100)

    monkeypatch.setattr(meaning, "train", train)
    with pytest.raises(KeyboardInterrupt):
        meaning.run_all("birds", material, out)
    assert len(meaning.read_runs(out)) == 150
    assert all(config.data.tuning for config, _ in trained[:TUNED])
    assert not any(config.data.tuning for config, _ in trained[TUNED:])
    trained.append((trained[0][0], None))  # past the interruption
    runs = meaning.run_all("birds", material, out)
    assert len(runs) == TUNED + 400 == len(runs.drop_duplicates())
    test = runs[runs["stage"] == "test"]
    assert test.groupby("arm")["omega"].unique().map(list).to_dict() == {arm: [5.0] for arm in meaning.ARMS} | {"none": [0.0], "shuffled": [2.5]}
    assert set(Counter(zip(test["division"], test["arm"], strict=True)).values()) == {5}
    languages = {config.guidance.language for config, _ in trained if config.guidance}
    assert any("hierarchy:" in str(each) for each in languages)
    assert [language for _, language in trained].count(features) == 2 * 15 + 2 * 50
    assert {config.guidance.text for config, language in trained if config.guidance} == {"names", "captions"}
    first = meaning.gains(runs)
    assert first[first["over"] == "none"]["gain"].to_numpy() == pytest.approx([0.1] * 7)


def test_a_stronger_network_says_what_classes_and_images_are_like(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = read_dataset(str(write_images(tmp_path / "photos", classes=3, each=2)))
    features = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    monkeypatch.setattr(meaning, "backbone_features", lambda config: (table, image_classes(table, "class"), features))
    material = meaning.Material("photos", "class", FAMILIES, tmp_path / "lite.safetensors")
    stronger = meaning.StrongerFeatures(material, meaning.base_config(material, tmp_path / "splits.json"))
    centered, labels = features - features.mean(axis=0), image_classes(table, "class").labels
    assert stronger.encode_texts(stronger.paths) == pytest.approx(centered)
    assert stronger.encode_texts(["class 1"])[0] == pytest.approx(centered[labels == 1].mean(axis=0))


def test_families_come_from_an_attribute_or_a_file(tmp_path: Path) -> None:
    photos = write_images(tmp_path / "photos")
    file = tmp_path / "families.json"
    file.write_text('{"a": ["class 0", "class 1", "class 2"], "b": ["class 3", "class 4"]}')
    with pytest.raises(InputError, match=r"The class 'class 5' has no family in '.*families.json'"):
        meaning.families_of(str(photos), "class", str(file))
    file.write_text('{"a": ["class 0", "class 1", "class 2"], "b": ["class 3", "class 4", "class 5"]}')
    assert meaning.families_of(str(photos), "class", str(file))["class 4"] == "b"


def test_weights_of_efficientnet_lite_get_the_names_of_timm(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = timm.create_model("tf_efficientnet_lite1").eval()
    torch.save({f"_other.{number}": value for number, value in enumerate(network.state_dict().values())}, tmp_path / "lite.pth")
    assert convert(tmp_path / "lite.pth", tmp_path / "lite.safetensors") == "tf_efficientnet_lite1"
    assert all(torch.equal(value, network.state_dict()[name]) for name, value in load_file(tmp_path / "lite.safetensors").items())
    torch.save({"weight": torch.zeros(3)}, tmp_path / "other.pth")
    with pytest.raises(InputError, match="holds no EfficientNet-Lite"):
        convert(tmp_path / "other.pth", tmp_path / "x.safetensors")
