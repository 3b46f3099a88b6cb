"""How good cut-offs are, and whether their promises are kept, on labeled queries of cars, birds, CIFAR-100 and captioned photos: prints `likeness`
commands, writes experiments/results/cut-offs.csv.

python -m experiments.figures.cut_offs DATA HEAD  # DATA has flickr8k_700/, cub100/, cifar100/; HEAD: a head of `python -m experiments.photos`, with
its
left_out.txt
python -m experiments.figures.cut_offs DATA HEAD --only birds
python -m experiments.figures.results_report       # then puts the figures into the pages
"""

import argparse
import tempfile
from pathlib import Path

import pandas as pd

from experiments.figures.photo_notions import experiment
from experiments.results import FOLDER as RESULTS
from likeness.commands.terminal import write_csv
from likeness.io import read_figures

CARS = "car-color,background-color,viewpoint,car-model"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("head", type=Path)
    parser.add_argument("--only", help="measure one of the sets; the figures of the others stay")
    given = parser.parse_args()
    head = ("--encoder", f"photos:{given.head}", "--only", str(given.head / "left_out.txt"))
    cases = {
        "cars": ("cars", "--encoder", "cars", "--notions", CARS),
        "birds": (f"cub200/all:{given.data / 'cub100'}", "--encoder", "photos", "--by", "bird_species"),
        "CIFAR-100": (str(given.data / "cifar100"), "--encoder", "photos", "--by", "class"),
        "photos": (f"flickr:{given.data / 'flickr8k_700'}", *head),
    }
    file = RESULTS / "cut-offs.csv"
    before = read_figures(file) if given.only and file.is_file() else pd.DataFrame()
    with tempfile.TemporaryDirectory() as folder:
        for name in [given.only] if given.only else cases:
            out = Path(folder) / f"{name}.csv"
            experiment("analyses", "cut-offs", *cases[name], "--out", str(out))
            runs = read_figures(out)
            runs.insert(0, "images", name)
            before = pd.concat([before[before["images"] != name] if len(before) else before, runs], ignore_index=True)
            write_csv(file, before)


if __name__ == "__main__":
    main()
