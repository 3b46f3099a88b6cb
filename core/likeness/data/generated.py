"""Datasets that the repository renders itself, by name: drawn once, from a seed, and kept in the cache."""

import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pandas as pd

from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io.paths import cache_dir

Progress = Callable[[int, int], None]
# Each name, what people read, and the package with its `write_dataset`.
_RENDERED = {
    "synthetic-poses": ("Synthetic Poses", "likeness.recipes.renders.poses"),
    "synthetic-rooms": ("Synthetic Rooms", "likeness.recipes.renders.rooms"),
}
CAPTIONED = "captioned-cars"
GENERATED = (*_RENDERED, CAPTIONED)
_USUAL, _SEED, _WORKERS = 2600, 0, 2


def is_generated(source: str) -> bool:
    """Whether this names a generated dataset: a name of `GENERATED`, or with a number of images, "synthetic-poses@500"."""
    return source.partition("@")[0] in GENERATED


def read_generated(source: str, progress: Progress | None = None) -> ImageTable:
    """The table of a generated dataset; the first call draws its pictures.

    "synthetic-poses" and "synthetic-rooms" have 2,600 images, or as many as stand after "@", of seed 0; the first n are the same whatever n.
    "captioned-cars" are the bundled images with five sentences about each, in the column `captions`, and with a column `split`: the first 70 %
    train, the next 15 % validate, the last 15 % test.

    Raises:
        InputError: an unknown name, or no number of images.
    """
    name, _, count = source.partition("@")
    if name not in GENERATED or (count and not (count.isdecimal() and len(count) < 9 and int(count) > 0)):
        raise InputError(
            f"There are no generated images '{source}'; write one of {', '.join(GENERATED)}, perhaps with a number: '{GENERATED[0]}@500'."
        )
    if name == CAPTIONED:
        return _captioned(int(count) if count else None)
    title, _ = _RENDERED[name]
    n = int(count or _USUAL)
    folder = cache_dir() / "generated" / f"{name}-{n}"
    if not (folder / "attributes.csv").is_file():
        render(name, folder, n, _SEED, progress)
    return ImageTable(title, folder, pd.read_csv(folder / "attributes.csv"))


def render(name: str, folder: Path, n: int, seed: int, progress: Progress | None = None) -> None:
    """Draws `n` images of a rendered dataset, its table last: a folder that has one is complete.

    Raises:
        InputError: an unknown name.
    """
    known = {"synthetic-cars": "likeness.recipes.renders.cars"} | {each: package for each, (_, package) in _RENDERED.items()}
    if name not in known:
        raise InputError(f"There is nothing to render called '{name}'; choose from {', '.join(known)}.")
    try:
        import_module(known[name]).write_dataset(folder, n, seed, workers=_WORKERS if n > 200 else 1, progress=progress)
    except OSError:
        shutil.rmtree(folder / "images", ignore_errors=True)
        raise


def _captioned(count: int | None) -> ImageTable:
    from likeness.data.bundled import bundled_images
    from likeness.recipes.captioning.car_captions import with_car_captions

    table = bundled_images()
    chosen = table if count is None else ImageTable(table.name, table.root, table.frame.iloc[:count])
    captioned = with_car_captions(chosen)
    split = pd.cut([row / len(chosen) for row in range(len(chosen))], [-1, 0.7, 0.85, 1], right=False, labels=["train", "validation", "test"])
    return ImageTable("Synthetic Cars with captions", captioned.root, captioned.frame.assign(split=split.astype(str)))
