"""`likeness duplicates`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.inputs import embedded, source_table, space_named, tell_left_out
from likeness.commands.options import Dim, EncoderName, Format, NotionName, Only, OutputFile, Seed, Source, output_file
from likeness.commands.terminal import print_first, progress_bar, write_csv
from likeness.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from likeness.data import ImageTable
    from likeness.space import Space

_SHOWN = 20
_SUGGESTED = "suggested"


def duplicates(
    source: Source,
    notion: NotionName = None,
    threshold: Annotated[
        str, typer.Option("--threshold", "-t", help="Minimum cosine similarity of two copies; `suggested`: measured on altered copies.")
    ] = _SUGGESTED,
    exact: Annotated[bool, typer.Option("--exact", help="Equal files only; no image is embedded.")] = False,
    between: Annotated[
        str | None,
        typer.Option(
            help="Only copies between subsets: an attribute, such as a column `split`, or another source. SOURCE is then the test set, and "
            "that one the training set."
        ),
    ] = None,
    encoder: EncoderName = None,
    dim: Dim = None,
    only: Only = None,
    seed: Seed = 0,
    out: OutputFile = None,
    keep_list: Annotated[Path | None, typer.Option(callback=output_file, help="Text file to write: images to keep, for --only.")] = None,
    drop_list: Annotated[Path | None, typer.Option(callback=output_file, help="Text file to write: images to drop.")] = None,
    format: Format = "table",
) -> None:
    """Find duplicate images: equal files, near copies, the same thing by a notion, and copies between train and test.

    Each group is a star around its best image (most pixels, then largest file): every member reaches the threshold with it, and no two kept images
    are copies of each other. With --between, images of SOURCE that have copies may be dropped; with an attribute, those of the rarer value. From
    50,000 images on, an index is searched (`likeness index`, or a temporary one), and its estimated recall of pairs is printed.

    Examples: `likeness duplicates photos/ --out groups.csv --keep-list keep.txt`, `likeness duplicates photos/ --exact`,
    `likeness duplicates cars --notion "car-color + car-model" -t 0.999`, `likeness duplicates test/ --between train/ -t 0.95`
    """
    level = _threshold(threshold)
    if exact and (notion or between or level is not None or encoder or dim):
        raise InputError("--exact compares files of one source; remove it, or --notion, --between, --threshold, --encoder and --dim.")
    table = source_table(source, only)
    if exact:
        frame, dropped = _equal(table)
    else:
        space = space_named(embedded(table, encoder), notion, dim)
        table = space.table
        if between is not None and between not in table.attributes:
            frame, dropped = _across(space, between, notion, dim, encoder, level, seed)
        else:
            level = _level(space, level, seed)
            frame, dropped = _within(space, level, seed) if between is None else _by_attribute(space, between, level, seed)
    _write(table, frame, dropped, (out, keep_list, drop_list))
    if len(frame) or format != "table":
        print_first(frame, _SHOWN if format == "table" else len(frame), format, "--out FILE or --format csv gives them")


def _threshold(text: str) -> float | None:
    """Parses a threshold; None for `suggested`."""
    from likeness.duplicates import check_threshold

    if text == _SUGGESTED:
        return None
    try:
        written = float(text)
    except ValueError as error:
        raise InputError(f"The threshold is {text!r}; write a cosine similarity above 0, up to 1, such as 0.95, or `suggested`.") from error
    return check_threshold(written)


def _level(space: "Space", threshold: float | None, seed: int) -> float:
    """The given threshold, or the one suggested by altered copies."""
    from likeness.duplicates import known_threshold

    if threshold is not None:
        return threshold
    with progress_bar("Altered copies") as progress:
        found = known_threshold(space, seed=seed, progress=progress)
    typer.echo(found.message, err=True)
    return found.threshold


def _equal(table: "ImageTable") -> "tuple[pd.DataFrame, NDArray[np.int64]]":
    """Prints the groups of equal images and those to drop; unreadable files are reported and kept."""
    from likeness.duplicates import best_first, equal_groups, exact_copies

    with progress_bar("Equal images") as progress:
        found = exact_copies(table, progress)
    groups = equal_groups(found, len(table), best_first(table, [row for group in found.groups for row in group]))
    for each in found.failed[:_SHOWN]:
        typer.echo(f"Note: '{each.path}' cannot be read: {each.reason}", err=True)
    unread = f"; {len(found.failed):,} cannot be read and are compared with none" if found.failed else ""
    typer.echo(
        f"{len(groups):,} groups of equal files, {len(groups.rows):,} of {len(table):,} images; {len(groups.dropped):,} may go{unread}",
        err=True,
    )
    return groups.frame(table), groups.dropped


def _within(space: "Space", threshold: float, seed: int) -> "tuple[pd.DataFrame, NDArray[np.int64]]":
    from likeness.duplicates import best_first, copy_groups, near_copies

    with progress_bar("Near copies") as progress:
        pairs = near_copies(space, threshold, seed=seed, progress=progress).of_images(space.image_numbers)
    groups = copy_groups(pairs, len(space), best_first(space.table, pairs.rows))
    typer.echo(
        f"{len(groups):,} groups from a similarity of {threshold:.4f} on, {len(groups.rows):,} of {len(space):,} images; "
        f"{len(groups.dropped):,} may go. {pairs.message}",
        err=True,
    )
    return groups.frame(space.table), groups.dropped


def _by_attribute(space: "Space", attribute: str, threshold: float, seed: int) -> "tuple[pd.DataFrame, NDArray[np.int64]]":
    from likeness.data import image_classes
    from likeness.duplicates import leaks_by, near_copies, rarer_side

    left_out = image_classes(space.table, attribute).left_out  # refuses one that is not there before the search
    with progress_bar("Copies across") as progress:
        pairs = near_copies(space, threshold, seed=seed, progress=progress)
    found, rarer = leaks_by(pairs, space.table, attribute), rarer_side(pairs, space.table, attribute)
    tell_left_out(attribute, left_out, len(space))
    typer.echo(
        f"{len(found):,} of {len(space):,} images have copies from a similarity of {threshold:.4f} on under another {attribute}; "
        f"{len(rarer):,} may go. {pairs.message}",
        err=True,
    )
    return found, rarer


def _across(
    space: "Space", other: str, notion: str | None, dim: int | None, encoder: str | None, threshold: float | None, seed: int
) -> "tuple[pd.DataFrame, NDArray[np.int64]]":
    from likeness.duplicates import leaks

    try:
        table = source_table(other)
    except InputError as error:
        attributes = ", ".join(space.table.attributes) or "none"
        raise InputError(f"'{other}' is neither an attribute of these images ({attributes}) nor a source of images: {error}") from error
    base = space.base or space
    train = space_named(embedded(table, encoder or base.encoder_name), notion, dim)
    level = _level(train, threshold, seed)
    with progress_bar("Copies across") as progress:
        found = leaks(train, space, level, seed=seed, progress=progress)
    typer.echo(
        f"{len(found):,} of {len(space):,} images have copies from a similarity of {level:.4f} on among the {len(train):,} of '{train.table.name}' "
        f"and may go. {found.attrs['message']}",
        err=True,
    )
    return found, found["row"].sort_values().to_numpy()


def _write(table: "ImageTable", frame: "pd.DataFrame", dropped: "NDArray[np.int64]", files: tuple[Path | None, Path | None, Path | None]) -> None:
    import numpy as np

    from likeness.data import write_rows

    out, keep_list, drop_list = files
    write_csv(out, frame)
    if keep_list:
        paths = table.frame["path"]
        write_rows(keep_list, table, np.flatnonzero(~paths.isin(paths.iloc[dropped])))  # with a row all of its image go
    if drop_list:
        write_rows(drop_list, table, dropped)
