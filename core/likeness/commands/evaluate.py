"""`likeness evaluate`."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from likeness.commands.inputs import embedded, listed_notions, notions_of, source_table, tell_warnings
from likeness.commands.options import EncoderName, Format, Notions, Only, Runs, Source, output_file
from likeness.commands.terminal import measured, print_table
from likeness.defaults import DATASET

_ALL = "all"
_PAPER_DIM = "128"


def evaluate(
    source: Source = DATASET,
    notions: Notions = None,
    methods: Annotated[str, typer.Option(help="Any of {methods}, separated by commas; `all`: every method.")] = _ALL,
    metrics: Annotated[str, typer.Option(help="Any of {metrics}, separated by commas; `all`: the seven of the InDiReCT paper.")] = _ALL,
    dims: Annotated[
        str | None,
        typer.Option(
            help="Numbers of dimensions, separated by commas. `suggested`: the notion's own, or the number its prompts suggest. Default: "
            "suggested; with --paper, the paper's 128."
        ),
    ] = None,
    seeds: Runs = 5,
    ranking: Annotated[
        str, typer.Option(help="`cosine`, as in the paper, `euclidean`, as in the authors' code, or as `likeness search`; differs for pca, lae, ae.")
    ] = "cosine",
    encoder: EncoderName = None,
    only: Only = None,
    format: Format = "table",
    paper: Annotated[
        bool,
        typer.Option("--paper", help="Layout of the paper: a row per notion and metric, a column per method, the best in bold (markdown, latex)."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", callback=output_file, help="CSV file with one row per run; also written on Ctrl+C.")
    ] = None,
) -> None:
    """Measure how well each notion's space retrieves images of the same label, by method of the InDiReCT paper: mean and deviation over runs.

    The control `other-words` is InDiReCT on unrelated words. Images without a label are ignored.

    Without --notions: the paper's three for Synthetic Cars, or every notion that other images have labels for. On the shipped images all methods at
    two dimensions took 45 minutes on one shared core, three quarters of it for the Oracle; `--methods raw,exact` takes seconds.

    Examples: `likeness evaluate`, `likeness evaluate --methods raw,exact --metrics map_at_r --dims 2,8,128,suggested`,
    `likeness evaluate cub200/all:data/cub --encoder ViT-B-32/openai --metrics map_at_r,precision_at_1,zero_shot`,
    `likeness evaluate --paper --format latex --out runs.csv`
    """
    from likeness.evaluation import METRICS
    from likeness.notions import METHODS
    from likeness.studies import SUGGESTED, check_comparison, compare, left_out_of, no_runs, paper_table, parse_dimensions, refusals, summarize

    sizes = parse_dimensions(dims or (_PAPER_DIM if paper else SUGGESTED))
    wanted, chosen = _listed(methods, METHODS), _listed(metrics, METRICS)
    options: dict[str, Any] = {"methods": wanted, "dims": sizes, "seeds": range(seeds), "metrics": chosen, "ranking": ranking}
    check_comparison(listed_notions(notions), **options)
    table = source_table(source, only)
    judged = notions_of(table, notions)
    no_runs(table, judged, **options)  # refuses notions that these images cannot judge
    base = embedded(table, encoder)
    for notion in judged:
        tell_warnings(notion, base.encoder, base)
    runs = measured("Comparing", out, partial(compare, base, judged, **options))
    bold = format in ("markdown", "latex")
    print_table(paper_table(runs, chosen, bold) if paper else summarize(runs, chosen), format)
    for name, count in left_out_of(runs).items():
        typer.echo(f"{name}: {count:,} of {len(base):,} images have no label and are ignored.", err=True)
    for sentence in refusals(runs):
        typer.echo(sentence, err=True)


def _listed(text: str, known: Iterable[str]) -> list[str]:
    return list(known) if text == _ALL else [part.strip() for part in text.split(",")]
