"""Is the reliability score right on images that set none of its bounds? Things of CIFAR-100, rendered poses and rooms, by the encoder `photos`;
writes unseen-trust.csv of experiments/results.

python -m experiments.renders DATA/synthetic-poses -n 300 --what synthetic-poses
python -m experiments.renders DATA/synthetic-rooms -n 300 --what synthetic-rooms
python -m experiments.figures.unseen_trust DATA                        # DATA also has cifar100/ and cifar100_superclasses.json
python -m experiments.figures.results_report                           # then puts the figures into the texts
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from experiments.analyses.trust import trust_table
from experiments.figures.paper_curves import photos
from experiments.results import FOLDER as RESULTS
from likeness.commands.terminal import write_csv
from likeness.data import read_dataset
from likeness.embedding import embed
from likeness.notions import Notion
from likeness.space import Space

# Of each set the columns that judge and the templates, written before anything was measured; aspects are the labels.
TEMPLATES = {
    "things": {"class": "a photo of a {}", "superclass": "a photo of {}"},
    "poses": {
        "activity": "a person {}",
        "shirt_color": "a person in a {} shirt",
        "trousers_color": "a person in {} trousers",
        "hair_color": "a person with {} hair",
        "skin": "a person with {} skin",
        "background_color": "a person in front of a {} wall",
    },
    "rooms": {
        "wall_color": "a room with {} walls",
        "floor_color": "a room with a {} floor",
        "ceiling_color": "a room with a {} ceiling",
        "furniture_color": "a room with {} furniture",
        "wall_pattern": "a wall with {}",
        "floor_pattern": "a floor with {}",
    },
}


def spaces(data: Path) -> Iterator[tuple[str, Space]]:
    """The three sets; of CIFAR-100 the first 20 photos of each class."""
    things, _ = photos(data, "things")
    kinds = {each: kind for kind, members in json.loads((data / "cifar100_superclasses.json").read_text()).items() for each in members}
    frame = things.table.frame
    words = {"class": frame["class"].str.replace("_", " "), "superclass": frame["class"].map(kinds).str.replace("_", " ")}
    yield "things", things.replace(images=replace(things.table, frame=frame.assign(**words)))
    for name in ("poses", "rooms"):
        yield name, embed(read_dataset(str(data / f"synthetic-{name}" / "attributes.csv")), "photos")


def notions(name: str, space: Space) -> list[Notion]:
    """The notions of a set, judged by the column that they are called after."""
    frame = space.table.frame
    return [Notion(column.replace("_", " "), text, tuple(sorted(set(frame[column]))), attribute=column) for column, text in TEMPLATES[name].items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    given = parser.parse_args()
    found = [trust_table(space, notions(name, space)).assign(images=name) for name, space in spaces(given.data)]
    runs = pd.concat(found, ignore_index=True)
    write_csv(RESULTS / "unseen-trust.csv", runs[["images", *runs.columns.drop("images")]].round(6))


if __name__ == "__main__":
    main()
