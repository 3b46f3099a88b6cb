"""A dataset that people call by its name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.readers.web_archive import WebArchive
from likeness.data.table import ImageTable


@dataclass(frozen=True)
class Dataset:
    """A dataset with a name. Its file declares it as `DATASET`; one line lists it, in `likeness.data.readers`. What stands above data, and other
    packages, list theirs as an entry point of the group "likeness.datasets", or of "likeness.published_datasets" where it is read as NAME:FOLDER.

    Attributes:
        name: what people write: letters, digits and dashes.
        read: returns the table. What ships or is fetched: `read()`. What is generated: `read(count, progress)`, where `count` is None for the usual
            number. What is published: `read(folder, split)`, of the dataset's own folder or the one it lies in; it raises InputError for a missing or
            damaged file, an unknown or empty split, or where no image is there.
        origin: "ships", "generated", the archive that is fetched, or the layout of a published one, as it lies on disk when it is unpacked.
        split: of a published one, the part that is read where none is named.

    Example:
        >>> from likeness.data import named_dataset
        >>> named_dataset("cars196").usage
        'cars196:FOLDER'
    """

    name: str
    title: str
    help: str
    read: Callable[..., ImageTable]
    origin: OfficialLayout | WebArchive | Literal["ships", "generated"]
    split: str = "test"

    @property
    def layout(self) -> OfficialLayout | None:
        """How a published dataset lies on disk; None for the others."""
        return self.origin if isinstance(self.origin, OfficialLayout) else None

    @property
    def archive(self) -> WebArchive | None:
        """What is fetched when the dataset is first read; None for the others."""
        return self.origin if isinstance(self.origin, WebArchive) else None

    @property
    def usage(self) -> str:
        """How it is written: "cars", "synthetic-poses" or "cars196:FOLDER"."""
        return self.name if self.layout is None else f"{self.name}:FOLDER"
