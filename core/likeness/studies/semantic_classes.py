"""Images and classes of a comparison of spaces with language."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable, image_classes, part_of
from likeness.encoders import parse_name
from likeness.errors import InputError
from likeness.language import readable_names
from likeness.training import RunFolder, run_images


@dataclass(frozen=True)
class SemanticClasses:
    """The images in use: their rows in the table, class numbers, and cleaned class names."""

    rows: NDArray[np.int64]
    labels: NDArray[np.int64]
    names: list[str]


def classes_of(table: ImageTable, attributes: list[str], kept: set[str] | None, least: int) -> SemanticClasses:
    """The classes of a table, without excluded ones. InputError: fewer than two are left, or one has a single image."""
    every = image_classes(table, attributes)
    sizes = np.bincount(every.labels[every.rows])
    wanted = {name for name, size in zip(every.names, sizes, strict=True) if size >= least and (kept is None or name in kept)}
    rows, classes = part_of(every, wanted)
    what = ", ".join(attributes)
    if len(classes.names) < 2:
        found = f"only the {what} '{classes.names[0]}'" if classes.names else f"no {what}"
        raise InputError(f"There is {found} among the selected images of '{table.name}', but language compares classes; select others.")
    single = np.flatnonzero(np.bincount(classes.labels) < 2)
    if len(single):
        others = f", as have {len(single) - 1} others" if len(single) > 1 else ""
        raise InputError(
            f"The {what} '{classes.names[single[0]]}' has one image{others}, and no image finds itself; leave such classes out with --min-images 2."
        )
    cleaned = readable_names(classes.names)
    return SemanticClasses(rows, classes.labels, cleaned if len(set(cleaned)) == len(cleaned) else classes.names)


def unseen_classes(encoders: list[str], attributes: list[str]) -> set[str]:
    """Classes that are test classes of all runs among the encoders."""
    parsed = [(name, parse_name(name)) for name in encoders]
    folders = [(name, Path(target.target).expanduser()) for name, target in parsed if target.kind == "run"]
    if not folders:
        raise InputError("--unseen selects classes that a run was not trained on, but no encoder is a run; add one as run:FOLDER.")
    kept: list[set[str]] = []
    for name, folder in folders:
        config = RunFolder(folder).config()
        own = [config.data.attribute] if isinstance(config.data.attribute, str) else list(config.data.attribute)
        if own != attributes:
            raise InputError(
                f"'{name}' was trained on the classes of {','.join(own)}, not {','.join(attributes)}; write --attribute {','.join(own)}."
            )
        images = run_images(config.data, config.seed)
        kept.append({images.names[number] for number in images.labels[images.test]})
    return set.intersection(*kept)
