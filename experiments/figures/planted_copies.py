"""Are copies of pictures found? On rendered cars, birds and small photos: prints `likeness` commands, writes experiments/results/planted-copies.csv.

python -m experiments.figures.planted_copies DATA        # DATA has cub100/ and cifar100/; a few minutes
python -m experiments.figures.results_report             # then puts the figures into the pages
"""

import argparse
import tempfile
from pathlib import Path

import pandas as pd

from experiments.figures.photo_notions import experiment
from experiments.results import FOLDER as RESULTS
from likeness.commands.terminal import write_csv
from likeness.io import read_figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    given = parser.parse_args()
    cases = {
        "cars": ("cars", "--encoder", "cars"),
        "birds": (f"cub200/all:{given.data / 'cub100'}", "--encoder", "photos"),
        "CIFAR-100, 32 px": (str(given.data / "cifar100"), "--encoder", "photos"),
    }
    found: list[pd.DataFrame] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, words in cases.items():
            out = Path(folder) / f"{len(found)}.csv"
            experiment("analyses", "copies", *words, "--images", "100", "--seeds", "3", "--out", str(out))
            found.append(read_figures(out).assign(images=name))
            runs = pd.concat(found, ignore_index=True)
            write_csv(RESULTS / "planted-copies.csv", runs[["images", *runs.columns.drop("images")]])


if __name__ == "__main__":
    main()
