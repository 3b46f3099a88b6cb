"""The datasets with a name: those that `likeness.data.readers` lists, and those that stand above it or come with other packages."""

from likeness.data import readers
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.web_archive import WebArchive
from likeness.errors import InputError
from likeness.io import entry_points

GROUP = "likeness.datasets"
PUBLISHED_GROUP = "likeness.published_datasets"


def dataset_names() -> list[str]:
    """The names of all datasets, without loading those that are entry points.

    >>> "cars196" in dataset_names()
    True
    """
    return [*(dataset.name for dataset in readers.DATASETS), *_points(GROUP), *_points(PUBLISHED_GROUP)]


def named_datasets() -> list[Dataset]:
    """All datasets with a name, in the order of their lists."""
    return [named_dataset(name) for name in dataset_names()]


def named_dataset(name: str) -> Dataset:
    """The dataset of this name; raises InputError with the known names if there is none."""
    for dataset in readers.DATASETS:
        if dataset.name == name:
            return dataset
    for point in (point for group in (GROUP, PUBLISHED_GROUP) for point in entry_points(group=group, name=name)):
        dataset = point.load()
        if isinstance(dataset, Dataset) and dataset.name == name:
            return dataset
        raise InputError(f"The entry point '{name}' of '{point.group}' is no Dataset of that name; repair '{point.value}'.")
    raise InputError(f"There is no dataset '{name}'; choose from {', '.join(dataset_names())}.")


def published_names() -> list[str]:
    """The names of the published datasets, which are read as NAME:FOLDER."""
    return [*(dataset.name for dataset in readers.DATASETS if dataset.layout is not None), *_points(PUBLISHED_GROUP)]


def _points(group: str) -> list[str]:
    return [point.name for point in entry_points(group=group)]


def plain_names() -> list[str]:
    """The names of the datasets that need no folder: what ships, and what is generated."""
    published = set(published_names())
    return [name for name in dataset_names() if name not in published]


def missing_archive(source: str) -> WebArchive | None:
    """What has to be fetched before the dataset of this name can be read; None where nothing has to."""
    archive = next((dataset.archive for dataset in readers.DATASETS if dataset.name == source.strip()), None)
    return archive if archive is not None and not archive.is_here else None


def source_help() -> str:
    """What a person can name for images, in one sentence for menus and help."""
    plain = ", ".join(f"`{name}`" for name in plain_names())
    published = ", ".join(f"`{name}:...`" for name in published_names())
    return (
        f"{plain}, a folder of images, a ZIP file of them, a CSV / Parquet file with image paths, or a published dataset as NAME:FOLDER: {published} "
        "(`cars196/all:FOLDER`: more than the paper evaluates)."
    )
