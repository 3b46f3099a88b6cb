"""Every way to read a notion's words, on every notion and encoder at hand, and how far each can be trusted without labels: prints `likeness`
commands and writes assets/results/notion-methods.csv, notion-trust.csv and unnamed-directions.csv.

python benchmarks/notion_methods.py DATA WEIGHTS   # as benchmarks/photo_notions.py; some minutes for the heads, then half an hour
python benchmarks/notion_methods.py DATA WEIGHTS --models heads   # with the five heads that lie there, or are kept there
python benchmarks/notion_methods.py DATA WEIGHTS --models heads --part trust
python benchmarks/results_report.py                # then puts the figures into the texts
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from photo_notions import BIRDS, DRAWINGS, METRICS, RESULTS, birds, captioned, fitted_head, likeness
from scipy.stats import spearmanr

from likeness.notions import METHOD_TITLES, METHODS, list_notions
from likeness.studies import leave_one_notion_out

CLOSED_FORM = "raw,pca,exact,faded,scaled-pca,crl,probabilities,clay,contrastive-pca,null-space"
WITH_CHANCE = "random-transform,lae,ae,adam,other-words"  # five seeds each, in the suggested dimensions
ENCODERS = ("cars", "cars-small")
_PAPER_DIM = 128


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


def trust(data: Path, weights: Path, place: Path) -> pd.DataFrame:
    """Cars also in the space of the encoder of photos, which has never seen their words."""
    runs, found = place / "trust.csv", []
    sources = [("cars", encoder, ()) for encoder in (*ENCODERS, "photos")]
    heads = (fitted_head(data, weights, place, drawing) for drawing in range(DRAWINGS))
    sources += [(f"flickr:{data / 'flickr8k_700'}", f"photos:{head}", ("--only", str(head / "left_out.txt"))) for head in heads]
    sources += [(f"cub200/all:{data / 'cub100'}", "photos", ("--notions", BIRDS))]
    for source, encoder, options in sources:
        likeness("analyze", "trust", source, "--encoder", encoder, *options, "--out", str(runs))
        images = "cars by photos" if (source, encoder) == ("cars", "photos") else "birds" if "cub" in source else encoder
        found.append(pd.read_csv(runs).assign(images=images.replace(f"photos:{place}/", "photos ")))
    return pd.concat(found, ignore_index=True)


def unnamed(place: Path) -> pd.DataFrame:
    """Directions that no word names, on the shipped cars, each notion left out in turn."""
    found = []
    for encoder in ENCODERS:
        likeness("analyze", "unnamed", "cars", "--encoder", encoder, "--out", str(place / "unnamed.csv"))
        found.append(pd.read_csv(place / "unnamed.csv").assign(images=encoder))
    return pd.concat(found, ignore_index=True)


def unnamed_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Of the notion that is left out, how much its label explains of the first direction of each kind."""
    first = runs[runs["direction"] == 1]
    means = first.groupby(["images", "notion", "row"], sort=False)["explained"].mean().unstack("row").map("{:.3f}".format)
    titles = {"unnamed": "first unnamed direction", "principal": "first principal component", "random": "random direction"}
    return means.rename(columns=titles)[list(titles.values())].rename_axis(columns=None).reset_index().rename(columns={"notion": "left out"})


def methods_table(runs: pd.DataFrame) -> pd.DataFrame:
    """MAP@R of each method on each set of images, the mean over notions, and over the five heads for photos; of methods whose dimensions are
    chosen, in those that the prompts suggest and in the paper's 128."""
    cases = _cases(_named(runs))
    counts = cases.groupby("row").size()
    means = cases.groupby(["row", "images"], sort=False)["map_at_r"].mean().unstack()
    means["all notions"] = cases.groupby("row")["map_at_r"].mean()
    complete = means[counts[means.index] == counts.max()].sort_values("all notions", ascending=False)
    control = METHOD_TITLES["other-words"]  # an encoder that knows few words can't read some of the drawings
    texts = pd.concat([complete, means.loc[[control]].rename(index={control: f"{control}, where known"})]).map("{:.3f}".format)
    for column in texts:
        texts.loc[complete[column].idxmax(), column] = f"**{complete[column].max():.3f}**"
    return texts.rename_axis(columns=None).reset_index().rename(columns={"row": "method", "index": "method"})


def winners_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per notion and images: the method that is best on all others, its MAP@R here, InDiReCT's, the raw encoder's, and the best method here."""
    labels = {notion.name: notion.attribute for notion in list_notions() if notion.attribute}
    cases = _cases(_named(runs)).rename(columns={"row": "method"})
    full = cases.groupby("method")["map_at_r"].transform("size") == cases.groupby(["images", "notion"]).ngroups
    found = leave_one_notion_out(cases[full], labels=labels)
    table = found[["images", "notion", "chosen", "score"]].assign(
        InDiReCT=found[METHOD_TITLES["exact"]], raw=found[METHOD_TITLES["raw"]], best=found["best"], best_score=found["best_score"]
    )
    figures = ["score", "InDiReCT", "raw", "best_score"]
    return table.assign(**{name: table[name].map("{:.3f}".format) for name in figures}).rename(
        columns={"chosen": "best on the others", "score": "MAP@R here", "raw": "raw encoder", "best": "best here", "best_score": "its MAP@R"}
    )


def trust_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Of each score: its rank correlation with MAP@R and with the gain over the raw encoder, over all notions and encoders, mean ± spread over seeds;
    and what the score is where words are turned into random directions."""
    lines = []
    for score, title in {"score": "Score", "stability": "Stability", "alignment": "Alignment", "halves": "Halves of the prompts"}.items():
        read, turned = (runs[runs["row"] == row] for row in ("as it is", "turned words"))
        found = [
            (spearmanr(own[score], own["map_at_r"])[0], spearmanr(own[score], own["map_at_r"] - own["raw"])[0]) for _, own in read.groupby("seed")
        ]
        names = ("rank correlation with MAP@R", "with the gain over the raw encoder")
        spread = {name: f"{np.mean(each):.3f} ± {np.std(each, ddof=1):.3f}" for name, each in zip(names, zip(*found, strict=True), strict=True)}
        lines.append({"without labels": title, **spread, "as it is": f"{read[score].mean():.3f}", "turned words": f"{turned[score].mean():.3f}"})
    return pd.DataFrame(lines)


def flags_table(runs: pd.DataFrame) -> pd.DataFrame:
    """How InDiReCT does against the raw encoder where the encoder is said to read a notion and where not; a notion and encoder count once."""
    own = runs[runs["row"] == "as it is"].groupby(["images", "notion"], sort=False)[["reads", "map_at_r", "raw"]].mean().reset_index()
    own["verdict"] = np.where(own["reads"] > 0.5, "reads it", "flagged")
    lines = []
    for verdict, part in own.groupby("verdict", sort=False):
        gain = part["map_at_r"] - part["raw"]
        lines.append(
            {
                "verdict": verdict,
                "notions and encoders": len(part),
                "InDiReCT": f"{part['map_at_r'].mean():.3f}",
                "raw encoder": f"{part['raw'].mean():.3f}",
                "smallest gain": f"{gain.min():+.3f}",
                "largest gain": f"{gain.max():+.3f}",
            }
        )
    return pd.DataFrame(lines)


def _named(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with a title for each method and choice of dimensions, and the five heads as one set of images."""
    chosen = [name for name, method in METHODS.items() if method.dims]
    suggested = runs[runs["method"] == "exact"].groupby(["images", "notion"])["dim"].min()
    sizes = pd.Series(runs.set_index(["images", "notion"]).index.map(suggested), index=runs.index)
    large = runs["method"].isin(chosen) & (runs["dim"] == _PAPER_DIM) & (sizes != _PAPER_DIM)
    titles = runs["method"].map(METHOD_TITLES).where(~large, runs["method"].map(METHOD_TITLES) + ", 128")
    return runs.assign(row=titles, images=runs["images"].str.replace(r" \d", "", regex=True))


def _cases(named: pd.DataFrame) -> pd.DataFrame:
    return named.groupby(["row", "images", "notion"], sort=False)["map_at_r"].mean().dropna().reset_index()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--models", type=Path, help="folder of the five heads, which are fitted where they are not there")
    parser.add_argument("--part", choices=("methods", "trust", "unnamed"), help="measure this alone")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = given.models or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        if given.part in (None, "methods"):
            runs = pd.concat([cars(place), photos(given.data, given.weights, place)], ignore_index=True)
            columns = ["images", "notion", "method", "dim", "seed", *METRICS.split(",")]
            runs[columns].round(6).to_csv(RESULTS / "notion-methods.csv", index=False)
        if given.part in (None, "trust"):
            found = trust(given.data, given.weights, place)
            found[["images", *found.columns.drop("images")]].round(6).to_csv(RESULTS / "notion-trust.csv", index=False)
        if given.part in (None, "unnamed"):
            unnamed(place).round(6).to_csv(RESULTS / "unnamed-directions.csv", index=False)


if __name__ == "__main__":
    main()
