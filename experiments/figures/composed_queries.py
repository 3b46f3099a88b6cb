"""Judges composed queries on rendered cars and on captioned photos, and writes experiments/results/composed-queries.csv; ten minutes.

python -m experiments.figures.composed_queries DATA HEADS  # DATA has flickr8k_700/; HEADS: the five folders that
experiments/figures/photo_notions.py --models keeps
python -m experiments.figures.results_report                # then puts the figures into the texts

Of the cars it is `python -m experiments.analyses composed-queries --encoder ENCODER`; of the photos each head asks with its own sample of queries,
among photos
that it was not fitted on.
"""

import argparse
from pathlib import Path

import pandas as pd

from experiments.analyses.composed_queries import composed_choice, composed_queries, composed_table
from experiments.results import FOLDER
from likeness.commands.terminal import write_csv
from likeness.data import keep_listed, read_dataset
from likeness.embedding import embed

RESULT = FOLDER / "composed-queries.csv"
HEADS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("heads", type=Path)
    given = parser.parse_args()
    found = [composed_queries(embed("cars", encoder)).assign(images=encoder, dataset="cars") for encoder in ("cars", "cars-small")]
    photos = read_dataset(f"flickr:{given.data / 'flickr8k_700'}")
    for seed in range(HEADS):
        space = embed(keep_listed(photos, given.heads / str(seed) / "left_out.txt"), f"photos:{given.heads / str(seed)}")
        found.append(composed_queries(space, [seed]).assign(images="photos", dataset="photos"))
    runs = pd.concat(found, ignore_index=True).round(6)
    write_csv(RESULT, runs)
    print(composed_table(runs).to_string(index=False), composed_choice(runs).to_string(index=False), sep="\n\n")


if __name__ == "__main__":
    main()
