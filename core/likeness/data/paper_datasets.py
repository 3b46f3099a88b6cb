"""The datasets of the papers by name: `cars196:FOLDER`, or `cars196/all:FOLDER` for another part than the evaluated one."""

import re
from collections.abc import Callable
from pathlib import Path

from likeness.data.readers import (
    cars196,
    coco_captions,
    cub200,
    deepfashion,
    lsun_rooms,
    movie_posters,
    mpii_pose,
    online_products,
    original_synthetic_cars,
)
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io.paths import as_path

Reader = Callable[[str, str], ImageTable]

_DATASETS: dict[str, tuple[OfficialLayout, Reader]] = {
    "cars196": (cars196.LAYOUT, cars196.read_cars196),
    "coco-captions": (coco_captions.LAYOUT, coco_captions.read_coco_captions),
    "cub200": (cub200.LAYOUT, cub200.read_cub200),
    "deepfashion": (deepfashion.LAYOUT, deepfashion.read_deepfashion),
    "lsun-rooms": (lsun_rooms.LAYOUT, lsun_rooms.read_lsun_rooms),
    "movie-posters": (movie_posters.LAYOUT, movie_posters.read_movie_posters),
    "mpii-pose": (mpii_pose.LAYOUT, mpii_pose.read_mpii_pose),
    "online-products": (online_products.LAYOUT, online_products.read_online_products),
    "synthetic-cars": (original_synthetic_cars.LAYOUT, original_synthetic_cars.read_original_synthetic_cars),
}
READERS: dict[str, Reader] = {name: read for name, (_, read) in _DATASETS.items()}
# Their column `split` says which images train and which test, so that both are read.
_WHOLE = ("coco-captions", "lsun-rooms", "mpii-pose")
# Two characters at least: "C:\cars" is a folder.
_SOURCE = re.compile(r"(?P<name>[A-Za-z0-9][\w-]+)(?:/(?P<split>\w+))?:(?P<folder>.*)", re.DOTALL)


def is_paper_source(source: str) -> bool:
    """Whether this reads `NAME:FOLDER` and is not the path of something that is there."""
    return _SOURCE.fullmatch(source.strip()) is not None and not Path(source).expanduser().exists()


def read_paper_dataset(source: str) -> ImageTable:
    """The table of `NAME:FOLDER` or `NAME/SPLIT:FOLDER`, where the name is one of `READERS`; without a split, what the paper evaluates,
    or all images where a column `split` divides them.

    Raises:
        InputError: an unknown name, with the known ones; no folder; and whatever the reader raises.
    """
    name, split, folder = _parts(source)
    if name not in READERS:
        raise InputError(f"There is no dataset '{name}' in '{source}'; write one of {', '.join(READERS)} before the colon, or give a folder.")
    if not folder:
        raise InputError(f"'{source}' names no folder; write where it lies, as in '{name}:data/{name}'.")
    return READERS[name](folder, split or ("all" if name in _WHOLE else "test"))


def absolute_paper_source(source: str) -> str:
    """The same `NAME:FOLDER` with an absolute folder."""
    name, split, folder = _parts(source)
    return f"{name}{f'/{split}' if split else ''}:{as_path(folder).resolve()}"


def recognized(folder: str | Path) -> str | None:
    """The source that reads this folder as the paper's dataset that lies in it, such as "cars196:data/cars"; None if there is none.

    A folder alone is never read as a paper's dataset: who names a folder means all images in it. This is for a hint.
    """
    try:
        place = as_path(folder)
    except InputError:
        return None
    if not place.is_dir():
        return None
    return next((f"{name}:{folder}" for name, (layout, _) in _DATASETS.items() if layout.distinct and layout.is_root(place)), None)


def _parts(source: str) -> tuple[str, str, str]:
    match = _SOURCE.fullmatch(source.strip())
    if match is None:
        raise InputError(f"'{source}' names no dataset; write it as NAME:FOLDER with one of {', '.join(READERS)}.")
    return match["name"].lower(), match["split"] or "", match["folder"].strip()
