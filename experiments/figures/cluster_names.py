"""Whether clusters' names say what is in them: prints `python -m experiments.analyses cluster-names` commands, writes
experiments/results/cluster-names.csv.

python -m experiments.figures.cluster_names DATA GROUPS   # DATA has cub100/ and cifar100/; GROUPS: JSON file of CIFAR-100's superclasses
python -m experiments.figures.cluster_names DATA GROUPS --only birds
python -m experiments.figures.results_report              # then puts the figures into the pages

Constants were chosen on 34 of every second class of CIFAR-100 by the alphabet, from the first on, with a look at the cars; the others judge.
"""

import argparse
import tempfile
from pathlib import Path

import pandas as pd

from experiments.figures.photo_notions import experiment
from experiments.results import FOLDER as RESULTS
from likeness.commands.terminal import write_csv
from likeness.io import read_figures

_EACH = 100  # photos of each class of CIFAR-100
CASES = ("birds", "cifar100, judging half", "cifar100, half of the choices", "cars", "cars, car color")


def half(data: Path, first: int, listing: Path) -> Path:
    """A listing of the first photos of every second class, from the class in that place on."""
    classes = sorted(folder for folder in (data / "cifar100").iterdir() if folder.is_dir())[first::2]
    photos = [file for folder in classes for file in sorted(folder.iterdir())[:_EACH]]
    listing.write_text("\n".join(str(file.relative_to(data / "cifar100")) for file in photos))
    return listing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("groups", type=Path)
    parser.add_argument("--only", choices=CASES, help="measure one set of images; the figures of the others stay")
    given = parser.parse_args()
    file = RESULTS / "cluster-names.csv"
    with tempfile.TemporaryDirectory() as folder:
        cifar = (str(given.data / "cifar100"), "--encoder", "photos", "--labels", "class", "--groups", str(given.groups), "--only")
        cases = {
            "birds": (f"cub200/all:{given.data / 'cub100'}", "--encoder", "photos", "--labels", "bird_species,bird_family"),
            "cifar100, judging half": (*cifar, str(half(given.data, 1, Path(folder) / "judging.txt"))),
            "cifar100, half of the choices": (*cifar, str(half(given.data, 0, Path(folder) / "choices.txt"))),
            "cars": ("cars", "--encoder", "cars", "--labels", "body_type,car_color,background_color"),
            "cars, car color": ("cars", "--encoder", "cars", "--notion", "car-color", "--labels", "car_color"),
        }
        for name in [given.only] if given.only else CASES:
            out = Path(folder) / "runs.csv"
            experiment("analyses", "cluster-names", *cases[name], "--out", str(out), "--force")
            known = [read_figures(file).query("images != @name")] if file.is_file() else []
            runs = pd.concat([*known, read_figures(out).assign(images=name)], ignore_index=True)
            runs["images"] = pd.Categorical(runs["images"], CASES)
            runs = runs.sort_values("images", kind="stable")
            write_csv(file, runs[["images", *runs.columns.drop("images")]].round(6))


if __name__ == "__main__":
    main()
