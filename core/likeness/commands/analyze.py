"""`likeness analyze`: the three analyses of section 6 of the InDiReCT paper, and learning curves of runs; semantics is registered here."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.inputs import embedded, listed_notions, notion_named, notions_of, one_dimension, source_table, whole_numbers
from likeness.commands.listed_help import ListedHelp
from likeness.commands.options import EncoderName, Format, Notions, OutputFile, Plot, Runs, Source
from likeness.commands.semantics import semantics
from likeness.commands.terminal import measured, print_table, write_csv, write_plot
from likeness.defaults import DATASET
from likeness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

    from likeness.training import RunFolder

analyze = typer.Typer(
    name="analyze",
    help="Measure how embedding size, encoder and number of prompts affect a notion (InDiReCT, section 6), how spaces agree with "
    "language, and how fast runs learn (language guidance). Prints a table; --plot writes an interactive plot.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
Methods = Annotated[str, typer.Option(help="Any of {methods}, separated by commas; `paper`: those of the paper; `all`: every method.")]
Dimension = Annotated[
    str,
    typer.Option(
        "--dim", "-d", help="Number of dimensions; by default the paper's. `suggested`: the notion's own, or the number its prompts suggest."
    ),
]
_COUNTS = ",".join(str(count) for count in range(10, 151, 10))
Metric = Annotated[str, typer.Option(help="Metric to plot: {metrics}.")]


@analyze.command("embedding-size", cls=ListedHelp)
def embedding_size(
    source: Source = DATASET,
    notions: Notions = None,
    methods: Methods = "paper",
    sizes: Annotated[str, typer.Option(help="Dimensions, separated by commas.")] = "2,4,8,16,32,64,128,256,512",
    seeds: Runs = 5,
    encoder: EncoderName = None,
    metric: Metric = "map_at_r",
    out: OutputFile = None,
    plot: Plot = None,
    format: Format = "table",
) -> None:
    """Which number of dimensions is best? (The paper's Figure 3.)

    By default the paper's methods, five runs each. This takes over an hour, because adam, lae, ae and oracle train for up to half a minute per run.
    `--methods raw,random-transform,pca,exact` takes about a minute.

    Examples: `likeness analyze embedding-size --plot sizes.html`, `likeness analyze embedding-size --notions car-color --sizes 4,5,6,7`
    """
    from likeness.plots import metric_curve
    from likeness.studies import check_comparison, embedding_sizes, no_runs

    metrics, widths = _metrics(metric), whole_numbers(sizes)
    settings: Any = (_method_names(methods), widths, range(seeds))
    check_comparison(listed_notions(notions), *settings, metrics=metrics)
    table = source_table(source)
    chosen = notions_of(table, notions)
    no_runs(table, chosen, *settings, metrics=metrics)  # refuses notions that these images cannot judge
    runs = measured("Embedding sizes", out, partial(embedding_sizes, embedded(table, encoder), chosen, *settings, metrics=metrics))
    _report(runs, "dim", metrics, format)
    _draw(runs, plot, "embedding size", metric, partial(metric_curve, runs, "dim", metric, log_x=True))


@analyze.command("encoder-size", cls=ListedHelp)
def encoder_size(
    source: Source = DATASET,
    encoders: Annotated[
        str, typer.Option(help="Names, separated by commas; `paper`: ViT-B-32/openai, ViT-B-16/openai and ViT-L-14/openai.")
    ] = "cars-small,cars",
    notions: Notions = None,
    methods: Methods = "raw,exact,oracle",
    dim: Dimension = "128",
    seeds: Runs = 2,
    metric: Metric = "map_at_r",
    out: OutputFile = None,
    plot: Plot = None,
    format: Format = "table",
) -> None:
    """Do larger encoders help? (The paper's Figure 4.)

    Takes a few minutes with the defaults, most of it for the oracle. An unavailable encoder is reported and skipped.

    Examples: `likeness analyze encoder-size --plot encoders.html`, `likeness analyze encoder-size --encoders cars,paper`
    """
    from likeness.plots import metric_bars
    from likeness.studies import PAPER_ENCODERS, check_comparison, check_encoders, encoder_sizes

    metrics, size, named = _metrics(metric), one_dimension(dim), _method_names(methods)
    names = [known for name in encoders.split(",") for known in (PAPER_ENCODERS if name.strip() == "paper" else (name.strip(),))]
    check_encoders(names)
    check_comparison(listed_notions(notions), named, (size,), range(seeds), metrics=metrics)
    table = source_table(source)
    chosen = notions_of(table, notions)
    analysis = partial(encoder_sizes, table, names, chosen, named, size, range(seeds), metrics=metrics, embed=embedded)
    runs = measured("Encoder sizes", out, analysis)
    _report(runs, "encoder", metrics, format)
    _draw(runs, plot, "encoder", metric, partial(metric_bars, runs, "encoder", metric))


@analyze.command("prompt-count", cls=ListedHelp)
def prompt_count(
    source: Source = DATASET,
    notion: Annotated[str, typer.Option("--notion", "-n", help="A notion's name or a YAML file.")] = "car-model-names",
    methods: Methods = "paper",
    counts: Annotated[str, typer.Option(help="Numbers of prompts, separated by commas; at most the notion's.")] = _COUNTS,
    dim: Dimension = "128",
    seeds: Annotated[int, typer.Option(min=1, help="Samples of each size.")] = 5,
    encoder: EncoderName = None,
    metric: Metric = "map_at_r",
    out: OutputFile = None,
    plot: Plot = None,
    format: Format = "table",
) -> None:
    """Do more prompts help? (The paper's Figure 5.) Each run fits the notion on a sample of its prompts.

    `rank` is the number of directions that the prompts span. If it stays below their number, the text encoder has no more, and InDiReCT with that
    many dimensions loses nothing.

    By default five samples of each size, as in the paper: adam, lae and ae train for seconds in each of 75 runs; oracle, which reads no prompts, in
    five. `--methods raw,exact` takes about a minute.

    Examples: `likeness analyze prompt-count --plot prompts.html`, `likeness analyze prompt-count cars196:FOLDER --notion cars196-car-model`
    """
    from likeness.plots import metric_curve
    from likeness.studies import check_comparison, check_counts, no_runs, prompt_counts

    metrics, sampled, numbers = _metrics(metric), notion_named(notion), whole_numbers(counts)
    size, named = one_dimension(dim), _method_names(methods)
    check_counts(numbers, sampled)
    check_comparison([sampled], named, (size,), range(seeds), metrics=metrics)
    table = source_table(source)
    no_runs(table, [sampled], named, (size,), range(seeds), metrics=metrics)  # refuses a notion that these images cannot judge
    base = embedded(table, encoder)
    runs = measured("Prompts", out, partial(prompt_counts, base, sampled, numbers, named, size, range(seeds), metrics=metrics))
    _report(runs, "prompts", metrics, format)
    _draw(runs, plot, "number of prompts", metric, partial(metric_curve, runs, "prompts", metric))


analyze.command("semantics", cls=ListedHelp)(semantics)


@analyze.command(cls=ListedHelp)
def convergence(
    folder: Annotated[Path, typer.Argument(help="The folder that holds the runs' folders, or one run's own.")] = Path("runs"),
    metric: Annotated[str, typer.Option(help="recall_at_1, map_at_1000, map_at_r, nmi, f1 ...; larger must be better.")] = "recall_at_1",
    out: OutputFile = None,
    plot: Plot = None,
    format: Format = "table",
) -> None:
    """How fast do runs learn? (Language guidance, Figure S1.) Runs that differ only in their seed are drawn as one line with a band.

    One row per run: its best mean over the seeds, the epoch of that, and the first epoch at which it matches the best value of the weakest run. --out
    writes all points as CSV. Takes seconds.

    Examples: `likeness analyze convergence runs`, `likeness analyze convergence runs/shipped-cars --metric map_at_1000 --plot curves.html`
    """
    from likeness.evaluation import metric_title
    from likeness.plots import convergence_curves
    from likeness.studies import convergence as curves_of, convergence_table

    runs = _runs(folder)
    curves = curves_of(runs, metric)
    for name in (run.name for run in runs if metric not in run.metrics()):
        typer.echo(f"{name} has not measured {metric} yet", err=True)
    table = convergence_table(curves, metric)
    table["best"] = [
        f"{best:.3f} ± {spread:.3f}" if seeds > 1 else f"{best:.3f}"
        for best, spread, seeds in zip(table["best"], table.pop("best ±"), table["seeds"], strict=True)
    ]
    level = curves.groupby(["run", "epoch"])[metric].mean().groupby("run").max().min()
    table["last"] = [f"{value:.3f}" for value in table["last"]]
    for column in ("epoch", "match_epoch"):
        table[column] = [f"{value:g}" for value in table[column]]
    print_table(table.rename(columns={"best": f"best {metric_title(metric)}", "epoch": "at epoch", "match_epoch": f"{level:.3f} at epoch"}), format)
    write_csv(out, curves)
    if plot:
        title = f"{metric_title(metric)} by epoch"
        write_plot(plot, convergence_curves(curves, metric, title=title), title)


def _runs(folder: Path) -> "list[RunFolder]":
    """The runs in a folder by name, or the folder itself if it is a run."""
    from likeness.data import natural_key
    from likeness.training import RunFolder, list_runs

    found = [RunFolder(folder)] if (folder / "config.yaml").is_file() else sorted(list_runs(folder), key=lambda run: natural_key(run.name))
    if not found:
        raise InputError(f"There are no runs in '{folder}'; start one with `likeness train`.")
    return found


def _metrics(metric: str) -> list[str]:
    """The metrics to measure: those of every analysis and the one to plot; raises InputError for an unknown metric."""
    from likeness.evaluation import chosen_metrics
    from likeness.studies import ANALYSIS_METRICS

    chosen_metrics(metric)
    return list(dict.fromkeys((*ANALYSIS_METRICS, metric)))


def _method_names(methods: str) -> list[str]:
    """`raw,exact` -> ["raw", "exact"]; "all": every method; "paper": those of the InDiReCT paper."""
    from likeness.notions import METHODS, PAPER_METHODS

    groups = {"all": METHODS, "paper": PAPER_METHODS}
    return list(groups.get(methods.strip(), methods.split(",")))


def _report(runs: "pd.DataFrame", by: str, metrics: Sequence[str], format: str) -> None:
    """Prints the summary, one row per notion, method and value of `by`; refused combinations go to stderr."""
    import pandas as pd

    from likeness.studies import refusals, summarize

    if by == "dim":
        table = summarize(runs, metrics)
    else:
        parts = [(value, _ranked(summarize(part, metrics), part)) for value, part in runs.groupby(by, sort=False)]
        table = pd.concat([part.assign(**{by: value})[[by, *part.columns]] for value, part in parts], ignore_index=True)
    print_table(table, format)
    for sentence in refusals(runs):
        typer.echo(sentence, err=True)


def _ranked(table: "pd.DataFrame", runs: "pd.DataFrame") -> "pd.DataFrame":
    """Adds the number of directions that the prompts span, if the runs have it; for several samples as a range."""
    if "rank" in runs:
        table.insert(0, "rank", " to ".join(dict.fromkeys(str(rank) for rank in (runs["rank"].min(), runs["rank"].max()))))
    return table


def _draw(runs: "pd.DataFrame", plot: Path | None, along: str, metric: str, figure: "Callable[..., Figure]") -> None:
    """Writes the figure as an HTML page, with refused combinations below it, if a file is given."""
    from likeness.evaluation import metric_title
    from likeness.studies import refusals

    if plot:
        title = f"{metric_title(metric)} by {along}"
        write_plot(plot, figure(title=title), title, refusals(runs))
