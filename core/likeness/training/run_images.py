"""The images of a run: who trains, who validates, who tests. Needs no torch."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import ImageTable, image_classes, read_dataset
from likeness.data.folder import natural_key
from likeness.data.paper_datasets import is_paper_source
from likeness.errors import InputError
from likeness.training.config import DataConfig

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class RunImages:
    """The images of a run and their parts.

    Attributes:
        table: all images in use.
        names: the classes in natural order.
        labels: (n,) number of each image's class in `names`.
        train, validation, test: row numbers of `table`; test classes are in neither of the others.
    """

    table: ImageTable
    names: list[str]
    labels: Rows
    train: Rows
    validation: Rows
    test: Rows

    @property
    def train_classes(self) -> list[str]:
        """Names of the classes that train, numbered as in `labels`."""
        return self.names[: int(self.labels[self.train].max()) + 1]


def run_images(config: DataConfig, seed: int) -> RunImages:
    """Reads the dataset and divides it: the first classes train, the rest test; of the training images a random part validates.

    Raises:
        InputError: an attribute that is not there or has gaps, too few classes, a training class without a second image.
    """
    table, first = _official(config.source) if config.split == "official" else (read_dataset(config.source), 0)
    classes = image_classes(table, config.attribute)
    names, values = classes.names, [classes.names[number] for number in classes.labels]
    count = round(config.train_classes * len(names))
    if first:
        training_names = sorted(set(values[:first]), key=natural_key)
        both = set(training_names) & set(values[first:])
        if both:
            raise InputError(f"The class '{min(both)}' of '{table.name}' is in the train and in the test part; choose another attribute.")
        names, count = [*training_names, *(name for name in names if name not in training_names)], len(training_names)
    if count < 2 or len(names) - count < 2:
        raise InputError(f"'{table.name}' has {len(names)} classes; {count} to train and {len(names) - count} to test are too few, each needs two.")
    place = {name: number for number, name in enumerate(names)}
    labels = np.array([place[value] for value in values], dtype=np.int64)
    rng = np.random.default_rng([seed, 1])
    if config.per_class:
        kept = np.sort(np.concatenate([rng.permutation(np.flatnonzero(labels == each))[: config.per_class] for each in range(len(names))]))
        table, labels = ImageTable(table.name, table.root, table.frame.iloc[kept]), labels[kept]
    training = np.flatnonzero(labels < count)
    held = rng.permutation(training)[: round(config.validation * len(training))]
    train = np.setdiff1d(training, held)
    if len(np.unique(labels[train])) < 2:
        raise InputError(f"After {config.validation:.0%} were held out, fewer than two classes are left to train; hold out less.")
    return RunImages(table, names, labels, train, np.sort(held), np.flatnonzero(labels >= count))


def _official(source: str) -> tuple[ImageTable, int]:
    """The train and the test part of a paper's dataset in one table, and how many images train."""
    if not is_paper_source(source):
        raise InputError(f"'{source}' has no official split; name a paper's dataset, such as 'cub200:FOLDER', or split by classes.")
    name, _, folder = source.partition(":")
    parts = [read_dataset(f"{name.partition('/')[0]}/{part}:{folder}") for part in ("train", "test")]
    frame = pd.concat([part.frame for part in parts], ignore_index=True)
    return ImageTable(parts[1].name, parts[1].root, frame), len(parts[0])
