"""Every way to read a notion's words, on every notion and encoder at hand: prints `likeness` commands and writes assets/results/notion-methods.csv.

python benchmarks/notion_methods.py DATA WEIGHTS   # as benchmarks/photo_notions.py; some minutes for the heads, then half an hour
python benchmarks/notion_methods.py DATA WEIGHTS --models heads   # with the five heads that lie there, or are kept there
python benchmarks/results_report.py                # then puts the figures into the texts
"""

import argparse
import tempfile
from pathlib import Path

import pandas as pd
from photo_notions import METRICS, RESULTS, birds, captioned, likeness

CLOSED_FORM = "raw,pca,exact,faded,scaled-pca,crl,probabilities,clay,contrastive-pca,null-space"
WITH_CHANCE = "random-transform,lae,ae,adam,other-words"  # five seeds each, in the suggested dimensions
ENCODERS = ("cars", "cars-small")


def cars(place: Path) -> pd.DataFrame:
    """The shipped cars: nine notions in the space of each shipped encoder, which was trained on the prompts of most."""
    found = []
    for encoder in ENCODERS:
        for methods, dims in ((CLOSED_FORM, "suggested,128"), (WITH_CHANCE, "suggested")):
            runs = place / "cars.csv"
            given = ("--encoder", encoder, "--notions", "all", "--methods", methods, "--dims", dims)
            likeness("evaluate", "cars", *given, "--metrics", METRICS, "--out", str(runs))
            found.append(pd.read_csv(runs).assign(images=encoder))
    return pd.concat(found, ignore_index=True)


def photos(data: Path, weights: Path, place: Path) -> pd.DataFrame:
    """Captioned photos, judged by five heads that were fitted on others, each a case of its own; and birds, by what ships."""
    found = []
    for methods, dims in ((CLOSED_FORM, "suggested,128"), (WITH_CHANCE, "suggested")):
        given = ("--methods", methods, "--dims", dims)
        heads = captioned(data, weights, place, given)
        found += [heads.assign(images="photos " + heads["drawing"].astype(str)), birds(data, place, given).assign(images="birds")]
    return pd.concat(found, ignore_index=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--models", type=Path, help="folder of the five heads, which are fitted where they are not there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = given.models or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        runs = pd.concat([cars(place), photos(given.data, given.weights, place)], ignore_index=True)
    columns = ["images", "notion", "method", "dim", "seed", *METRICS.split(",")]
    runs[columns].round(6).to_csv(RESULTS / "notion-methods.csv", index=False)


if __name__ == "__main__":
    main()
