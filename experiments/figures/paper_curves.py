"""Figures 3 and 5 of the InDiReCT paper, and PCA at its 128 dimensions, on photos by the encoder `photos`, whose text side has more than 128
directions; writes birds-sizes.csv, birds-prompts.csv, things-sizes.csv and things-prompts.csv of experiments/results.

python -m experiments.figures.paper_curves DATA                        # DATA has cub100/ and cifar100/; a few minutes
python -m experiments.figures.paper_curves DATA --part birds-sizes    # measures this alone
python -m experiments.figures.results_report                           # then puts the figures into the texts
"""

import argparse
from dataclasses import replace
from pathlib import Path

import pandas as pd

from experiments.results import FOLDER as RESULTS
from likeness.commands.terminal import write_csv
from likeness.data import read_dataset
from likeness.embedding import embed
from likeness.language import imagenet_names
from likeness.notions import Notion, get_notion, text_rank
from likeness.space import Space
from likeness.studies import embedding_sizes, prompt_counts

IMAGES, PARTS = ("birds", "things"), ("sizes", "prompts")
_EACH = 20  # photos of a class: 2,000 images in all, as of the cars
_SIZES = (2, 4, 8, 16, 32, 64, 128, 256)
_FIXED, _DRAWN = ("raw", "pca", "exact", "faded"), ("random-transform", "other-words")  # the minimum is the same for every seed
_ADAM = (128,)  # sizes at which the paper's procedure is fitted, too
_COUNTS = tuple(range(10, 151, 20))


def photos(data: Path, images: str) -> tuple[Space, Notion]:
    """The first 20 photos of each of 100 classes, and more names than 128 for them: of birds those of both lists that ship, the species here and
    those that the paper's prompts name; of CIFAR-100's things those of ImageNet's classes.
    """
    table = read_dataset(f"cub200/all:{data / 'cub100'}" if images == "birds" else str(data / "cifar100"))
    label = "bird_species" if images == "birds" else "class"
    first = table.frame.groupby(label, sort=False).head(_EACH).reset_index(drop=True)
    species, others = get_notion("cub200-species-names"), get_notion("cub200-bird-species")
    birds = replace(species, name="bird names", aspects=tuple({each.casefold(): each for each in (*species.aspects, *others.aspects)}.values()))
    things = Notion("ImageNet names", "a photo of a {}", tuple(dict.fromkeys(imagenet_names())), attribute="class")
    return embed(replace(table, frame=first), "photos"), birds if images == "birds" else things


def curve(base: Space, notion: Notion, part: str) -> pd.DataFrame:
    """The runs of Figure 3 ("sizes") or of Figure 5 ("prompts"), there to 128 dimensions and to the suggested ones, with the number of directions in
    which the prompts vary. Adam, the paper's procedure, stands at its 128, where the prompts are few enough for it.
    """
    if part == "sizes":
        runs = [embedding_sizes(base, [notion], _FIXED, _SIZES, (0,)), embedding_sizes(base, [notion], _DRAWN, _SIZES)]
        if len(notion.prompts) <= 2 * max(_COUNTS):
            runs.append(embedding_sizes(base, [notion], ("adam",), _ADAM))
        return pd.concat(runs, ignore_index=True).assign(rank=text_rank(base.embed_aspects(notion)[0]))
    counts = [count for count in _COUNTS if count <= len(notion.aspects)]
    at_128 = prompt_counts(base, notion, counts, ("raw", "random-transform", "pca", "exact"))
    suggested = prompt_counts(base, notion, counts, ("exact",), "suggested")
    return pd.concat([at_128, suggested.assign(method="suggested")], ignore_index=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--part", choices=[f"{images}-{part}" for images in IMAGES for part in PARTS], help="measure this alone")
    given = parser.parse_args()
    for images in IMAGES:
        parts = [part for part in PARTS if given.part in (None, f"{images}-{part}")]
        if not parts:
            continue
        base, notion = photos(given.data, images)
        for part in parts:
            runs = curve(base, notion, part).drop(columns=["left_out", "fit_seconds"])
            write_csv(RESULTS / f"{images}-{part}.csv", runs.round(6))


if __name__ == "__main__":
    main()
