"""Every way to read a notion's words, on every notion and encoder at hand, and how far each can be trusted without labels: prints `likeness`
commands and writes experiments/results/notion-methods.csv, notion-trust.csv, unnamed-directions.csv, changed-images.csv and notion-algebra.csv.

python -m experiments.figures.notion_methods DATA WEIGHTS   # as experiments/figures/photo_notions.py; some minutes for the heads, then half an hour
python -m experiments.figures.notion_methods DATA WEIGHTS --models heads   # with the five heads that lie there, or are kept there
python -m experiments.figures.notion_methods DATA WEIGHTS --models heads --part trust
python -m experiments.figures.results_report                # then puts the figures into the texts
"""

import argparse
import tempfile
from pathlib import Path

import pandas as pd

from experiments.figures.photo_notions import BIRDS, DRAWINGS, METRICS, birds, captioned, experiment, fitted_head, likeness
from experiments.results import FOLDER as RESULTS
from likeness.commands.terminal import write_csv
from likeness.io import read_figures

CLOSED_FORM = "raw,pca,exact,faded,scaled-pca,crl,probabilities,clay,contrastive-pca,null-space"
WITH_CHANCE = "random-transform,lae,ae,adam,other-words"  # five seeds each, in the suggested dimensions
ENCODERS = ("cars", "cars-small")
# what is kept and what is changed by a word
PAIRS = (("car-model", "car-color"), ("car-color", "background-color"), ("car-color", "car-model"), ("viewpoint", "car-color"))


def cars(place: Path) -> pd.DataFrame:
    """The shipped cars: nine notions in the space of each shipped encoder, which was trained on the prompts of most."""
    found = []
    for encoder in ENCODERS:
        for methods, dims in ((CLOSED_FORM, "suggested,128"), (WITH_CHANCE, "suggested")):
            runs = place / "cars.csv"
            given = ("--encoder", encoder, "--notions", "all", "--methods", methods, "--dims", dims)
            likeness("evaluate", "cars", *given, "--metrics", METRICS, "--out", str(runs), "--force")
            found.append(read_figures(runs).assign(images=encoder))
    return pd.concat(found, ignore_index=True)


def photos(data: Path, weights: Path, place: Path) -> pd.DataFrame:
    """Captioned photos, evaluated by five heads that were fitted on others, each its own case; and birds, by the shipped encoder."""
    found = []
    for methods, dims in ((CLOSED_FORM, "suggested,128"), (WITH_CHANCE, "suggested")):
        given = ("--methods", methods, "--dims", dims)
        heads = captioned(data, weights, place, given)
        found += [heads.assign(images="photos " + heads["drawing"].astype(str)), birds(data, place, given).assign(images="birds")]
    return pd.concat(found, ignore_index=True)


def trust(data: Path, weights: Path, place: Path) -> pd.DataFrame:
    """Cars also in the space of the photo encoder, which was not trained on their words."""
    runs, found = place / "trust.csv", []
    sources: list[tuple[str, str, tuple[str, ...]]] = [("cars", encoder, ()) for encoder in (*ENCODERS, "photos")]
    heads = (fitted_head(data, weights, place, drawing) for drawing in range(DRAWINGS))
    sources += [(f"flickr:{data / 'flickr8k_700'}", f"photos:{head}", ("--only", str(head / "left_out.txt"))) for head in heads]
    sources += [(f"cub200/all:{data / 'cub100'}", "photos", ("--notions", BIRDS))]
    for source, encoder, options in sources:
        experiment("analyses", "trust", source, "--encoder", encoder, *options, "--out", str(runs), "--force")
        images = "cars by photos" if (source, encoder) == ("cars", "photos") else "birds" if "cub" in source else encoder
        found.append(read_figures(runs).assign(images=images.replace(f"photos:{place}/", "photos ")))
    return pd.concat(found, ignore_index=True)


def on_cars(analysis: str, place: Path) -> pd.DataFrame:
    """An analysis on the shipped cars only: "unnamed", each notion left out in turn, or "algebra", pairs of notions."""
    found = []
    for encoder in ENCODERS:
        experiment("analyses", analysis, "cars", "--encoder", encoder, "--out", str(place / f"{analysis}.csv"), "--force")
        found.append(read_figures(place / f"{analysis}.csv").assign(images=encoder))
    return pd.concat(found, ignore_index=True)


def changed(place: Path) -> pd.DataFrame:
    """Queries of an image and a word on the shipped cars, for four pairs of kept and changed notions."""
    found = []
    for encoder in ENCODERS:
        for keep, change in PAIRS:
            given = ("--encoder", encoder, "--keep", keep, "--change", change)
            experiment("analyses", "changed-images", "cars", *given, "--out", str(place / "changed.csv"), "--force")
            found.append(read_figures(place / "changed.csv").assign(images=encoder, keep=keep, change=change))
    return pd.concat(found, ignore_index=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--models", type=Path, help="folder of the five heads, which are fitted where they are not there")
    parser.add_argument("--part", choices=("methods", "trust", "unnamed", "changed", "algebra"), help="measure this alone")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = given.models or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        if given.part in (None, "methods"):
            runs = pd.concat([cars(place), photos(given.data, given.weights, place)], ignore_index=True)
            columns = ["images", "notion", "method", "dim", "seed", *METRICS.split(",")]
            write_csv(RESULTS / "notion-methods.csv", runs[columns].round(6))
        if given.part in (None, "trust"):
            found = trust(given.data, given.weights, place)
            write_csv(RESULTS / "notion-trust.csv", found[["images", *found.columns.drop("images")]].round(6))
        if given.part in (None, "unnamed"):
            write_csv(RESULTS / "unnamed-directions.csv", on_cars("unnamed", place).round(6))
        if given.part in (None, "changed"):
            write_csv(RESULTS / "changed-images.csv", changed(place).round(6))
        if given.part in (None, "algebra"):
            write_csv(RESULTS / "notion-algebra.csv", on_cars("algebra", place).round(6))


if __name__ == "__main__":
    main()
