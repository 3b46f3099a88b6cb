"""docs/results.md and docs/scale.md hold the figures of the results that they are made from."""

import subprocess
import sys
from pathlib import Path


def test_the_figures_in_the_texts_are_those_that_were_measured() -> None:
    report = Path(__file__).parents[1] / "benchmarks/scale_report.py"
    checked = subprocess.run([sys.executable, str(report), "--check"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
