"""Export to a folder of links, in a subfolder per class, with a table of attributes."""

from pathlib import Path

from likeness.data import with_columns_before
from likeness.errors import InputError
from likeness.exports.image_files import FreeNames, put_file
from likeness.exports.material import Material
from likeness.exports.plain_columns import class_attributes, class_values
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import csv_bytes, name_to_text
from likeness.progress import Progress

TABLE = "metadata.csv"
_EVERY = 100


def write_links(material: Material, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder of links to the images or copies of them, in a subfolder per class, with all attributes in a CSV file.

    Without a label all images are in one folder; with a label, images without a class are in the top folder.

    `metadata.csv` lists each file, its source and its attributes: the folder is an imagefolder of `datasets`, which `likeness.read` reads, too.
    """
    sources = material.paths()
    label = one_label(material, options.label) if options.label else None
    classes = [""] * len(material) if label is None else class_texts(material, label)
    files = put_files(folder, sources, folder_names(classes), link_of(material, options), progress)
    write_image_table(folder / TABLE, material, files)
    left = sum(not each for each in classes) if label is not None else 0
    return Written(len(material), note=f"{left:,} images without a '{label}' are in the top folder." if left else "")


def link_of(material: Material, options: ExportOptions) -> str:
    """How image files get into a folder: as in the options, by default as links, or as copies if portable."""
    return options.link or ("copy" if material.portable else "symlink")


def one_label(material: Material, label: str | None) -> str:
    """The class attribute; by default the one called "label" or "class". Raises InputError for none or several."""
    if label is None:
        found = next((name for name in ("label", "class") if name in material.attributes), None)
        if found is None:
            raise InputError(f"Pass the class attribute as label; there are {', '.join(material.table.attributes) or 'none'}.")
        return found
    names = class_attributes(material.attributes, label)
    if len(names) > 1:
        raise InputError(f"'{label}' lists {len(names)} attributes, but folders need one; choose one of them.")
    return names[0]


def class_texts(material: Material, label: str) -> list[str]:
    """The class of each image as text, "" for none. A tag becomes NAME or "not NAME"."""
    values = class_values(material.attributes[label])
    texts = [None if value is None else (label if value else f"not {label}") if isinstance(value, bool) else str(value) for value in values]
    return [(text or "").strip() for text in texts]


def folder_names(classes: list[str]) -> list[str]:
    """A folder name for each class, in order of class names; "" is unchanged."""
    names = FreeNames([TABLE])
    folders = {each: names.of(each) for each in sorted(set(classes)) if each}
    return [folders.get(each, "") for each in classes]


def put_files(folder: Path, sources: list[Path], subfolders: list[str], link: str, progress: Progress) -> list[str]:
    """Links images into subfolders and returns their relative paths. File names are unique across all folders."""
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
    """Writes a CSV of the files in the folder, their sources, and all attributes."""
    taken = {str(name).lower() for name in material.attributes}
    source = next(name for name in ("source", "source_path", "source_path_") if name not in taken)
    places = material.names if material.portable else [name_to_text(str(path)) for path in material.paths(regions=True)]
    file.write_bytes(csv_bytes(with_columns_before(material.attributes, {"file_name": files, source: places})))


TARGET = Target("links", "Folder of links", "images", write_links, ("label", "link"))
