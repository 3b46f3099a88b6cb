"""Clicks until 95 % of the images have the right label, by labels that spread and without: prints `likeness` commands and writes
experiments/results/label-spreading.csv.

python -m experiments.figures.label_spreading DATA        # DATA has cub100/ and cifar100/ (a folder per class); an hour on two cores
python -m experiments.figures.label_spreading DATA --only cars
python -m experiments.figures.results_report              # then puts the figures into the pages

Of CIFAR-100, 10,000 images are drawn from those after the first hundred of each class; with the first hundred, and cars as
the smaller encoder sees them, the settings of `likeness.spreading` and the order of the screens were chosen.
"""

import argparse
import tempfile
from pathlib import Path

import pandas as pd

from experiments.figures.photo_notions import experiment
from experiments.results import FOLDER as RESULTS
from likeness.commands.terminal import write_csv
from likeness.io import read_figures

CASES = ("cars", "birds", "cifar100")
_FILE = RESULTS / "label-spreading.csv"
_CHOSEN_ON = 100  # images of each class of CIFAR-100, which do not judge


def command(case: str, data: Path, place: Path) -> tuple[str, ...]:
    """Arguments of `python -m experiments.analyses label-spreading`."""
    if case == "cars":
        return ("cars", "--notions", "car-color,car-model", "--encoder", "cars", "--seeds", "5")
    if case == "birds":
        return (f"cub200/all:{data / 'cub100'}", "--notions", "cub200-bird-species", "--encoder", "photos", "--seeds", "3")
    notion, judging = _cifar100(data / "cifar100", place)
    return (str(data / "cifar100"), "--notions", str(notion), "--encoder", "photos", "--only", str(judging), "--seeds", "3")


def _cifar100(folder: Path, place: Path) -> tuple[Path, Path]:
    """A notion of the hundred class names, and the list of the images that judge."""
    from likeness.data import read_dataset
    from likeness.notions import Notion, write_notion

    frame = read_dataset(str(folder)).frame
    names = [name.replace("_", " ") for name in sorted(frame["class"].unique())]
    judging = frame.loc[frame.groupby("class").cumcount() >= _CHOSEN_ON, "path"]
    (place / "judging.txt").write_text("".join(f"{path}\n" for path in judging))
    write_notion(place / "notion.yaml", Notion("CIFAR-100 class names", "a photo of a {}", tuple(names), attribute="class"))
    return place / "notion.yaml", place / "judging.txt"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", choices=CASES, help="measure these images; the figures of the others stay")
    given = parser.parse_args()
    for case in [given.only] if given.only else CASES:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "runs.csv"
            experiment("analyses", "label-spreading", *command(case, given.data, Path(folder)), "--out", str(out))
            runs = read_figures(out).assign(dataset=case)
        before = read_figures(_FILE) if _FILE.exists() else runs[:0]
        kept = [before[before["dataset"] == each] if each != case else runs for each in CASES]
        found = pd.concat([each for each in kept if len(each)], ignore_index=True)
        write_csv(_FILE, found[["dataset", *found.columns.drop("dataset")]])


if __name__ == "__main__":
    main()
