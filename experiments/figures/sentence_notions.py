"""Notions from one sentence, and clicks on neighbors, on all notions at hand: prints `likeness` commands, writes sentence-notions.csv and
clicked-notions.csv of assets/results.

python -m experiments.figures.sentence_notions DATA HEAD  # DATA has flickr8k_700/ and cub100/; HEAD: a head of `python -m experiments.photos` with
its
left_out.txt
python -m experiments.figures.sentence_notions DATA HEAD --only clicks
python -m experiments.figures.sentence_notions DATA HEAD --images photos   # measures these anew; the figures of the others stay
python -m experiments.figures.results_report               # then puts the figures into the pages
"""

import argparse
import tempfile
from pathlib import Path

import pandas as pd

from experiments.figures.photo_notions import experiment
from experiments.results import FOLDER as RESULTS
from likeness.commands.terminal import write_csv
from likeness.io import read_figures

ANALYSES = {"sentences": "sentence-notions", "clicks": "clicked-notions"}
# An Oracle of half of the birds takes minutes.
SEEDS = {"clicks": {"birds": ("--seeds", "2")}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("head", type=Path)
    parser.add_argument("--only", choices=ANALYSES, help="measure one of the two; the figures of the other stay")
    parser.add_argument("--images", choices=("cars", "cars-small", "photos", "birds"), help="measure these alone; the figures of the others stay")
    given = parser.parse_args()
    head = ("--encoder", f"photos:{given.head}", "--only", str(given.head / "left_out.txt"))
    cases = {
        "cars": ("cars", "--encoder", "cars"),
        "cars-small": ("cars", "--encoder", "cars-small"),
        "photos": (f"flickr:{given.data / 'flickr8k_700'}", *head),
        "birds": (f"cub200/all:{given.data / 'cub100'}", "--encoder", "photos"),
    }
    for analysis in [given.only] if given.only else ANALYSES:
        found = []
        with tempfile.TemporaryDirectory() as folder:
            for name, words in cases.items():
                if given.images not in (None, name):
                    found.append(read_figures(RESULTS / f"{ANALYSES[analysis]}.csv").query("images == @name"))
                    continue
                out = Path(folder) / f"{name}.csv"
                experiment("analyses", analysis, *words, *SEEDS.get(analysis, {}).get(name, ()), "--out", str(out))
                found.append(read_figures(out).assign(images=name))
        runs = pd.concat(found, ignore_index=True)
        if "left_out" in runs:
            runs = runs.fillna({"left_out": 0}).astype({"left_out": int})
        write_csv(RESULTS / f"{ANALYSES[analysis]}.csv", runs[["images", *runs.columns.drop("images")]])


if __name__ == "__main__":
    main()
