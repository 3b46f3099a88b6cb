"""`likeness analyze convergence` as a person meets it."""

from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import RunFolder
from worlds import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two seeds of "base", one run "ELG", one that has not measured anything."""
    for name, seed, scores in (("base", 0, [0.2, 0.4]), ("base", 1, [0.4, 0.6]), ("ELG", 0, [0.6, 0.7]), ("late", 0, [])):
        run = RunFolder(tmp_path / "runs" / f"{name}-{seed}")
        run.create(RunConfig(name=name, seed=seed))
        for epoch, score in enumerate(scores, start=1):
            run.append_metrics({"step": epoch, "epoch": epoch, "recall_at_1": score, "map_at_1000": score / 2})
    return tmp_path / "runs"


def test_prints_writes_and_draws(run: Run, folder: Path, tmp_path: Path) -> None:
    out, plot = tmp_path / "points.csv", tmp_path / "curves.html"
    status, printed, err = run("analyze", "convergence", str(folder), "--format", "csv", "--out", str(out), "--plot", str(plot))
    assert status == 0, err
    table = pd.read_csv(StringIO(printed), dtype=str)
    assert list(table.columns) == ["run", "seeds", "best R@1", "at epoch", "last", "0.500 at epoch"]
    assert table.to_numpy().tolist() == [["base", "2", "0.500 ± 0.100", "2", "0.500", "2"], ["ELG", "1", "0.700", "2", "0.700", "1"]]
    assert "late-0 has not measured recall_at_1 yet" in err
    assert list(pd.read_csv(out).columns) == ["run", "seed", "epoch", "recall_at_1"]
    assert len(pd.read_csv(out)) == 6
    assert "<title>R@1 by epoch</title>" in plot.read_text(encoding="utf-8")
