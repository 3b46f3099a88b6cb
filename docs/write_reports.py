"""Writes docs/reports/*.html, which open in a browser without an install: `python docs/write_reports.py`, a few minutes with the training of the run.

To be run again when a report shows or says something new; tests/reports/test_shipped_reports.py tells when a figure changes.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).with_name("reports")
# file -> the command that makes it
REPORTS = {
    "car-color.html": "likeness report cars --notion car-color --images 600 --megabytes 0.8",
    "paint.html": "likeness report cars --notion 'car-color + 0.5 car-model - background-color' --images 600 --megabytes 0.8",
    "trained-run.html": "likeness report --run shipped-cars-elg --images 600 --megabytes 0.8",
}


def main() -> None:
    """Trains the run in a folder of its own, and writes the files."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as runs:
        for line in ["likeness train shipped-cars-elg", *(f"{line} --out {FOLDER / name}" for name, line in REPORTS.items())]:
            words = [sys.executable, "-m", *shlex.split(line)]
            subprocess.run(words, check=True, env={**os.environ, "LIKENESS_RUNS": runs})


if __name__ == "__main__":
    main()
