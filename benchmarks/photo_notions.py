"""Judges notions on photos by `likeness` commands, which it prints, and writes assets/results/captioned-notions.csv and birds-notions.csv.

python benchmarks/photo_notions.py DATA WEIGHTS   # DATA has flickr8k_700/ and cub100/; WEIGHTS: timm's mobilenetv2_100 on ImageNet, safetensors
python benchmarks/notions_report.py               # then puts the figures into the texts
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

RESULTS = Path(__file__).parents[1] / "assets/results"
DRAWINGS = 5
_LEFT_OUT = "297"
_DIMS, _METRICS = "suggested,128", "map_at_r,precision_at_1,zero_shot"
_QUICK = "random,raw,random-transform,pca,lae,ae,exact,adam,other-words"  # the Oracle on 5,902 birds takes an hour
_BIRDS = "cub200-species-names,cub200-family-names"


def likeness(*words: str) -> None:
    """Runs a command, after printing it."""
    print("likeness", shlex.join(words), flush=True)
    subprocess.run([sys.executable, "-m", "likeness", *words], check=True, stdout=subprocess.DEVNULL)


def captioned(data: Path, weights: Path, place: Path) -> pd.DataFrame:
    """Each head is fitted on some of the photos and judged on the others."""
    source, drawings = f"flickr:{data / 'flickr8k_700'}", []
    for seed in map(str, range(DRAWINGS)):
        model, runs = place / seed, place / f"{seed}.csv"
        likeness("train-photos", str(model), "--captions", source, "--weights", str(weights), "--leave-out", _LEFT_OUT, "--seed", seed)
        left_out = ("--encoder", f"photos:{model}", "--only", str(model / "left_out.txt"))
        likeness("evaluate", source, *left_out, "--dims", _DIMS, "--metrics", _METRICS, "--out", str(runs))
        drawings.append(pd.read_csv(runs).assign(drawing=int(seed)))
    found = pd.concat(drawings, ignore_index=True)
    return found[["drawing", *found.columns.drop("drawing")]]


def birds(data: Path, place: Path) -> pd.DataFrame:
    """What ships, as it is."""
    runs = place / "birds.csv"
    methods = ("--methods", _QUICK, "--dims", _DIMS, "--metrics", _METRICS)
    likeness("evaluate", f"cub200/all:{data / 'cub100'}", "--notions", _BIRDS, *methods, "--out", str(runs))
    return pd.read_csv(runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _write("captioned", captioned(given.data, given.weights, place))
        _write("birds", birds(given.data, place))


def _write(name: str, runs: pd.DataFrame) -> None:
    runs.drop(columns="fit_seconds").round(6).to_csv(RESULTS / f"{name}-notions.csv", index=False)


if __name__ == "__main__":
    main()
