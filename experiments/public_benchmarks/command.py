"""Evaluates an encoder on a public benchmark."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.public_benchmarks import BENCHMARKS, beside_published, named_benchmark
from likeness.commands.options import EncoderName, Format, output_file
from likeness.commands.terminal import print_table, progress_bar, write_csv


def main(
    source: Annotated[str, typer.Argument(help="; ".join(f"`{each.usage}`: {each.help.rstrip('.')}" for each in BENCHMARKS))],
    encoder: EncoderName = None,
    methods: Annotated[str | None, typer.Option(help="Rows, separated by commas. Default: the benchmark's.")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Repetitions of rows that involve randomness.")] = 5,
    format: Format = "table",
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_file, help="CSV file with every run.")] = None,
) -> None:
    """Evaluate an encoder on a public benchmark, in its official layout, with published results below ours.

    Nothing is downloaded. InDiReCT's five datasets, on which DIOR is measured too, are for `likeness evaluate --paper`.

    Examples: `python -m experiments.public_benchmarks clevr4:data/clevr4 -e ViT-B-32/openai`,
    `python -m experiments.public_benchmarks icir:data/icir --methods image,text,basic`
    """

    found, folder = named_benchmark(source)
    chosen = found.checked_methods(None if methods is None else methods.split(","))
    with progress_bar(found.title) as progress:
        runs = found.run(folder, encoder, chosen, range(seeds), progress=progress)
    write_csv(out, runs)
    print_table(beside_published(runs, found), format)
    for task, method, refused in runs[["task", "method", "refused"]].dropna().drop_duplicates().itertuples(index=False):
        if refused:
            typer.echo(f"Note: {task}, {method}: {refused}", err=True)
