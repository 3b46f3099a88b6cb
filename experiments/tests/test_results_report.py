"""docs/results.md and README.md hold the figures of the photos that judge notions, as assets/results has them."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]


def test_the_figures_in_the_texts_are_those_that_were_measured() -> None:
    report = "experiments.figures.results_report"
    checked = subprocess.run([sys.executable, "-m", report, "--check"], capture_output=True, text=True, check=False, cwd=ROOT)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("name", ["birds", "captioned"])
def test_every_notion_stands_beside_the_raw_encoder_and_the_control(name: str) -> None:
    runs = pd.read_csv(ROOT / f"assets/results/{name}-notions.csv")
    for notion, own in runs.groupby("notion"):
        assert {"random", "raw", "random-transform", "pca", "exact", "other-words"} <= set(own["method"]), notion
        assert own.loc[own["method"] == "other-words", "seed"].nunique() == 5
