"""`likeness continuous`: what it prints, and what it refuses."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from worlds import Run


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """Gray pictures, 14 of them, whose brightness is a column."""
    values = np.random.default_rng(0).permutation(14) * 18
    for number, value in enumerate(values):
        Image.new("RGB", (32, 32), (int(value),) * 3).save(tmp_path / f"{number}.png")
    frame = pd.DataFrame({"path": [f"{number}.png" for number in range(14)], "brightness": values, "name": ["x"] * 14})
    frame.to_csv(tmp_path / "gray.csv", index=False)
    return tmp_path / "gray.csv"


def test_a_line_per_space_and_its_bounds(run: Run, listed: Path, tmp_path: Path) -> None:
    status, out, _ = run(
        "continuous", str(listed), "--kind", "numbers", "--columns", "brightness", "--out", str(tmp_path / "a.csv"), "--format", "csv"
    )
    assert status == 0
    lines = [line.split(",") for line in out.strip().splitlines()]
    assert [line[0] for line in lines] == ["space", "photos", "chance", "oracle"]
    shipped, chance, oracle = (float(line[2]) for line in lines[1:])
    assert oracle <= shipped < chance
    assert float(lines[3][3]) == 1
    written = pd.read_csv(tmp_path / "a.csv")
    assert written["row"].tolist() == ["photos"]
    assert written["mean_label_distance_at_10"][0] == pytest.approx(shipped, abs=1e-4)


def test_the_shipped_cars_by_viewpoint(run: Run) -> None:
    status, out, _ = run("continuous", "--notion", "viewpoint", "--format", "csv")
    assert status == 0
    figures = {line.split(",")[0]: float(line.split(",")[2]) for line in out.strip().splitlines()[1:]}
    assert figures["oracle"] < figures["viewpoint"] < figures["cars"] < figures["chance"]
