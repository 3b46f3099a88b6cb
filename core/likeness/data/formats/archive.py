"""ZIP and tar archives, and webdataset's shards: images are read where they lie, and nothing is unpacked."""

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from likeness.data.captions_column import CAPTION_COLUMN, with_caption_column
from likeness.data.format import Format, ReadOptions, plain, shown_name
from likeness.data.formats.shards import shards_below, split_column
from likeness.data.readers.folder import natural_key
from likeness.data.readers.folder_columns import CLASS, folder_columns
from likeness.data.table import Failure, ImageTable
from likeness.data.upload_archive import archive_tables, is_shown_entry, plain_steps
from likeness.data.upload_table import listed_images
from likeness.errors import InputError
from likeness.io import Part, archive_names, as_path, decoded, name_to_text, open_content, parse_json, part_path, regular_file

_TARS = (".tar", ".tar.gz", ".tgz")
_BRACES = re.compile(r"\{(\d{1,9})\.\.(\d{1,9})\}")
_MOST_SHARDS = 100_000
# of webdataset: what shares a name up to its first dot is of one image
_PIECES = re.compile(r"((?:.*/)?[^/.]+)\.(?:[^/]*\.)?([^/.]+)", re.DOTALL)


def read_archives(path: Path, options: ReadOptions) -> ImageTable:
    """ZIP and tar files, read where they lie; webdataset's shards with their labels, captions and JSON.

    The images have the columns of the folders in the archive. In tar files what shares a name up to its first dot is of one image: `.cls` becomes
    `class`, `.txt` `caption`, and the fields of `.json` attributes. A table in a single archive that lists its images is used.
    """
    root, paths, folders, beside, failed = path if path.is_dir() else path.parent, list[str](), list[str](), list[dict[str, Any]](), list[Failure]()
    for shard in (shards := _shards(path)):
        names, place = archive_names(regular_file(as_path(shard))), name_to_text(shard.relative_to(root).as_posix())
        shown = [name for name in sorted({*names}, key=natural_key) if is_shown_entry(name)]
        images = [name for name in shown if ".." not in plain_steps(name)]
        failed += [Failure(-1, name_to_text(name), "It leads out of the archive; pack it again.") for name in {*shown} - {*images}]
        attributes = {} if shard.suffix.lower() == ".zip" else _attributes(shard, names, {_pieces(name)[0] for name in images})
        paths += [part_path(place, Part(entry=name)) for name in images]
        folders += [name_to_text("/".join(plain_steps(name)[:-1])) for name in images]
        beside += [attributes.get(_pieces(name)[0], {}) for name in images]
    if not paths:
        raise InputError(f"'{path.name}' holds no images; pass an archive of image files.")
    rows = pd.DataFrame(beside, index=range(len(paths))).rename(columns={"path": "path (attribute)"})
    columns = folder_columns(folders) | split_column(place.partition("#")[0] for place in paths)
    frame = pd.DataFrame({"path": paths} | {name: values for name, values in columns.items() if name not in rows}).join(rows)
    table = ImageTable(shown_name(path, options), root, frame, tuple(failed))
    if len(shards) == 1 and (tables := archive_tables(names, lambda name: _content(shards[0], name), [plain_steps(name) for name in images])):
        with TemporaryDirectory() as scratch:
            listed, notes = listed_images(tables, dict(zip(images, paths, strict=True)), Path(scratch) / "table", options.path_column)
        table = replace(table, notes=notes, frame=frame if listed is None else listed)
    return replace(table, frame=with_caption_column(table.frame, options.caption_column, path.name)) if options.caption_column else table


def _content(archive: Path, name: str) -> bytes:
    with open_content(Path(part_path(str(archive), Part(entry=name)))) as file:
        return file.read()


def _attributes(archive: Path, names: list[str], images: set[str]) -> dict[str, dict[str, Any]]:
    """The attributes of each key of images of a tar file."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for name, (key, kind) in ((name, _pieces(name)) for name in names):
        if key in images and kind in ("cls", "txt", "json"):
            text = decoded(_content(archive, name), f"'{name}'").strip()
            found[key] |= plain(parse_json(text, f"'{name}'")) if kind == "json" else {CLASS if kind == "cls" else CAPTION_COLUMN: text}
    return found


def _pieces(name: str) -> tuple[str, str]:
    """The key of a file, and what it is: ("a/000", "jpg") for "a/000.left.jpg"."""
    match = _PIECES.fullmatch(name)
    return (match[1], match[2].lower()) if match else (name, "")


def _shards(path: Path) -> list[Path]:
    if path.is_dir():
        return shards_below(path, *_TARS)
    match = None if path.exists() else _BRACES.search(path.name)
    if match is None:
        return [path]
    numbers = range(int(match[1]), int(match[2]) + 1)
    if not 0 < len(numbers) < _MOST_SHARDS:
        raise InputError(f"'{path.name}' names {len(numbers):,} files; write the first and the last number, as in 'shard-{{000..003}}.tar'.")
    begin, end = path.name[: match.start()], path.name[match.end() :]
    return [path.with_name(f"{begin}{number:0{len(match[1])}}{end}") for number in numbers]


def _matches(path: Path) -> bool:
    return bool(shards_below(path, *_TARS)) if path.is_dir() else path.name.lower().endswith((".zip", *_TARS)) and _shards(path)[0].is_file()


FORMAT = Format("archive", "archives", "`photos.zip`, `shard-{000..003}.tar`", _matches, read_archives, takes="columns")
