"""Judges notions on photos by `likeness` commands, which it prints, and writes assets/results/captioned-notions.csv and birds-notions.csv.

python -m experiments.figures.photo_notions DATA WEIGHTS  # DATA has flickr8k_700/ and cub100/; WEIGHTS: timm's mobilenetv2_100 on ImageNet,
safetensors
python -m experiments.figures.photo_notions DATA WEIGHTS --methods exact,faded --models heads  # measures these anew, with heads that are there or
kept
python -m experiments.figures.results_report               # then puts the figures into the texts
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from likeness.commands.terminal import write_csv
from likeness.io import read_figures

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "assets/results"
DRAWINGS = 5
_LEFT_OUT = "297"
METRICS = "map_at_r,precision_at_1,zero_shot"
_DIMS = ("--dims", "suggested,128")
_QUICK = "random,raw,random-transform,pca,pca-faded,lae,ae,exact,adam,faded,other-words"  # the Oracle on 5,902 birds takes an hour
BIRDS = "cub200-species-names,cub200-family-names"


def likeness(*words: str) -> None:
    """Runs a command, after printing it."""
    _run("likeness", *words)


def experiment(*words: str) -> None:
    """Runs an experiment, after printing it."""
    _run("experiments", *words)


def _run(*words: str) -> None:
    print("python -m", shlex.join(words), flush=True)
    subprocess.run([sys.executable, "-m", *words], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)


def fitted_head(data: Path, weights: Path, place: Path, drawing: int) -> Path:
    """The folder of a head fitted on some of the captioned photos, with a list of the others."""
    model = place / str(drawing)
    if not (model / "left_out.txt").is_file():
        source = f"flickr:{data / 'flickr8k_700'}"
        experiment("photos", str(model), "--captions", source, "--weights", str(weights), "--leave-out", _LEFT_OUT, "--seed", str(drawing))
    return model


def captioned(data: Path, weights: Path, place: Path, options: tuple[str, ...]) -> pd.DataFrame:
    """Each head is fitted on some of the photos and evaluated on the others."""
    source, drawings = f"flickr:{data / 'flickr8k_700'}", []
    for drawing in range(DRAWINGS):
        model, runs = fitted_head(data, weights, place, drawing), place / f"{drawing}.csv"
        left_out = ("--encoder", f"photos:{model}", "--only", str(model / "left_out.txt"))
        likeness("evaluate", source, *left_out, *options, "--metrics", METRICS, "--out", str(runs), "--force")
        drawings.append(read_figures(runs).assign(drawing=drawing))
    found = pd.concat(drawings, ignore_index=True)
    return found[["drawing", *found.columns.drop("drawing")]]


def birds(data: Path, place: Path, options: tuple[str, ...]) -> pd.DataFrame:
    """The shipped encoder."""
    runs = place / "birds.csv"
    likeness("evaluate", f"cub200/all:{data / 'cub100'}", "--notions", BIRDS, *options, "--metrics", METRICS, "--out", str(runs), "--force")
    return read_figures(runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--methods", help="measure only these anew; the figures of the others stay")
    parser.add_argument("--models", type=Path, help="folder of the five heads, which are fitted where they are not there")
    given = parser.parse_args()
    only = ("--methods", given.methods) if given.methods else ()
    with tempfile.TemporaryDirectory() as folder:
        place = given.models or Path(folder)
        _write("captioned", captioned(given.data, given.weights, place, (*only, *_DIMS)), bool(only))
        _write("birds", birds(given.data, place, (*(only or ("--methods", _QUICK)), *_DIMS)), bool(only))


def _write(name: str, runs: pd.DataFrame, part: bool) -> None:
    file, runs = RESULTS / f"{name}-notions.csv", runs.drop(columns=["left_out", "fit_seconds"]).round(6)
    if part:
        before = read_figures(file)
        runs = pd.concat([before[~before["method"].isin(runs["method"])], runs], ignore_index=True)
        runs = runs.sort_values([name for name in ("drawing", "notion") if name in runs], kind="stable")
    write_csv(file, runs)


if __name__ == "__main__":
    main()
