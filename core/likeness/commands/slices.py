"""`likeness slices`."""

from pathlib import Path
from typing import Annotated

import typer

from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import EncoderName, Format, Only, OutputFile, Source, output_file
from likeness.commands.terminal import print_table, printable, progress_bar, write_csv


def slices(
    source: Source,
    predicted: Annotated[str, typer.Option(help="Column of predictions; without --actual, of errors or losses as numbers.")],
    actual: Annotated[str | None, typer.Option(help="Column of true labels.")] = None,
    second: Annotated[str | None, typer.Option(help="Column of a second model: where is the first worse, or where do their labels differ?")] = None,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    report: Annotated[
        Path | None, typer.Option(callback=output_file, help="Shareable HTML report to write: slices with pictures, and a map.")
    ] = None,
    format: Format = "table",
) -> None:
    """Find where a model fails: clusters, aspects of notions, attributes, and pairs of them in which errors concentrate; or say that there are none.
    Intervals and p-values are corrected for the many sets that are tested. Other formats than the table have row numbers.

    Examples: `likeness slices photos.csv --predicted guess --actual label`, `likeness slices photos.csv --predicted loss --report errors.html`
    """
    import pandas as pd

    from likeness.slices import find_slices

    space = embedded(source_table(source, only), encoder)
    found = find_slices(space, predicted, actual, second)
    write_csv(out, found.table)
    if report:
        from likeness.reports import ReportOptions, slices_report, write_report

        with progress_bar("Report") as progress:
            write_report(slices_report(space, found, predicted, actual, second, ReportOptions(progress=progress)), report)
    if format == "table":
        lines = [f"{name}. {sentence}" for name, sentence in zip(found.table["name"], found.sentences, strict=True)]
        typer.echo(printable("\n".join([found.answer, *lines])))
    else:
        typer.echo(printable(found.answer), err=True)
        print_table(found.table.assign(rows=pd.Series(found.rows, dtype=object)), format)
