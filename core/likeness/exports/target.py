"""Declaration and options of export targets; new files and folders, written atomically."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple

from likeness.errors import InputError
from likeness.io import VectorFile, as_path, check_output_file, check_output_folder
from likeness.progress import Progress
from likeness.search import PRECISIONS

LINKS = ("symlink", "hard", "copy")
# images: files of images; rows: anything with attributes; vectors: a space; notion: a notion's space; run: a trained run
Takes = Literal["images", "rows", "vectors", "notion", "run"]


@dataclass(frozen=True)
class ExportOptions:
    """Options of exports; each target lists those it uses.

    Attributes:
        label: class attribute; for COCO and FiftyOne also several, separated by commas.
        neighbors: number of nearest images written for each image.
        link: how image files get into a folder: "symlink", "hard" or "copy"; None: the target's default.
        val: validation share of each class.
        split: attribute with the values "train", "val" or "test", instead of `val`.
        seed: random seed.
        name: of the table in a database.
        resume: resume an interrupted export into a database.
        precision: of vectors: "float32", "int8" or "binary".
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
    precision: str = "float32"

    def __post_init__(self) -> None:
        if self.link not in (None, *LINKS):
            raise InputError(f"There is no link '{self.link}'; choose from {', '.join(LINKS)}.")
        if self.neighbors < 0:
            raise InputError(f"{self.neighbors} neighbors is invalid; choose an integer of at least 1.")
        if self.precision not in PRECISIONS:
            raise InputError(f"There is no precision '{self.precision}'; choose from {', '.join(PRECISIONS)}.")
        if not 0 <= self.val < 1:
            raise InputError(f"val is {self.val}, but must be a share from 0 to below 1.")


DEFAULTS = ExportOptions()


class Written(NamedTuple):
    """Result of an export: `n` of `what` (images, dimensions), the place without passwords, and a note on omissions or how to use it."""

    n: int
    place: str = ""
    note: str = ""
    what: str = "images"


@dataclass(frozen=True)
class Target:
    """An export target.

    Attributes:
        name: on the command line.
        title: for people.
        takes: what it needs.
        write: (material, place, options, progress) -> what was written. The material is a `Material`, or a `RunMaterial` for runs. The place is the
            path of a new file, an empty temporary folder that is moved into place once filled, or the given URL or folder of a database. "{place}" in
            the note is replaced by the place.
        uses: names of supported options.
        check_address: for a database, raises InputError for a place that is not writable.
        ending: suffix of the written file, such as ".csv"; "" for a folder.
        several: whether `label` may name several attributes.
        read: (place, name of the table) -> vectors and attributes; None if the target cannot be loaded.
    """

    name: str
    title: str
    takes: Takes
    write: Callable[[Any, Any, ExportOptions, Progress], Written]
    uses: tuple[str, ...] = ()
    check_address: Callable[[str], None] | None = None
    ending: str = ""
    several: bool = False
    read: Callable[[str, str | None], VectorFile] | None = None

    @property
    def help(self) -> str:
        """Help text: the first line of the docstring of `write`."""
        return str(self.write.__doc__).partition("\n")[0]

    def checked_options(self, given: dict[str, Any]) -> ExportOptions:
        """The validated options; raises InputError for an unsupported option or an invalid value."""
        known = {field.name for field in fields(ExportOptions)}
        for name, value in given.items():
            if name not in self.uses and (name not in known or value != getattr(DEFAULTS, name)):
                raise InputError(f"The target '{self.name}' has no option '{name}'; it has {', '.join(self.uses) or 'none'}.")
        return ExportOptions(**{name: value for name, value in given.items() if name in known})

    def check(self, place: str) -> None:
        """Raises InputError if the place exists already or is not writable; called before slow work."""
        if self.check_address is not None:
            self.check_address(place)
        elif self.ending:
            _new_file(place, self.ending)
        else:
            _new_folder(place)

    def write_to(self, place: str, material: Any, options: ExportOptions, progress: Progress) -> Written:
        """Writes a file, a folder or to a database, atomically; raises as `check`, and for unsupported data."""
        if self.check_address is not None:
            return self.write(material, place, options, progress)
        if self.ending:
            written = self.write(material, _new_file(place, self.ending), options, progress)
        else:
            with _filled_folder(_new_folder(place)) as folder:
                written = self.write(material, folder, options, progress)
        return written._replace(place=place, note=written.note.replace("{place}", place))

    def needs_space(self, options: ExportOptions) -> bool:
        """True if an export with these options needs vectors."""
        return self.takes in ("vectors", "notion") or options.vectors or options.neighbors > 0


def missing_package(what: str, package: str, extra: str) -> InputError:
    """The error for a missing package."""
    return InputError(f'{what} needs the package {package}; install it with: pip install "likeness[{extra}]"')


def _new_file(place: str, ending: str) -> Path:
    """The path of a file to write; raises InputError if it exists, cannot be written, or has another suffix."""
    path = as_path(place)
    if path.suffix.lower() != ending:
        raise InputError(f"'{place}' does not end in {ending}; rename the file.")
    if os.path.lexists(path):
        raise InputError(f"'{place}' exists already; choose another file, or remove it.")
    check_output_file(path)
    return path


def _new_folder(place: str) -> Path:
    """The path of a folder to write, new or empty; raises InputError for anything else."""
    path = as_path(place)
    if not place.strip() or (os.path.lexists(path) and not (path.is_dir() and not path.is_symlink() and not any(path.iterdir()))):
        raise InputError(f"'{place}' exists already; choose a new or empty folder.")
    check_output_folder(path)
    return path


@contextmanager
def _filled_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, moved to `path` when the block succeeds; deleted on any error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.parent / f".{secrets.token_hex(8)}.partial"
    staged.mkdir()
    try:
        yield staged
        if path.exists():
            path.rmdir()  # an empty one; another that was filled meanwhile stays, and this export is the one that fails
        staged.rename(path)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
