"""`likeness spread`."""

from pathlib import Path
from typing import Annotated

import typer

from likeness.commands.inputs import embedded, source_table, space_named
from likeness.commands.options import Dim, EncoderName, Format, NotionName, OutputFile, Source, output_file
from likeness.commands.terminal import print_table, progress_bar, write_csv


def spread(
    labels: Annotated[Path, typer.Argument(help="CSV file with the columns path, as in the images' table, and label.")],
    source: Source,
    notion: NotionName = None,
    method: Annotated[str, typer.Option(help="`propagation`: along nearest neighbors; `probe`: logistic regression on the vectors.")] = "propagation",
    next: Annotated[int, typer.Option("--next", min=1, help="Length of the queue.")] = 24,
    encoder: EncoderName = None,
    dim: Dim = None,
    out: OutputFile = None,
    queue: Annotated[Path | None, typer.Option(callback=output_file, help="CSV file for the queue.")] = None,
    format: Format = "table",
) -> None:
    """Propagate labels from a few images to all, with confidences and a review queue.

    Labels are propagated in the raw encoder's space or a notion's. `--out` writes a line per image: path, label, confidence, and whether the label
    was given. The printed queue has labels that contradict the others ("mistake"), then diverse uncertain images.

    Examples: `likeness spread labels.csv photos/ --out all.csv`, `likeness spread labels.csv cars --notion car-color --method probe --next 10`
    """
    from likeness.data import read_label_file
    from likeness.spreading import check_method, labels_of_paths, next_to_label, spread_labels

    check_method(method)
    read_label_file(labels)  # refuses what is none
    table = source_table(source)
    given = labels_of_paths(table, labels)
    space = space_named(embedded(table, encoder), notion, dim)
    with progress_bar("Spreading") as progress:
        found = spread_labels(space, given, method, progress=progress)
    waiting = next_to_label(found, next)
    write_csv(out, found.table())
    write_csv(queue, waiting)
    print_table(waiting.round({"confidence": 3, "margin": 3}), format)
    typer.echo(found.sentence(), err=True)
