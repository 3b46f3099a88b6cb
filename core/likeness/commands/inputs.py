"""Parse command-line arguments into tables, spaces and notions."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from likeness.commands.terminal import printable, progress_bar
from likeness.defaults import DATASET
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.data import ImageTable
    from likeness.notions import Composition, Notion
    from likeness.space import Space

_FEWEST_TRUSTED = 20  # images; with fewer the score is a matter of chance


def embedded(table: "ImageTable", encoder: str | None = None, **options: Any) -> "Space":
    """The space of an encoder, by default the one for such images, with a progress bar while images are read; notes (`ImageTable.notes`) go to
    stderr.
    """
    from likeness.embedding import embed

    with progress_bar("Embedding") as progress:
        space = embed(table, encoder, progress=progress, **options)
    for note in space.table.notes:
        typer.echo(printable(f"Note: {note}"), err=True)
    return space


def source_table(source: str, only: Path | None = None) -> "ImageTable":
    """The images of a source, restricted to those listed in a text file if one is given."""
    from likeness.data import keep_listed, read_dataset

    table = read_dataset(source)
    return keep_listed(table, only) if only else table


def rows_where(table: "ImageTable", condition: str) -> list[int]:
    """Rows of the images with an attribute value (`class=beagle`) or tag (`good=yes`); raises InputError if there are none."""
    name, sign, value = (part.strip() for part in condition.partition("="))
    if not sign or name not in table.frame:
        raise InputError(f"Invalid condition '{condition}'; use ATTRIBUTE=VALUE, with one of {', '.join(table.attributes) or 'none'}.")
    column = table.frame[name]
    if column.dtype == bool and value.lower() in ("yes", "no"):
        value = str(value.lower() == "yes")
    rows: list[int] = ((column.astype(str) == value) & column.notna()).to_numpy().nonzero()[0].tolist()
    if not rows:
        values = ", ".join(f"'{each}'" for each in column.dropna().astype(str).unique()[:10])
        raise InputError(f"No image has '{name}' = '{value}'; there are {values or 'none'}.")
    return rows


def notion_named(name: str) -> "Notion":
    """A notion by its name or YAML file."""
    from likeness.notions import get_notion, read_notion

    path = Path(name)
    return read_notion(path) if path.suffix in (".yaml", ".yml") else get_notion(name.strip())


def listed_notions(notions: str | None) -> "list[Notion]":
    """The notions of a comma-separated list; empty for "all" and None, which depend on the images."""
    return [] if notions is None or notions == "all" else [notion_named(name) for name in notions.split(",")]


def notions_of(table: "ImageTable", notions: str | None) -> "list[Notion]":
    """The notions of a comma-separated list; "all": every notion that the images have labels for; None: the paper's three for our cars, or all."""
    from likeness.studies import judged_notions

    return listed_notions(notions) or judged_notions(table, every=notions == "all")


def composition_named(text: str) -> "Notion | Composition":
    """A notion by its name or YAML file, or several: `car-color + 0.5 car-model - background-color`."""
    from likeness.notions import parse_composition

    found: Notion | Composition = parse_composition(text, notion_named)
    return found


def space_named(base: "Space", notion: str | None, dim: int | None = None, method: str = "exact") -> "Space":
    """The encoder's own space, or that of a notion or composition; `dim` as in `Space.refit`."""
    if not notion:
        return base
    named = composition_named(notion)
    tell_warnings(named, base.encoder, base)
    return base.refit(named, method, dim=dim)


def tell_warnings(notion: "Notion | Composition", encoder: Any, images: "Space | None" = None) -> None:
    """Prints warnings about a notion (`notion_warnings`), and whether it is unreliable on these images, to stderr."""
    from likeness.notion_trust import notion_warnings

    found = notion_warnings(notion, encoder)
    if images is not None and images.embed_texts is not None and len(images) >= _FEWEST_TRUSTED:
        from likeness.notion_trust import notion_trust

        trust = notion_trust(images, notion)
        found += [] if trust.reads else [f"{notion.name}: {trust.sentence}"]
    for sentence in found:
        typer.echo(f"Note: {sentence}", err=True)


def tell_cut_or_unknown(space: "Space", texts: "Sequence[str]") -> bool:
    """Prints to stderr which parts of query texts the encoder does not read, and whether there are any; InputError if it knows no word of a text."""
    from likeness.encoders import check_text, text_warnings

    if space.encoder is None or space.embed_texts is None or not texts:
        return False
    for text in texts:
        check_text(space.encoder, text)
    sentences = text_warnings(space.encoder, texts)
    for sentence in sentences:
        typer.echo(f"Note: {sentence}", err=True)
    return bool(sentences)


def class_columns(attribute: str | None, source: str) -> list[str]:
    """The class attributes; by default `car_color,body_type` for the shipped images and `class` for others."""
    return [column.strip() for column in (attribute or ("car_color,body_type" if source == DATASET else "class")).split(",")]


def tell_left_out(attribute: "str | Sequence[str]", left_out: int, images: int) -> None:
    """Prints to stderr how many images are ignored because they have no label, if any."""
    if left_out:
        named = attribute if isinstance(attribute, str) else ", ".join(attribute)
        typer.echo(f"{left_out:,} of {images:,} images have no label of '{named}' and are ignored.", err=True)


def whole_numbers(text: str) -> list[int]:
    """`2,16,128` -> [2, 16, 128]; raises InputError for anything else."""
    from likeness.studies import parse_whole_number

    return [parse_whole_number(part) for part in text.split(",")]


def one_dimension(text: str) -> int | str:
    """`128` -> 128, `suggested` -> "suggested"; raises InputError for anything else."""
    from likeness.studies import parse_dimensions

    sizes = parse_dimensions(text)
    if len(sizes) > 1:
        raise InputError(f"'{text}' lists several dimensions; give one, such as {sizes[0]}.")
    return sizes[0]
