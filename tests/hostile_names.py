"""A world in which all that has a name has one that Markdown or HTML could take for more than text: pictures of another server, links, formats."""

from pathlib import Path

import pandas as pd

import likeness as lk
from likeness.data import DatasetEntry, absolute_source, add_dataset, new_entry, read_cars
from likeness.notions import Notion, save_notion
from likeness.shifts import SplitFile, write_splits
from likeness.studies import StudyConfig, StudyFolder
from likeness.tagging import tag_store
from likeness.training import RunFolder
from likeness.training.config import read_config, with_changes
from likeness.training.runs.run_folder import Status

MARK = "![x]("  # in every name, as it was given
NOT_IN_PATHS = f"{MARK}x) $x$ `b`, :red[c] :material"  # of what is a folder, too
_IMAGES = 48


class World:
    """Names for one address: of each kind one of its own, so that a request tells whose name was taken for a picture."""

    def __init__(self, url: str) -> None:
        self.url = url.lower()

    def name(self, kind: str) -> str:
        """A name, in small letters, as the app writes some names."""
        return f"{self.short(kind)} <img src={self.url}/{kind}-tag> [a]({self.url}/{kind}-link) :material/home: `b` :red[c]"

    def short(self, kind: str) -> str:
        """As `name`, where names are limited."""
        return f"{kind} {MARK}{self.url}/{kind}) $x$"

    def fill(self, folder: Path, cache: Path, runs: Path) -> DatasetEntry:
        """Images with attributes and values of such names in a table, with tags, notions, runs, benchmarks and splits; the dataset's entry."""
        entry = self._images(folder)
        self._labels(entry, folder)
        aspects = [self.name(f"aspect{number}") for number in range(3)]
        part = Notion(self.name("part"), "a {} car", ["red", "blue"], question=self.name("question"))
        for notion in (part, Notion(self.name("notion"), "a {} car", aspects, question=self.name("question"), attribute=self.name("column"))):
            save_notion(notion, folder=cache / "notions")
        run = RunFolder(runs / NOT_IN_PATHS)
        changes = {"name": NOT_IN_PATHS, "note": self.name("note"), "data.source": str(folder / "table.csv"), "data.attribute": self.name("column")}
        run.create(with_changes(read_config("shipped-cars-elg"), changes))
        run.report_status(Status("failed", 1, 10, self.name("failure")))
        self._splits(cache / "splits" / f"{NOT_IN_PATHS}.json")
        study = StudyFolder(runs / f"study {NOT_IN_PATHS}")
        self._splits(study.path / "splits.json")
        data = {"source": "cars", "attribute": "body_type", "image_size": 96}
        backbone = {"name": "clip:cars", "dim": 16, "head_only": True}
        rows = {self.name("row"): {"objective.name": "margin"}}
        config = {"name": study.name, "note": self.name("study"), "splits": str(study.path / "splits.json"), "seeds": [0], "rows": rows}
        study.create(StudyConfig.model_validate(config | {"base": {"data": data, "backbone": backbone, "epochs": 1}}))
        return entry

    def _images(self, folder: Path) -> DatasetEntry:
        folder.mkdir(parents=True)
        cars, lines = read_cars(), []
        for row in range(_IMAGES):
            name = f"{MARK}{row}).webp"
            (folder / name).write_bytes(cars.file(row).read_bytes())
            value = self.name(f"value{row % 4}")
            numbers = {self.name("number"): row / 7, "yaw": 7.0 * row, "elevation": row / 2}
            lines.append({"path": name, self.name("column"): value, "car_color": cars.frame["car_color"].iat[row], **numbers, "split": row % 2})
        pd.DataFrame(lines).to_csv(folder / "table.csv", index=False)
        entry = new_entry(self.name("dataset"), absolute_source(str(folder / "table.csv")), "cars-small")
        add_dataset(entry)
        return entry

    def _labels(self, entry: DatasetEntry, folder: Path) -> None:
        table = lk.read(str(folder / "table.csv"))
        store, paths = tag_store(entry.id, table), [str(path) for path in table.frame["path"]]
        store.add_tag(paths[:3], self.short("tag"), "me")
        for number in range(3):
            store.set_value(paths[4 * number : 4 * number + 4], self.short("attribute"), self.short(f"given{number}"), "me")
        store.set_note(paths[:2], self.short("text"), "me")

    def _splits(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        values = [self.name(f"value{number}") for number in range(4)]
        splits = [
            {"name": self.name("split0"), "distance": 0.2, "train": values[:2], "test": values[2:]},
            {"name": self.name("split1"), "distance": 0.4, "train": values[1:3], "test": [values[0], values[3]]},
        ]
        content = {"dataset": self.name("dataset"), "attribute": self.name("column"), "note": self.name("splits"), "splits": splits}
        write_splits(file, SplitFile.model_validate(content))
