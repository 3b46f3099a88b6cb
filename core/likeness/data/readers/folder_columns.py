"""Derive classes and other columns from the folders of images."""

from collections.abc import Mapping, Sequence

from likeness.data.readers.photo_columns import NO_CLASS

CLASS, SPLIT = "class", "split"
SPLITS = frozenset(["train", "training", "val", "valid", "validation", "dev", "test", "testing", "eval", "evaluation", "query", "gallery"])
# what programs keep beside photos: caches, thumbnails and what was thrown away or is an older state; in lower case
_KEPT_BY_PROGRAMS = frozenset(
    ["__macosx", "@eadir", "#recycle", "#snapshot", "@recycle", "@__thumb", "$recycle.bin", "system volume information", ".thumbnails"]
)
_PHOTO_LIBRARIES = (".photoslibrary", ".photolibrary", ".migratedphotolibrary", ".aplibrary")
_DERIVED = frozenset(["derivatives", "thumbnails", "previews"])  # in a library; its originals and edited pictures stay


def folder_columns(folders: Sequence[str]) -> dict[str, list[str]]:
    """Derives the columns "class", "split" and "folder 1", "folder 2" ... from the folders of images.

    A level of folders becomes a column if it distinguishes images. A level with only names such as train, val and test is "split". Of the others,
    "class" is the deepest level whose names each have a single parent (species in families), if every image has such a folder; if names recur under
    several parents (sessions of people, months of years), it is the first level. The rest are "folder N", counted from the top. A common last folder
    ("images") is ignored at any depth.

    Args:
        folders: folder of each image, relative to the source, with forward slashes; "" for none.

    Example:
        >>> folder_columns(["train/cat", "train/dog", "test/cat"])
        {'class': ['cat', 'dog', 'cat'], 'split': ['train', 'train', 'test']}
        >>> folder_columns(["anna/01", "anna/02", "ben/01"])
        {'class': ['anna', 'anna', 'ben'], 'folder 2': ['01', '02', '01']}
        >>> folder_columns(["cat/images", "dog/images"])
        {'class': ['cat', 'dog']}
        >>> folder_columns(["val", "val"])
        {}
    """
    levels = _varying_levels(_without_common_end({folder: tuple(folder.split("/")) if folder else () for folder in folders}))
    split = next((number for number, names in levels.items() if {name.lower() for name in names.values()} - {NO_CLASS} <= SPLITS), None)
    others = [number for number in levels if number != split]
    chosen = _class_level(levels, others) if others else None
    titles = {CLASS: chosen, SPLIT: split} | {f"folder {number}": number for number in others if number != chosen}
    return {title: [levels[number][folder] for folder in folders] for title, number in titles.items() if number is not None}


def kept_by_a_program(folder: str, parents: Sequence[str] = ()) -> bool:
    """True if a folder of this name, inside folders of those names, is kept by a program beside photos, such as for thumbnails or deleted files."""
    name = folder.lower()
    if name in _KEPT_BY_PROGRAMS or name.startswith(".trash") or name.endswith(".lrdata"):
        return True
    return name in _DERIVED and any(parent.lower().endswith(_PHOTO_LIBRARIES) for parent in parents)


def is_shown(folders: Sequence[str]) -> bool:
    """True if none of these nested folders is hidden or kept by a program."""
    return not any(name.startswith(".") or kept_by_a_program(name, folders[:depth]) for depth, name in enumerate(folders))


def _without_common_end(steps: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Removes common last folders: "images" of train/cat/images and val/images."""
    found = dict(steps)
    while len({each[-1:] for each in found.values()}) == 1 and all(found.values()):
        found = {folder: each[:-1] for folder, each in found.items()}
    return found


def _varying_levels(steps: Mapping[str, tuple[str, ...]]) -> dict[int, dict[str, str]]:
    """Maps level (from 1) -> folder -> name, without levels that are equal for all."""
    depth = max(map(len, steps.values()), default=0)
    levels = {number + 1: {folder: each[number] if len(each) > number else NO_CLASS for folder, each in steps.items()} for number in range(depth)}
    return {number: names for number, names in levels.items() if len(set(names.values())) > 1}


def _class_level(levels: Mapping[int, Mapping[str, str]], numbers: Sequence[int]) -> int:
    """The deepest level present in all images that have the first one, with a single parent per name; else the first."""
    first = levels[numbers[0]]
    for place in range(len(numbers) - 1, 0, -1):
        names = levels[numbers[place]]
        named = [folder for folder in first if names[folder] != NO_CLASS]
        parents = {(tuple(levels[number][folder] for number in numbers[:place]), names[folder]) for folder in named}
        if len(parents) == len({name for _, name in parents}) and all(names[folder] != NO_CLASS for folder in first if first[folder] != NO_CLASS):
            return numbers[place]
    return numbers[0]
