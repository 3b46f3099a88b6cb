"""Registry of named datasets: those of `likeness.data.readers`, and entry points of higher layers and other packages."""

from likeness.data import readers
from likeness.data.formats import FORMATS
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.web_archive import WebArchive
from likeness.errors import InputError
from likeness.io import entry_points

GROUP = "likeness.datasets"
PUBLISHED_GROUP = "likeness.published_datasets"


def dataset_names() -> list[str]:
    """Names of all datasets, without loading entry points.

    >>> "cars196" in dataset_names()
    True
    """
    return [*(dataset.name for dataset in readers.DATASETS), *_points(GROUP), *_points(PUBLISHED_GROUP)]


def named_datasets() -> list[Dataset]:
    """All named datasets, in registration order."""
    return [named_dataset(name) for name in dataset_names()]


def named_dataset(name: str) -> Dataset:
    """The dataset of this name; raises InputError if there is none."""
    for dataset in readers.DATASETS:
        if dataset.name == name:
            return dataset
    for point in (point for group in (GROUP, PUBLISHED_GROUP) for point in entry_points(group=group, name=name)):
        dataset = point.load()
        if isinstance(dataset, Dataset) and dataset.name == name:
            return dataset
        raise InputError(f"The entry point '{name}' of '{point.group}' is not a Dataset of that name; fix '{point.value}'.")
    raise InputError(f"There is no dataset '{name}'; choose from {', '.join(dataset_names())}.")


def published_names() -> list[str]:
    """Names of published datasets, which are read as NAME:FOLDER."""
    return [*(dataset.name for dataset in readers.DATASETS if dataset.layout is not None), *_points(PUBLISHED_GROUP)]


def _points(group: str) -> list[str]:
    return [point.name for point in entry_points(group=group)]


def plain_names() -> list[str]:
    """Names of datasets that need no folder: shipped, downloaded and generated ones."""
    published = set(published_names())
    return [name for name in dataset_names() if name not in published]


def missing_archive(source: str) -> WebArchive | None:
    """The archive to download before this dataset can be read; None if there is none."""
    archive = next((dataset.archive for dataset in readers.DATASETS if dataset.name == source.strip()), None)
    return archive if archive is not None and not archive.is_here else None


def source_help() -> str:
    """One sentence for menus and help that lists possible sources of images."""
    plain = ", ".join(f"`{name}`" for name in plain_names())
    published = ", ".join(f"`{name}:...`" for name in published_names())
    files = ", ".join(dict.fromkeys(each.form for each in FORMATS if each.gives == "table"))
    return (
        f"{plain}, a folder of images, a file or folder in a known format ({files}), or a published dataset as NAME:FOLDER: {published} "
        "(`cars196/all:FOLDER`: more than the paper evaluates). `boxes:...` reads a row per box, `folder:...` all images of a folder."
    )
