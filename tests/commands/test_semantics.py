"""`likeness analyze semantics` as a person meets it."""

from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from worlds import Run


@pytest.fixture
def run(run: Run) -> Run:
    """Runs `likeness analyze semantics ...`; exit status, stdout and stderr."""
    return lambda *arguments: run("analyze", "semantics", *arguments)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Plain images in the classes 01.Red_Van (3), 02.Blue_Van (3), 03.Bicycle (1)."""
    for name, color, count in (("01.Red_Van", (200, 60, 20), 3), ("02.Blue_Van", (20, 60, 200), 3), ("03.Bicycle", (20, 200, 60), 1)):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for shade in range(count):
            Image.new("RGB", (40, 40), tuple(part + 10 * shade for part in color)).save(tmp_path / "photos" / name / f"{shade}.png")
    return tmp_path / "photos"


def _printed(text: str) -> pd.DataFrame:
    return pd.read_csv(StringIO(text), dtype=str)


def test_two_spaces_of_the_shipped_images(ok: Any, tmp_path: Path) -> None:
    out, plot = tmp_path / "classes.csv", tmp_path / "maps.html"
    printed, err = ok("-a", "body_type", "-n", "car-model", "--dim", "8", "--format", "csv", "--out", out, "--plot", plot)
    table = _printed(printed)
    assert list(table.columns) == ["space", "KL images", "KL classes", "rank correlation", "own class", "related", "random"]
    assert table["space"].tolist() == ["cars", "cars, car model"]
    own = table["own class"].astype(float).tolist()
    assert own[0] < own[1]
    assert table["random"].nunique() == 1
    per_class = pd.read_csv(out)
    assert per_class.groupby("space", sort=False)["class"].agg(list).map(len).tolist() == [6, 6]
    mean = np.average(per_class["image_divergence"][:6], weights=per_class["images"][:6])
    assert float(table["KL images"][0].split(" ± ")[0]) == pytest.approx(mean, rel=5e-3)
    assert "related changes most from cars to cars, car model for:" in err
    page = plot.read_text(encoding="utf-8")
    assert "<title>Similarities of classes</title>" in page
    assert f"rank correlation {float(table['rank correlation'][1]):.2f}" in page


def test_queries_are_the_papers_figure_3(ok: Any, tmp_path: Path) -> None:
    plot = tmp_path / "figure3.html"
    printed, _ = ok("-n", "car-color", "-q", "Red van", "-q", "navy suv", "--top", "3", "--format", "csv", "--plot", plot)
    table = _printed(printed)
    assert list(table.columns) == ["query", "class", "language similarity", "cars", "cars, car color"]
    assert table["query"].tolist() == ["red van"] * 3 + ["navy suv"] * 3
    navy = table[table["query"] == "navy suv"]
    assert navy["language similarity"].astype(float).is_monotonic_decreasing
    assert navy["cars, car color"].astype(int).sum() > navy["cars"].astype(int).sum()
    assert "<title>Other classes among the 20 nearest images</title>" in plot.read_text(encoding="utf-8")


def test_a_folder_has_its_classes_and_their_names_are_cleaned(ok: Any, photos: Path) -> None:
    printed, _ = ok(photos, "--min-images", "2", "--neighbors", "4", "-q", "red van", "--format", "csv")
    assert _printed(printed)["class"].tolist() == ["Blue Van"]


def test_classes_that_a_run_has_not_seen(run: Run, ok: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.embedding import embed
    from likeness.training.config import DataConfig, RunConfig
    from likeness.training.runs.run_folder import RunFolder

    RunFolder(tmp_path / "run").create(RunConfig(data=DataConfig(source="cars", attribute="car_color")))
    name = f"run:{tmp_path / 'run'}"
    # the weights play no part here: the shipped encoder stands in for the run
    monkeypatch.setattr("likeness.commands.semantics.embedded", lambda table, encoder: embed(table, "cars"))
    out = tmp_path / "classes.csv"
    _, err = ok("-e", name, "-a", "car_color", "--unseen", "--out", out)
    assert pd.read_csv(out)["class"].tolist() == ["navy", "olive", "orange", "purple", "red", "silver", "teal", "white", "yellow"]
    status, _, err = run("-e", name, "-a", "body_type", "--unseen")
    assert status == 2
    assert "was trained on the classes of car_color, not body_type; write --attribute car_color." in err
