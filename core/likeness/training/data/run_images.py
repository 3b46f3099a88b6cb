"""Images of a run, and their split into training, validation and test. Needs no torch."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import ImageTable, add_label_files, has_label, image_classes, labeled_images, natural_key, read_dataset, read_official_parts
from likeness.errors import InputError
from likeness.labels import LabelDistances, label_distances, shuffled_labels
from likeness.training.data_config import DataConfig

Rows = NDArray[np.int64]
# names of parts in the attribute "split"; for testing, the first one that exists
_TRAIN_NAMES = ("train", "training", "restval")
_TEST_NAMES = (("test", "testing", "query", "gallery"), ("val", "valid", "validation", "dev", "eval", "evaluation"))


@dataclass(frozen=True)
class RunImages:
    """The images of a run and their parts.

    Attributes:
        table: all images in use.
        names: the classes: for training, validation and testing, each in natural order.
        labels: (n,) number of each image's class in `names`; -1 for unlabeled images and for classes that are not in the file's split. These stay in
            the table, so that what is computed for all images serves all splits.
        train, validation, test: row numbers of `table`; no class is in two of them.
        queries: the queries among `test`, for evaluation by continuous labels, or by classes if an attribute names them; the rest is the gallery. If
            all are queries, each searches all others.
        validation_queries: those among `validation` that the attribute names.
        cameras: (n,) of each image, for evaluation; None: they do not matter.
        distances: continuous labels of all images, if the run has any. Without classes, all images have the label 0.
        shuffled: the continuous labels for training, if they differ from `distances`, which are for evaluation.
        left_out: unlabeled images, which are not used.
    """

    table: ImageTable
    names: list[str]
    labels: Rows
    train: Rows
    validation: Rows
    test: Rows
    queries: Rows = field(default_factory=lambda: np.array([], dtype=np.int64))
    validation_queries: Rows = field(default_factory=lambda: np.array([], dtype=np.int64))
    cameras: NDArray[np.object_] | None = None
    distances: LabelDistances | None = None
    shuffled: LabelDistances | None = None
    left_out: int = 0

    @property
    def lone_note(self) -> str:
        """A sentence that counts the test images without another image of their class, which cannot be retrieved; "" if there are none."""
        alone = _alone(self.labels, self.test, self.queries) if self.distances is None else 0
        if not alone:
            return ""
        if len(self.queries):
            return f"{alone:,} of {len(self.queries):,} queries have no gallery image of their class: recall counts misses, and MAP@R ignores them."
        which = "test images is the only one of its class" if alone == 1 else "test images are the only ones of their classes"
        return (
            f"{alone:,} of {len(self.test):,} {which}: recall counts {'a miss' if alone == 1 else 'misses'}, and MAP@R and similar metrics "
            f"ignore {'it' if alone == 1 else 'them'}."
        )

    @property
    def taught(self) -> LabelDistances | None:
        """The continuous labels for training."""
        return self.distances if self.shuffled is None else self.shuffled

    @property
    def gallery(self) -> Rows:
        """The test images that are not queries, or all if all are queries."""
        return np.setdiff1d(self.test, self.queries) if len(self.queries) < len(self.test) else self.test

    @property
    def used(self) -> Rows:
        """Row numbers of the images in use."""
        return np.flatnonzero(self.labels >= 0)

    @property
    def train_classes(self) -> list[str]:
        """Names of the training classes, numbered as in `labels`."""
        return self.names[: int(self.labels[self.train].max()) + 1]


def run_images(config: DataConfig, seed: int, given: ImageTable | None = None) -> RunImages:
    """Reads the dataset, or takes the `given` one, and divides its classes, or images, by `config.split`; a random part of the training ones is for
    validation.

    Raises:
        InputError: a missing or empty attribute, too few classes, classes of a file of splits that the images do not have, a training class without a
            second image; for continuous labels, an error of `label_distances`, or too few images.
    """
    divided = _by_images(config, seed, given) if config.split == "images" else _by_classes(config, seed, given)
    if config.labels is None:
        return divided
    queries = divided.queries if len(divided.queries) else _spread(divided.test, config.queries)
    distances = label_distances(divided.table, config.labels)
    shuffled = shuffled_labels(distances, divided.train, np.random.default_rng([seed, 8])) if config.shuffled else None
    return replace(divided, queries=queries, distances=distances, shuffled=shuffled)


def run_table(config: DataConfig) -> ImageTable:
    """All images of a run's source, or its subset, with the attributes of its label files. Images missing in such a file are left out, and images
    without a name if names are the continuous labels. InputError as `read_dataset` and `add_label_files`.
    """
    return _images_and_left_out(config)[0]


def _images_and_left_out(config: DataConfig, given: ImageTable | None = None) -> tuple[ImageTable, int]:
    """`run_table`, and the number of images left out for want of a name."""
    every = read_dataset(config.source, config.path_column, caption_column=config.caption_column) if given is None else given
    table = add_label_files(every, config.label_files)
    added = [name for name in (Path(file).stem for file in config.label_files) if name in table.attributes]
    rows = np.flatnonzero(table.frame[added].notna().all(axis=1))
    if len(rows) < len(table):
        table = ImageTable(table.name, table.root, table.frame.iloc[rows].reset_index(drop=True))
    count = len(table)
    if config.labels is not None and config.labels.kind == "names":
        table = labeled_images(table, config.labels.columns or "class")
    left_out = count - len(table)
    if config.subset is None or config.subset >= len(table):
        return table, left_out
    kept = np.sort(np.random.default_rng(0).permutation(len(table))[: config.subset])
    return ImageTable(table.name, table.root, table.frame.iloc[kept].reset_index(drop=True)), left_out


def _by_images(config: DataConfig, seed: int, given: ImageTable | None) -> RunImages:
    table, left_out = _images_and_left_out(config, given)
    parts_column = table.frame["split"].astype(str).str.lower() if "split" in table.attributes else None
    if parts_column is not None:
        names_of_test = next((names for names in _TEST_NAMES if parts_column.isin(names).any()), ())
        train, test = (np.flatnonzero(parts_column.isin(names).to_numpy()) for names in (_TRAIN_NAMES, names_of_test))
    else:
        count = len(table) * config.test_images if config.test_images < 1 else config.test_images
        train, test = np.arange(len(table) - round(count)), np.arange(max(0, len(table) - round(count)), len(table))
    if len(train) < 3 or len(test) < 3:
        raise InputError(f"'{table.name}' has {len(train)} training and {len(test)} test images, but needs 3 of each; change data.test_images.")
    held = np.random.default_rng([seed, 1]).permutation(train)[: _held(config, len(train))]
    if len(train) - len(held) < 3:
        raise InputError(f"Holding out {len(held):,} of {len(train):,} training images leaves too few to train; lower data.validation.")
    queries = np.flatnonzero((parts_column == "query").to_numpy()) if parts_column is not None else np.array([], dtype=np.int64)
    labels = np.zeros(len(table), dtype=np.int64)
    return RunImages(table, [], labels, np.setdiff1d(train, held), np.sort(held), test, queries, left_out=left_out)


def _spread(test: Rows, wanted: int | None) -> Rows:
    """The wanted number of rows at equal intervals."""
    count = max(1, len(test) // 5) if wanted is None else wanted
    if count > len(test):
        raise InputError(f"There are {len(test)} test images, fewer than {count} queries; use fewer.")
    return test[np.arange(count) * len(test) // count]


def _by_classes(config: DataConfig, seed: int, given: ImageTable | None) -> RunImages:
    table, first = read_official_parts(config.source) if config.split == "official" else (None, 0)
    table, nameless = (table, 0) if table is not None else _images_and_left_out(config, given)
    classes = image_classes(table, config.attribute)
    labels = classes.labels
    official, others = ({classes.names[number] for number in part if number >= 0} for part in (labels[:first], labels[first:]))
    training, testing = _sides(config, classes.names, official, table.name)
    if first:
        both = set(training) & others
        if both:
            raise InputError(f"The class '{min(both)}' of '{table.name}' is both in the train and in the test part; choose another attribute.")
    count = len(training)
    if count < 2 or len(testing) < 2:
        raise InputError(
            f"'{table.name}' has {len(classes.names)} classes; {count} for training and {len(testing)} for testing are too few, two of each "
            "are needed."
        )
    rng = np.random.default_rng([seed, 1])
    held = {training[number] for number in rng.permutation(count)[: _held(config, count)]} if config.tuning != "validation" else _tuning(config)
    if held and min(len(held), count - len(held)) < 2:
        raise InputError(
            f"data.validation {config.validation:g} holds out {len(held)} of {count} training classes; validation and training need two each."
        )
    training, validating = [name for name in training if name not in held], [name for name in training if name in held]
    names = [*training, *validating, *testing]
    place = {name: number for number, name in enumerate(names)}
    labels = np.array([*(place.get(name, -1) for name in classes.names), -1], dtype=np.int64)[labels]  # the last code is "unlabeled"
    if config.per_class:
        kept = np.sort(np.concatenate([rng.permutation(np.flatnonzero(labels == each))[: config.per_class] for each in range(len(names))]))
        if config.split == "file":
            labels[np.setdiff1d(np.arange(len(labels)), kept)] = -1
        else:
            table, labels = ImageTable(table.name, table.root, table.frame.iloc[kept]), labels[kept]
    train, validation, test = (np.flatnonzero(np.isin(labels, [place[name] for name in part])) for part in (training, validating, testing))
    queries, validating_queries = (_queries(config, table, rows) for rows in (test, validation))
    if config.query_attribute and not len(queries):
        raise InputError(f"No test image of '{table.name}' has the {config.query_attribute} 'query'; choose another data.query_attribute.")
    _check_pairs(labels, {"test": (test, queries), "validation": (validation, validating_queries)}, table.name)
    cameras = None
    if config.camera_attribute is not None:
        seen = _column(table, "camera_attribute", config.camera_attribute)
        cameras = seen.astype(object).where(has_label(seen), None).to_numpy(object)
    return RunImages(table, names, labels, train, validation, test, queries, validating_queries, cameras, left_out=classes.left_out + nameless)


def _queries(config: DataConfig, table: ImageTable, rows: Rows) -> Rows:
    """The rows that `query_attribute` makes queries. InputError: no such attribute."""
    if config.query_attribute is None:
        return rows[:0]
    return rows[(_column(table, "query_attribute", config.query_attribute).iloc[rows].astype(str).str.lower() == "query").to_numpy()]


def _column(table: ImageTable, key: str, name: str) -> "pd.Series[Any]":
    if name not in table.attributes:
        raise InputError(f"'{table.name}' has no attribute '{name}'; data.{key} takes one of {', '.join(table.attributes) or 'none'}.")
    return table.frame[name]


def _check_pairs(labels: Rows, parts: dict[str, tuple[Rows, Rows]], table: str) -> None:
    """InputError: all classes of an evaluated part have one image, so that retrieval would be 0 and NMI 1 for any embedding; or no query of it has a
    gallery image of its class.
    """
    for part, (rows, queries) in parts.items():
        alone = _alone(labels, rows, queries)
        if len(queries) and alone == len(queries):
            raise InputError(f"No {part} query of '{table}' has a gallery image of its class; choose another data.query_attribute.")
        if len(rows) and not len(queries) and alone == len(rows):
            raise InputError(
                f"Each of the {len(rows):,} {part} classes of '{table}' has only one image, so nothing can be retrieved; choose an attribute "
                "whose values have several images."
            )


def _alone(labels: Rows, rows: Rows, queries: Rows) -> int:
    """Number of these images that are the only one of their class among them; of queries, if any, those without a gallery image of their class."""
    if len(queries):
        return int((~np.isin(labels[queries], labels[np.setdiff1d(rows, queries)])).sum())
    return int((np.unique(labels[rows], return_counts=True)[1] == 1).sum())


def _held(config: DataConfig, count: int) -> int:
    """Number of validation classes, or images, among so many for training."""
    return round(config.validation * count if config.validation < 1 else config.validation)


def _sides(config: DataConfig, names: list[str], official: set[str], table: str) -> tuple[list[str], list[str]]:
    """Names of the training and of the test classes, in natural order."""
    if config.split == "file":
        train, test = _from_file(config)
        missing = [name for name in (*train, *test) if name not in set(names)]
        if missing:
            raise InputError(
                f"'{table}' has no class '{missing[0]}', which the split '{config.shift}' of '{config.splits}' names"
                f"{f', and {len(missing) - 1} more' if len(missing) > 1 else ''}; choose splits of these images, or the attribute that they are for."
            )
        return sorted(train, key=natural_key), sorted(test, key=natural_key)
    if config.split == "official":
        return [name for name in names if name in official], [name for name in names if name not in official]
    count = round(config.train_classes * len(names))
    return names[:count], names[count:]


def _from_file(config: DataConfig) -> tuple[list[str], list[str]]:
    from likeness.shifts import read_splits

    split = read_splits(config.splits or "").named(config.shift or "")
    if config.tuning is not True:
        return list(split.train), list(split.test)
    held = _tuning(config)
    return [name for name in split.train if name not in held], list(split.tuning)


def _tuning(config: DataConfig) -> set[str]:
    from likeness.shifts import read_splits

    split = read_splits(config.splits or "").named(config.shift or "")
    if not split.tuning:
        raise InputError(f"The split '{split.name}' of '{config.splits}' has no tuning classes; set data.tuning to false.")
    return set(split.tuning)
