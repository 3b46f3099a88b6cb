"""`likeness study` and `likeness train --pseudolabels` as a person meets them."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from likeness.language import read_pseudolabels
from likeness.shifts import read_splits
from worlds import Run

_RAW = "Raw: {epochs: 0, backbone.dim: null}"
_BASE = """base:
  {data: {source: cars, attribute: [car_color, body_type], image_size: 96}, objective: {name: margin}, epochs: 1,
   batch: {size: 32, per_class: 4}, backbone: {name: 'clip:cars-small', dim: 32, head_only: true}}
"""


def test_a_table_fills_goes_on_and_is_saved(ok: Any, tmp_path: Path) -> None:
    own = tmp_path / "two.yaml"
    own.write_text("name: two\nbase: shipped-cars-elg\nseeds: [0, 1]\nrows: {Alone: {guidance: null}, Guided: {guidance.language: clip:cars}}\n")
    call = ("study", str(own), "--out", str(tmp_path / "two"), "--set", "epochs=1")
    printed, err = ok(*call, "--row", "Alone", "--save", tmp_path / "one.csv")
    assert "Alone, seed 1" in err
    assert len(pd.read_csv(tmp_path / "one.csv")) == 2
    printed, err = ok(*call, "--format", "csv", "--save", tmp_path / "both.csv")
    lines = printed.strip().splitlines()
    assert lines[0] == "row,runs,recall_at_1,map_at_1000,nmi"
    assert [line.split(",")[:2] for line in lines[1:]] == [["Alone", "2"], ["Guided", "2"]]
    every = pd.read_csv(tmp_path / "both.csv").set_index(["row", "seed"])
    mean, spread = every.loc["Alone", "recall_at_1"].mean(), every.loc["Alone", "recall_at_1"].std()
    assert f"{mean:.3f} ± {spread:.3f}" in lines[1]


def test_changes_of_one_row_need_not_fit_the_others(run: Run, ok: Any, tmp_path: Path) -> None:
    """Class names of another attribute are for expert names, not for pseudolabels."""
    call = ("study", "language-table-2", "--out", str(tmp_path / "none"), "--table", "--set", "guidance.names=product_kind")
    status, _, err = run(*call)
    assert status == 2
    assert "names product_kind needs class names" in err
    printed, err = ok(*call, "--row", "Multisimilarity +ELG")
    assert "Multisimilarity +ELG" in printed


@pytest.mark.long
def test_a_benchmark_over_splits_is_a_table_of_splits(ok: Any, tmp_path: Path) -> None:
    own = tmp_path / "shifts.yaml"
    own.write_text(f"name: shifts\nsplits: shipped-cars\nonly: [start, removal 12]\nseeds: [0]\nrows: {{Margin: {{}}, {_RAW}}}\n{_BASE}")
    call = ("study", str(own), "--out", str(tmp_path / "runs"), "--format", "csv")
    printed, _ = ok(*call, "--table")
    assert "No run is finished yet." in printed
    printed, _ = ok(*call, "--row", "Raw")
    assert [line.split(",")[0] for line in printed.strip().splitlines()[1:]] == ["Raw"]
    printed, _ = ok(*call, "--save", tmp_path / "all.csv")
    head, *lines = printed.strip().splitlines()
    distances = [f"{name} ({read_splits('shipped-cars').named(name).distance:.4g})" for name in ("start", "removal 12")]
    assert head.split(",") == ["R@1", *distances, "AGS"]
    every = pd.read_csv(tmp_path / "all.csv").set_index(["row", "split"])["recall_at_1"]
    for line in lines:
        row, easy, hard, area = line.split(",")
        assert easy == f"{every[row, 'start']:.3f}"
        assert hard == f"{every[row, 'removal 12']:.3f}"
        assert float(area) == pytest.approx((every[row, "start"] + every[row, "removal 12"]) / 2, abs=1e-3)


@pytest.mark.long
def test_directions_at_one_distance_stand_side_by_side_with_what_a_row_gains(ok: Any, tmp_path: Path) -> None:
    splits, halves = tmp_path / "makers.json", tmp_path / "halves.yaml"
    printed, _ = ok("splits", "groups", "body_type", "-a", "car_color,body_type", "-e", "cars-small", "-o", splits)
    forth, back = read_splits(splits).splits
    assert (forth.train, forth.test, forth.distance) == (back.test, back.train, back.distance)
    assert not {name.split()[-1] for name in forth.train} & {name.split()[-1] for name in forth.test}
    halves.write_text(f"name: halves\nsplits: {splits}\nseeds: [0, 1]\nrows: {{{_RAW}, Margin: {{}}}}\n{_BASE}")
    call = ("study", str(halves), "--out", str(tmp_path / "runs"), "--format", "csv", "--against", "Raw", "--save", str(tmp_path / "all.csv"))
    printed, _ = ok(*call)
    table, gains = printed.strip().split("minus Raw")
    assert table.splitlines()[0].split(",") == ["R@1", *(f"{split.name} ({split.distance:.4g})" for split in (forth, back))]
    every = pd.read_csv(tmp_path / "all.csv").pivot(index=["split", "seed"], columns="row", values="recall_at_1").ffill()
    row, pairs, gain, ahead = gains.strip().splitlines()[1].split(",")[:4]
    found = every["Margin"] - every["Raw"]
    assert (row, int(pairs), int(ahead)) == ("Margin", 4, (found > 0).sum())
    assert gain == f"{found.mean():+.4f} ± {found.sem():.4f}"


def test_values_are_tried_on_held_out_images_and_the_best_is_named(run: Run, ok: Any, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    base = {"data": {"source": "cars", "attribute": "body_type", "image_size": 96, "per_class": 12, "validation": 2}, "epochs": 1}
    base |= {"backbone": {"name": "clip:cars", "dim": 8, "head_only": True}, "batch": {"size": 4, "per_class": 2}}
    base["data"]["train_classes"] = 0.7
    study = {"name": "rates", "base": base, "seeds": [0], "rows": {"Margin": {"objective.name": "margin"}, "Raw": {"epochs": 0}}}
    own.write_text(yaml.safe_dump(study | {"sweep": {"optimizer.rate": [0.001, 0.01]}}))
    call = ("sweep", str(own), "--out", str(tmp_path / "runs"))
    assert "No run is finished yet" in run(*call, "--show")[1]
    printed, _ = ok(*call, "--format", "csv")
    lines = [line.split(",") for line in printed.strip().splitlines()]
    assert lines[0] == ["row", "optimizer.rate", "figure", "best"]
    assert [line[:2] for line in lines[1:]] == [["Margin", "0.001"], ["Margin", "0.01"]]
    assert sum("best" in ",".join(line) for line in lines[1:]) == 1


def test_studies_are_listed_with_what_they_are(ok: Any) -> None:
    printed, _ = ok("study", "--list")
    assert "language-table-4" in printed
    assert "Table 2 of Roth et al." in printed


def test_pseudolabels_are_written_for_every_class(ok: Any, tmp_path: Path) -> None:
    classifier = ("--set", "guidance.classifier.name=test_resnet", "--set", "guidance.classifier.weights=none", "--set", "data.image_size=32")
    out = tmp_path / "names.csv"
    printed, _ = ok("train", "shipped-cars-elg", "--pseudolabels", out, "-k", "3", "--set", "data.attribute=body_type", *classifier)
    labels = read_pseudolabels(str(out))
    assert sorted(labels) == ["convertible", "hatchback", "pickup", "sedan", "suv", "van"]
    assert {len(names) for names in labels.values()} == {3}
    assert printed.startswith("convertible: ")
