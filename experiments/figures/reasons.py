"""Are the reasons for likeness true, on every set of images at hand? Prints the table and writes experiments/results/reasons.csv.

python -m experiments.figures.reasons DATA HEADS   # DATA has flickr8k_700/, cub100/, cifar100/ and cifar100_superclasses.json; HEADS: the five heads
of experiments/figures/photo_notions.py
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from experiments.analyses.reasons import nouns_table, reasons_summary, reasons_table
from experiments.figures.photo_notions import BIRDS, DRAWINGS
from experiments.results import FOLDER as RESULTS
from likeness.commands.inputs import embedded, source_table
from likeness.commands.terminal import write_csv
from likeness.data import ImageTable
from likeness.defaults import PHOTOS_ENCODER
from likeness.notions import Notion, fitting_notions, get_notion
from likeness.space import Space

CHOICE = ("cars-small", "photos 0", "photos 1")  # that chose `likeness.reasons.CERTAIN`
_OF_A_CLASS = 30
_ANIMALS = ("aquatic mammals", "fish", "insects", "large carnivores", "large omnivores and herbivores", "medium-sized mammals", "reptiles")
# what CIFAR-100's superclasses are among the aspects of "main subject"; the others are several or none
_SUBJECTS = {
    **dict.fromkeys((*_ANIMALS, "non-insect invertebrates", "small mammals"), "an animal"),
    **dict.fromkeys(("flowers", "trees"), "a plant"),
    **dict.fromkeys(("vehicles 1",), "a vehicle"),
    "fruit and vegetables": "food",
    "household electrical devices": "a machine or a tool",
    "household furniture": "furniture",
    "large natural outdoor scenes": "a landscape",
    "people": "a person",
}


def sets(data: Path, heads: Path) -> Iterator[tuple[str, Space, list[Notion]]]:
    """Name, images in their encoder's space, and the notions that labels can judge."""
    for encoder in ("cars", "cars-small"):
        base = embedded(source_table("cars", None), encoder)
        yield encoder, base, [each for each in fitting_notions(base.table, encoder) if each.name != "car model names"]  # that car model stands before
    starter = replace(get_notion("setting"), attribute="setting")
    for drawing in range(DRAWINGS):
        head = heads / str(drawing)
        base = embedded(source_table(f"flickr:{data / 'flickr8k_700'}", head / "left_out.txt"), f"photos:{head}")
        yield f"photos {drawing}", base, [starter, *(each for each in fitting_notions(base.table) if each.attribute in base.table.attributes)]
    yield "cifar100", embedded(_cifar(data), PHOTOS_ENCODER), [replace(get_notion("main subject"), attribute="main_subject")]
    birds = source_table(f"cub200/all:{data / 'cub100'}", None)
    yield "birds", embedded(birds, PHOTOS_ENCODER), [get_notion(name) for name in BIRDS.split(",")]


def _cifar(data: Path) -> ImageTable:
    """The first photos of each class, with superclass and main subject."""
    of_class = {name: above for above, names in json.loads((data / "cifar100_superclasses.json").read_text()).items() for name in names}
    table = source_table(str(data / "cifar100"), None)
    frame = table.frame[table.frame.groupby("class").cumcount() < _OF_A_CLASS].reset_index(drop=True)
    above = frame["class"].str.replace(" ", "_").map(of_class)
    return replace(table, frame=frame.assign(superclass=above, main_subject=above.map(_SUBJECTS)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("heads", type=Path)
    given = parser.parse_args()
    found = []
    for name, base, notions in sets(given.data, given.heads):
        runs = [reasons_table(base, notions)]
        if name == "cifar100":
            runs.append(nouns_table(base, "superclass"))
        found.append(pd.concat(runs, ignore_index=True).assign(images=name, use="chosen on" if name in CHOICE else "judged on"))
        print(name, reasons_summary(found[-1]).to_string(index=False), sep="\n", flush=True)
        write_csv(RESULTS / "reasons.csv", pd.concat(found, ignore_index=True))


if __name__ == "__main__":
    main()
