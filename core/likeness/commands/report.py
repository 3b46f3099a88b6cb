"""`likeness report`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.inputs import composition_named, embedded, source_table, tell_warnings
from likeness.commands.options import Dim, EncoderName, NotionName, Only, Seed, output_file
from likeness.commands.terminal import progress_bar
from likeness.errors import InputError
from likeness.io import runs_dir

if TYPE_CHECKING:
    from likeness.reports import Report, ReportOptions


def report(
    source: Annotated[str | None, typer.Argument(help="{datasets}; not for a run, which uses its test images.")] = None,
    notion: NotionName = None,
    run: Annotated[
        str | None, typer.Option("--run", "-r", help="Report a trained run instead: its name, as `likeness runs` shows it, or its folder.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", callback=output_file, help="File to write.")] = Path("report.html"),
    color: Annotated[str | None, typer.Option("--color", "-c", help="Attribute that colors the maps initially.")] = None,
    images: Annotated[int, typer.Option(min=3, max=10_000, help="Maximum number of images; a random sample if there are more.")] = 3000,
    megabytes: Annotated[float, typer.Option(min=0.2, max=100, help="Maximum file size; images are as large as it allows.")] = 5.0,
    layout: Annotated[str, typer.Option(help="Map layout: umap, tsne, pacmap, trimap or pca.")] = "umap",
    encoder: EncoderName = None,
    dim: Dim = None,
    only: Only = None,
    seed: Seed = 0,
) -> None:
    """Write a shareable HTML report of a notion or run: metrics compared with the raw encoder, two linked maps, all images.

    It opens in any browser without server or network: hover shows an image, a lasso in one map selects in both, a click shows the nearest images in
    both spaces. It contains no local paths.

    Examples: `likeness report cars --notion car-color --out color.html`, `likeness report photos/ -n dog-color.yaml`,
    `likeness report --run shipped-cars-elg --images 1000`
    """
    from likeness.reports import ReportOptions, run_report, write_report

    if (notion is None) == (run is None):
        raise InputError("Pass either a notion (--notion car-color, with images) or a trained run (--run NAME).")
    if run is not None and (source or dim or only):
        raise InputError("A run's report shows its test images; remove SOURCE, --dim and --only.")
    if run is None and source is None:
        raise InputError("A notion's report needs images; name them, as in 'likeness report photos/ --notion dog-color.yaml'.")
    with progress_bar("Report") as progress:
        options = ReportOptions(images, megabytes, color, layout, seed, progress)
        if run is not None:
            folder = Path(run) if (Path(run) / "config.yaml").is_file() else runs_dir() / run
            found = run_report(folder, options, encoder=encoder)
        else:
            assert source is not None
            assert notion is not None
            found = _of_notion(source, notion, encoder, dim, only, options)
        write_report(found, out)
    typer.echo(f"{out}: {len(found.table):,} images, {out.stat().st_size / 1e6:.1f} MB", err=True)


def _of_notion(source: str, notion: str, encoder: str | None, dim: int | None, only: Path | None, options: "ReportOptions") -> "Report":
    from likeness.reports import check_color, notion_report

    named, table = composition_named(notion), source_table(source, only)
    check_color(table, options)
    space = embedded(table, encoder)
    tell_warnings(named, space.encoder, space)
    return notion_report(space, named, options, dim=dim)
