"""What a place to export to declares about itself, and what it can be told."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from likeness.errors import InputError

if TYPE_CHECKING:
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
        vectors: vectors are written as well.
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
    """What an export wrote.

    Attributes:
        n: how many it holds.
        place: where, without passwords.
        note: what else there is to say: what was left out, or how to open it; perhaps empty.
        what: of which there are n.
    """

    n: int
    place: str
    note: str = ""
    what: str = "images"


@dataclass(frozen=True)
class Target:
    """A place to export to.

    Attributes:
        name: on the command line.
        title: for people.
        help: one sentence: what is written, and what reads it.
        takes: what it needs.
        write: (material, place, options, progress) -> what was written; the material is a `Material`, or of a run a `RunMaterial`. Where something
            stands at the place that is not to be gone on with, it raises InputError and changes nothing.
        uses: names of the options that it knows.
        check: raises InputError for a place that cannot be written to, before slow work.
        ending: of the file that it writes, as ".csv"; "" for a folder, None for a database that is reached by its address alone.
        several: whether `label` may name several attributes.
        read: (place, name of the collection or table) -> vectors with their attributes; None where nothing is read back.
    """

    name: str
    title: str
    help: str
    takes: Takes
    write: "Callable[[Any, str, ExportOptions, Progress], Written]"
    uses: tuple[str, ...]
    check: Callable[[str], None]
    ending: str | None = ""
    several: bool = False
    read: "Callable[[str, str | None], VectorFile] | None" = None

    def checked_options(self, given: dict[str, Any]) -> ExportOptions:
        """The options, where those given are ones that this target knows.

        Raises:
            InputError: another option, or a value that does not fit.
        """
        known = {field.name for field in fields(ExportOptions)}
        for name, value in given.items():
            if name not in self.uses and (name not in known or value != getattr(DEFAULTS, name)):
                raise InputError(f"The target '{self.name}' has no option '{name}'; it has {', '.join(self.uses) or 'none'}.")
        return ExportOptions(**{name: value for name, value in given.items() if name in known})

    def needs_space(self, options: ExportOptions) -> bool:
        """Whether an export with these options takes vectors."""
        return self.takes in ("vectors", "notion") or options.vectors or options.neighbors > 0
