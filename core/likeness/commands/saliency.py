"""`likeness saliency`."""

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.inputs import embedded, source_table, space_named, whole_numbers
from likeness.commands.options import Dim, EncoderName, OutputFile, Seed, Source, known_notions
from likeness.commands.terminal import progress_bar
from likeness.defaults import DATASET
from likeness.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

    from likeness.saliency import Saliency

_WIDTH = 192  # pixels that a picture of the figure is enlarged to, at least
_DRAWN = 4  # images, where no --rows are given


def _known_each(names: str | None) -> str | None:
    known_notions(names.split(",") if names else None)
    return names


def saliency(
    source: Source = DATASET,
    rows: Annotated[str | None, typer.Option(help="Image numbers, separated by commas; by default the first 4.")] = None,
    notion: Annotated[
        str | None,
        typer.Option("--notion", "-n", callback=_known_each, help="Names or YAML files, separated by commas; by default only the raw encoder."),
    ] = None,
    dim: Dim = None,
    samples: Annotated[int, typer.Option(min=1, help="Noisy copies of each image.")] = 25,
    percentile: Annotated[float, typer.Option(help="Percentile of each map that is shown as 1.")] = 99.0,
    base: Annotated[str, typer.Option(help="`black` or an image file: the baseline image whose distance is explained.")] = "black",
    blur: Annotated[float, typer.Option(min=0.0, help="Standard deviation in pixels of the Gaussian blur of the maps.")] = 0.0,
    encoder: EncoderName = None,
    seed: Seed = 0,
    out: OutputFile = None,
) -> None:
    """Draw what a space looks at: the image, the raw encoder's map, each notion's map and their difference (yellow: the notion looks more).

    Example: `likeness saliency --notion car-color,background-color --out maps.png`
    """
    from likeness.saliency import check_percentile, saliency_of_spaces

    if out is None:
        raise InputError("Pass the file to write, such as --out maps.png.")
    if out.suffix.lower() != ".png":
        raise InputError(f"Cannot write '{out}'; its name must end in .png.")
    if base != "black" and not os.path.isfile(base):
        raise InputError(f"There is no file '{base}'; give `black` or the path of an image.")
    origin = base if base == "black" else Path(base)
    check_percentile(percentile)
    named = whole_numbers(rows) if rows else None
    images = embedded(source_table(source), encoder)
    chosen = named or range(min(_DRAWN, len(images.table)))
    with progress_bar("Explaining") as progress:
        settings: dict[str, Any] = {"samples": samples, "percentile": percentile, "seed": seed, "progress": progress}
        spaces = [images, *(space_named(images, name, dim) for name in (notion.split(",") if notion else ()))]
        found = saliency_of_spaces(spaces, chosen, base=origin, **settings)
    _write(_figure(found, [str(row) for row in chosen], blur), out)


def _figure(found: "Sequence[Saliency]", labels: Sequence[str], blur: float) -> "Image":
    """Image, raw map, and a map and a difference for each notion; a row per image."""
    from likeness.saliency import blurred, difference, difference_picture, enlarged, figure, map_picture

    raw, *notions = found
    titles, columns = ["image", "raw encoder"], [raw.pixels, map_picture(blurred(raw.maps, blur))]
    for own in notions:
        titles += [own.name, f"{own.name} minus raw"]
        columns += [map_picture(blurred(own.maps, blur)), difference_picture(blurred(difference(own, raw), blur))]
    factor = max(1, -(-_WIDTH // raw.maps.shape[2]))
    return figure(list(zip(*(enlarged(column, factor) for column in columns), strict=True)), titles, labels)


def _write(picture: "Image", out: Path) -> None:
    from likeness.io import write_atomic

    content = io.BytesIO()
    picture.save(content, "PNG")
    write_atomic(out, content.getvalue())
    typer.echo(f"wrote {out}: {picture.width} x {picture.height} pixels")
