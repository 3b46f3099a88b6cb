"""Declaration of a named dataset."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.readers.web_archive import WebArchive
from likeness.data.table import ImageTable


@dataclass(frozen=True)
class Dataset:
    """A named dataset. Its file declares it as `DATASET`; `likeness.data.readers` lists it. Higher layers and other packages use an entry point of
    the group "likeness.datasets", or "likeness.published_datasets" if it is read as NAME:FOLDER.

    Attributes:
        name: letters, digits and dashes.
        read: returns the table. Shipped or downloaded: `read()`. Generated: `read(count, progress)`, with None for the default count. Published:
            `read(folder, split)`, with the dataset's own folder or its parent; it raises InputError for a missing or damaged file, an unknown or
            empty split, or if no image exists.
        origin: "ships", "generated", the archive to download, or the layout of a published dataset on disk.
        split: default split of a published dataset.

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
        """The layout of a published dataset on disk; None for others."""
        return self.origin if isinstance(self.origin, OfficialLayout) else None

    @property
    def archive(self) -> WebArchive | None:
        """The archive that is downloaded on first use; None for others."""
        return self.origin if isinstance(self.origin, WebArchive) else None

    @property
    def usage(self) -> str:
        """The source string: "cars", "synthetic-poses" or "cars196:FOLDER"."""
        return self.name if self.layout is None else f"{self.name}:FOLDER"
