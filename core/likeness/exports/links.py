"""A folder of links to the images, in a folder for each class, with a table of what is known about each."""

from pathlib import Path

import pandas as pd

from likeness.errors import InputError
from likeness.exports.image_files import FreeNames, put_file
from likeness.exports.material import Material
from likeness.exports.plain_columns import class_attributes, class_values
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import csv_bytes, name_to_text
from likeness.progress import Progress

TABLE = "images.csv"
_EVERY = 100


def write_links(material: Material, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder of links to the images or copies of them, in a folder for each class, with all attributes in a CSV file.

    Links all images into a folder; with a label, into one for each class, and those without a class into the folder itself.

    `images.csv` beside them names each file, where it came from and its attributes; `likeness.read` reads it.
    """
    sources = material.paths()
    label = one_label(material, options.label) if options.label else None
    classes = [""] * len(material) if label is None else class_texts(material, label)
    files = put_files(folder, sources, folder_names(classes), link_of(material, options), progress)
    write_image_table(folder / TABLE, material, files)
    left = sum(not each for each in classes) if label is not None else 0
    return Written(len(material), note=f"{left:,} images without a '{label}' lie beside the folders." if left else "")


def link_of(material: Material, options: ExportOptions) -> str:
    """How image files come into a folder: as the options say, or else as links, and as copies where all is to be portable."""
    return options.link or ("copy" if material.portable else "symlink")


def one_label(material: Material, label: str | None) -> str:
    """The attribute whose values are the classes; without a name, the one called "label" or "class". InputError for none and for several."""
    if label is None:
        found = next((name for name in ("label", "class") if name in material.attributes), None)
        if found is None:
            raise InputError(f"Say which attribute names the classes, by the label; there are {', '.join(material.table.attributes) or 'none'}.")
        return found
    names = class_attributes(material.attributes, label)
    if len(names) > 1:
        raise InputError(f"'{label}' names {len(names)} attributes, and a folder has one; choose one of them.")
    return names[0]


def class_texts(material: Material, label: str) -> list[str]:
    """The class of each image as a text, "" where it has none. Yes or no reads NAME and "not NAME"."""
    values = class_values(material.attributes[label])
    texts = [None if value is None else (label if value else f"not {label}") if isinstance(value, bool) else str(value) for value in values]
    return [(text or "").strip() for text in texts]


def folder_names(classes: list[str]) -> list[str]:
    """A folder for each class, in the order of the classes' names; "" stays."""
    names = FreeNames([TABLE])
    folders = {each: names.of(each) for each in sorted(set(classes)) if each}
    return [folders.get(each, "") for each in classes]


def put_files(folder: Path, sources: list[Path], subfolders: list[str], link: str, progress: Progress) -> list[str]:
    """Links images into subfolders; the name of each, with slashes, below the folder. No two files have the same name, in any folder."""
    names, files = FreeNames([TABLE, *subfolders]), []
    for row, (source, subfolder) in enumerate(zip(sources, subfolders, strict=True)):
        name = names.of(source.name)
        (folder / subfolder).mkdir(parents=True, exist_ok=True)
        put_file(source, folder / subfolder / name, link)
        files.append(f"{subfolder}/{name}" if subfolder else name)
        if row % _EVERY == 0:
            progress(row + 1, len(sources))
    return files


def write_image_table(file: Path, material: Material, files: list[str]) -> None:
    """A CSV of the files in the folder, where each came from, and all attributes."""
    taken = {str(name).lower() for name in material.attributes}
    source = next(name for name in ("source", "source_path", "source_path_") if name not in taken)
    beside = pd.DataFrame({"path": files, source: material.names if material.portable else [name_to_text(str(path)) for path in material.paths()]})
    file.write_bytes(csv_bytes(pd.concat([beside, material.attributes], axis=1)))


TARGET = Target("links", "Folder of links", "images", write_links, ("label", "link"))
