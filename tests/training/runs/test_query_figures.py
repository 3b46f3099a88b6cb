"""What a run keeps of each test query, against its own figures and slow loops."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.training.conftest import write_images
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.errors import InputError
from likeness.training import RunFolder, config_from, mix_run, query_table, train, with_changes


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Ten classes of six images; the first half of each is seen from the left."""
    write_images(tmp_path / "ten", classes=10)
    rows = [(f"ten/class {label}/{number}.png", f"class {label}", "left" if number < 3 else "right") for label in range(10) for number in range(6)]
    pd.DataFrame(rows, columns=["path", "class", "view"]).to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


@pytest.fixture
def run(content: dict[str, Any], table: Path, tmp_path: Path) -> RunFolder:
    changes = {"data.source": str(table), "data.validation": 2, "backbone.dim": None, "epochs": 3, "evaluate_every": 1}
    return train(with_changes(config_from(content), changes | {"optimizer.rate": 0.02}), tmp_path / "run")


def test_figures_by_class_and_attribute_have_the_figures_of_the_run_as_their_mean(run: RunFolder) -> None:
    measured = run.metrics().dropna(subset=["recall_at_1"])
    for figure in ("recall_at_1", "map_at_r", "map_at_1000"):
        for by, values in (("class", 5), ("view", 2)):
            found = query_table(run, by, figure)
            assert len(found) == values
            means = [(found[name] * found["queries"]).sum() / found["queries"].sum() for name in ("untrained", "best")]
            assert means == pytest.approx([measured[figure].iloc[0], run.best_figures()[figure]], abs=1e-6)
    found = query_table(run, "view")
    assert found["gain"].tolist() == sorted(found["best"] - found["untrained"])
    assert (found["low"] <= found["gain"] + 1e-9).all()
    assert (found["high"] >= found["gain"] - 1e-9).all()


def test_attributes_are_those_of_the_images_of_the_run(content: dict[str, Any], table: Path, tmp_path: Path) -> None:
    """Of each class four images were drawn, so that rows are not those of the source."""
    changes = {"data.source": str(table), "data.per_class": 4, "backbone.dim": None, "epochs": 1, "evaluate_every": 1}
    run = train(with_changes(config_from(content), changes), tmp_path / "few")
    views = pd.read_csv(table).set_index("path")["view"]
    frame = pd.read_parquet(run.path / "queries.parquet")
    expected = frame.groupby(frame["path"].map(views))["best map_at_r"].agg(["size", "mean"])
    found = query_table(run, "view", "map_at_r").set_index("view").loc[expected.index]
    assert found["queries"].tolist() == expected["size"].tolist()
    assert found["best"].tolist() == pytest.approx(expected["mean"].tolist())
    pd.read_csv(table).iloc[::-1].to_csv(table, index=False)
    with pytest.raises(InputError, match="The images of the run 'few' are not those that it measured"):
        query_table(run, "view")


def test_intervals_of_the_figures_are_in_the_report(run: RunFolder) -> None:
    report = run.report() or {}
    assert set(report["intervals"]) == {"untrained", "best", "last"}
    for which in ("best", "last"):
        for figure in ("recall_at_1", "map_at_r"):
            low, high = report["intervals"][which][figure]
            assert low <= report[which][figure] <= high
    frame = pd.read_parquet(run.path / "queries.parquet")
    drawn = np.random.default_rng(5).integers(5, size=(4000, 5))
    means = frame.groupby("class")["last map_at_r"].mean().to_numpy()[drawn].mean(axis=1)  # all classes have six images
    assert report["intervals"]["last"]["map_at_r"] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.02)


def test_a_mixture_keeps_what_was_before_training(run: RunFolder, tmp_path: Path) -> None:
    mix_run(run, tmp_path / "mixed", (1.0,))
    mixed, own = (pd.read_parquet(place / "queries.parquet") for place in (tmp_path / "mixed", run.path))
    assert mixed["untrained map_at_r"].tolist() == pytest.approx(own["untrained map_at_r"].tolist())
    assert mixed["last map_at_r"].tolist() == pytest.approx(own["best map_at_r"].tolist())
    assert mixed["best map_at_r"].tolist() == mixed["last map_at_r"].tolist()


def test_the_command_prints_the_table_and_says_what_there_is(run: RunFolder) -> None:
    shown = CliRunner().invoke(command_line(), ["runs", "table", str(run.path), "--by", "view", "--format", "csv"])
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[0] == "view,queries,untrained,best,gain,low,high"
    with pytest.raises(InputError, match=r"The images have no attribute 'color'; there are class, view"):
        query_table(run, "color")
    with pytest.raises(InputError, match=r"no figure 'speed' of its best weights; there are recall_at_1"):
        query_table(run, "class", "speed")
    (run.path / "queries.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"'queries.parquet' of the run 'run' is damaged"):
        query_table(run)
    (run.path / "queries.parquet").unlink()
    with pytest.raises(InputError, match="has no figures of its queries"):
        query_table(run)
