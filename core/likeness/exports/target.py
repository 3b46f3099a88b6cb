"""What a place to export to declares about itself, and what it can be told."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

from likeness.errors import InputError
from likeness.exports.places import filled_folder, new_file, new_folder
from likeness.io import VectorFile
from likeness.progress import Progress

LINKS = ("symlink", "hard", "copy")
# images: files of images; rows: anything with attributes; vectors: a space; notion: a notion's space; run: a trained run
Takes = Literal["images", "rows", "vectors", "notion", "run"]


@dataclass(frozen=True)
class ExportOptions:
    """What an export can be told; a target names those that it uses.

    Attributes:
        label: attribute whose values are the classes; for COCO, FiftyOne and embedding-atlas several, separated by commas.
        neighbors: nearest images of each that are written with it, in the space.
        link: how image files come into a folder: "symlink", "hard" (a second name of the same file) or "copy"; None: the target's own way.
        val: share of each class that is for validation.
        split: attribute that says of each image whether it is "train", "val" or "test", in place of `val`.
        seed: of what is drawn at random.
        name: of the collection or table in a database.
        resume: go on with an export into a database that was interrupted.
    """

    label: str | None = None
    neighbors: int = 0
    vectors: bool = False
    link: str | None = None
    val: float = 0.2
    split: str | None = None
    seed: int = 0
    name: str | None = None
    resume: bool = False

    def __post_init__(self) -> None:
        if self.link not in (None, *LINKS):
            raise InputError(f"There is no link '{self.link}'; choose from {', '.join(LINKS)}.")
        if self.neighbors < 0:
            raise InputError(f"{self.neighbors} neighbors cannot be written; choose a whole number of at least 1.")
        if not 0 <= self.val < 1:
            raise InputError(f"val is {self.val}, but it is a share of each class; choose a number from 0 to below 1.")


DEFAULTS = ExportOptions()


class Written(NamedTuple):
    """What an export wrote: `n` of `what` (images, dimensions), where without passwords, and perhaps what was left out or how to open it."""

    n: int
    place: str = ""
    note: str = ""
    what: str = "images"


@dataclass(frozen=True)
class Target:
    """A place to export to.

    Attributes:
        name: on the command line.
        title: for people.
        takes: what it needs.
        write: (material, place, options, progress) -> what was written; the material is a `Material`, or of a run a `RunMaterial`. The place is the
            path of a file that is not there yet, or an empty folder that takes its place once it is filled; of a database it is as people name it.
            "{place}" in the note stands for the place.
        uses: names of the options that it knows.
        check_address: of a database, raises InputError for a place that cannot be written to.
        ending: of the file that it writes, as ".csv"; "" for a folder, None for a database that is reached by its address alone.
        several: whether `label` may name several attributes.
        read: (place, name of the collection or table) -> vectors with their attributes; None where nothing is read back.
    """

    name: str
    title: str
    takes: Takes
    write: Callable[[Any, Any, ExportOptions, Progress], Written]
    uses: tuple[str, ...] = ()
    check_address: Callable[[str], None] | None = None
    ending: str | None = ""
    several: bool = False
    read: Callable[[str, str | None], VectorFile] | None = None

    @property
    def help(self) -> str:
        """What is written, and what reads it: the first line of what `write` says of itself."""
        return str(self.write.__doc__).partition("\n")[0]

    def checked_options(self, given: dict[str, Any]) -> ExportOptions:
        """The options; InputError for one that this target does not use, or a value that does not fit."""
        known = {field.name for field in fields(ExportOptions)}
        for name, value in given.items():
            if name not in self.uses and (name not in known or value != getattr(DEFAULTS, name)):
                raise InputError(f"The target '{self.name}' has no option '{name}'; it has {', '.join(self.uses) or 'none'}.")
        return ExportOptions(**{name: value for name, value in given.items() if name in known})

    def check(self, place: str) -> None:
        """Raises InputError where something is at the place already, or it cannot be written to; before slow work."""
        if self.check_address is not None:
            self.check_address(place)
        elif self.ending:
            new_file(place, self.ending)
        else:
            new_folder(place)

    def write_to(self, place: str, material: Any, options: ExportOptions, progress: Progress) -> Written:
        """Writes a file, a folder or into a database, whole or not at all; raises as `check`, and for what does not fit the target."""
        if self.check_address is not None:
            return self.write(material, place, options, progress)
        if self.ending:
            written = self.write(material, new_file(place, self.ending), options, progress)
        else:
            with filled_folder(new_folder(place)) as folder:
                written = self.write(material, folder, options, progress)
        return written._replace(place=place, note=written.note.replace("{place}", place))

    def needs_space(self, options: ExportOptions) -> bool:
        """Whether an export with these options takes vectors."""
        return self.takes in ("vectors", "notion") or options.vectors or options.neighbors > 0
