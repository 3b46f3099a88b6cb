"""What holds for every dataset with a name: complete, listed once, and found wherever a person chooses images."""

import re
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pandas as pd
import pytest

import likeness.data
from likeness.data import Dataset, ImageTable, named_dataset, named_datasets, read_dataset, readers, registry, source_help
from likeness.errors import InputError

FOLDER = Path(likeness.data.__file__).parent


@pytest.mark.parametrize("dataset", named_datasets(), ids=lambda dataset: dataset.name)
def test_all_about_it_is_said(dataset: Dataset) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", dataset.name)
    assert dataset.title
    assert re.fullmatch(r"[A-Z0-9].+\.", dataset.help)
    assert dataset.usage.startswith(dataset.name)
    assert dataset.read.__doc__
    assert named_dataset(dataset.name) is dataset or named_dataset(dataset.name) == dataset
    assert f"`{dataset.name}" in source_help()
    if dataset.layout is not None:
        assert dataset.title == dataset.layout.name
        assert dataset.layout.page.startswith("https://")


def test_every_file_that_declares_one_is_listed_once_and_what_stands_above_is_found_by_its_entry_point() -> None:
    names = [dataset.name for dataset in named_datasets()]
    assert len(names) == len(set(names))
    declaring = {file.stem for file in (FOLDER / "readers").glob("*.py") if re.search(r"^DATASET = ", file.read_text(encoding="utf-8"), re.MULTILINE)}
    assert {each.read.__module__.rsplit(".", 1)[-1] for each in readers.DATASETS} == declaring
    assert {each.name for each in named_datasets() if each.origin == "generated"} == {"captioned-cars", "synthetic-poses", "synthetic-rooms"}


def birds(root: Path) -> Dataset:
    def read(count: int | None = None, progress: object = None) -> ImageTable:
        """A few birds."""
        return ImageTable("Birds", root, pd.DataFrame({"path": [f"{row}.png" for row in range(count or 3)]}))

    return Dataset("few-birds", "Birds", "A few birds.", read, "generated")


def test_one_that_is_listed_is_read_and_offered(run: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "DATASETS", (*readers.DATASETS, birds(tmp_path)))
    monkeypatch.setenv("COLUMNS", "300")
    assert len(read_dataset("few-birds")) == 3
    assert len(read_dataset("few-birds@5")) == 5
    assert "`few-birds`" in source_help()  # what the app shows beside the field for a folder
    assert all("few-birds" in run(command, "--help")[1] for command in ("search", "embed"))
    with pytest.raises(InputError, match="There is no dataset 'fewbirds'; pass cars, caltech101, few-birds, "):
        read_dataset("fewbirds")


def test_another_package_brings_one_as_an_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brought = birds(tmp_path)
    monkeypatch.setattr(EntryPoint, "load", lambda point: brought)

    def points(group: str, **wanted: str) -> EntryPoints:
        names = {registry.GROUP: ("few-birds", "owls"), registry.PUBLISHED_GROUP: ("birds",)}[group]
        return EntryPoints([EntryPoint(name, "birds:DATASET", group) for name in names]).select(**wanted)

    monkeypatch.setattr(registry, "entry_points", points)
    assert named_dataset("few-birds") is brought
    assert len(read_dataset("few-birds@2")) == 2
    assert "`birds:...`" in source_help()
    with pytest.raises(InputError, match=r"There is no dataset 'house'; choose from cars, caltech101, cars196, .*few-birds"):
        named_dataset("house")
    with pytest.raises(InputError, match=r"The entry point 'owls' of 'likeness.datasets' is not a Dataset of that name; fix 'birds:DATASET'"):
        named_dataset("owls")
