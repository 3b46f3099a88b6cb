"""`likeness analyze`: the three analyses of the InDiReCT paper's section 6; those of language guidance are registered here."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.composed_queries import composed_queries
from likeness.commands.convergence import convergence
from likeness.commands.inputs import embedded, notion_named, notions_for, notions_of, one_dimension, whole_numbers
from likeness.commands.listed_help import ListedHelp
from likeness.commands.options import EncoderName, Format, OutputFile, Source
from likeness.commands.plot_file import Plot, check_plot, write_plot
from likeness.commands.semantics import semantics
from likeness.commands.sentences import sentences
from likeness.commands.terminal import check_format, print_table, progress_bar
from likeness.defaults import DATASET

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

analyze = typer.Typer(
    name="analyze",
    help="Measure what embedding size, encoder and number of prompts do to a notion (InDiReCT, section 6), how spaces agree with language and how "
    "fast runs learn (language guidance): a table and an interactive plot.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
Notions = Annotated[str | None, typer.Option(help="Names, separated by commas; `all`: every notion that the images have labels for.")]
Methods = Annotated[str, typer.Option(help="Of {methods}; separated by commas. `paper`: those of the paper. `all`: all of them.")]
Seeds = Annotated[int, typer.Option(min=1, help="Runs per method that has random choices.")]
Dimension = Annotated[
    str,
    typer.Option("--dim", "-d", help="Dimensions, by default the paper's. `suggested`: the notion's own, or as many as its prompts suggest."),
]
Metric = Annotated[str, typer.Option(help="What to plot: {metrics}.")]


@analyze.command("embedding-size", cls=ListedHelp)
def embedding_size(
    source: Source = DATASET,
    notions: Notions = None,
    methods: Methods = "paper",
    sizes: Annotated[str, typer.Option(help="Dimensions, separated by commas.")] = "2,4,8,16,32,64,128,256,512",
    seeds: Seeds = 5,
    encoder: EncoderName = None,
    metric: Metric = "map_at_r",
    out: OutputFile = None,
    plot: Plot = None,
    format: Format = "table",
) -> None:
    """Which number of dimensions is best? (The paper's Figure 3.)

    As in the paper, all methods with five runs each: of these adam, lae, ae and oracle learn for seconds to half a minute in each of the runs,
    over an hour together. `--methods raw,random-transform,pca,exact` takes about a minute.

    Examples: `likeness analyze embedding-size --plot sizes.html`, `likeness analyze embedding-size --notions car-color --sizes 4,5,6,7`
    """
    from likeness.data import read_dataset
    from likeness.plots import metric_curve
    from likeness.studies import embedding_sizes

    metrics, widths = _checked(metric, plot, format), whole_numbers(sizes)
    base = embedded(read_dataset(source), encoder)
    chosen = notions_for(base, notions)
    runs = _measured(
        "Embedding sizes",
        out,
        lambda **watch: embedding_sizes(base, chosen, _method_names(methods), widths, range(seeds), metrics=metrics, **watch),
    )
    _report(runs, "dim", metrics, format)
    _draw(runs, plot, "embedding size", metric, lambda title: metric_curve(runs, "dim", metric, log_x=True, title=title))


@analyze.command("encoder-size", cls=ListedHelp)
def encoder_size(
    source: Source = DATASET,
    encoders: Annotated[
        str, typer.Option(help="Names, separated by commas; `paper` stands for ViT-B-32/openai, ViT-B-16/openai and ViT-L-14/openai.")
    ] = "cars-small,cars",
    notions: Notions = None,
    methods: Methods = "raw,exact,oracle",
    dim: Dimension = "128",
    seeds: Seeds = 2,
    metric: Metric = "map_at_r",
    out: OutputFile = None,
    plot: Plot = None,
    format: Format = "table",
) -> None:
    """Do larger encoders help? (The paper's Figure 4.)

    A few minutes with the defaults, nearly all of them for the oracle. An encoder that is not here is named with the reason, and the rest
    goes on.

    Examples: `likeness analyze encoder-size --plot encoders.html`, `likeness analyze encoder-size --encoders cars,paper`
    """
    from likeness.data import read_dataset
    from likeness.plots import metric_bars
    from likeness.studies import PAPER_ENCODERS, encoder_sizes

    metrics, size, table = _checked(metric, plot, format), one_dimension(dim), read_dataset(source)
    chosen = notions_of(table, notions)
    names = [known for name in encoders.split(",") for known in (PAPER_ENCODERS if name.strip() == "paper" else (name.strip(),))]
    runs = _measured(
        "Encoder sizes",
        out,
        lambda **watch: encoder_sizes(table, names, chosen, _method_names(methods), size, range(seeds), metrics=metrics, embed=embedded, **watch),
    )
    _report(runs, "encoder", metrics, format)
    _draw(runs, plot, "encoder", metric, lambda title: metric_bars(runs, "encoder", metric, title=title))


@analyze.command("prompt-count", cls=ListedHelp)
def prompt_count(
    source: Source = DATASET,
    notion: Annotated[str, typer.Option("--notion", "-n", help="A notion's name or a YAML file.")] = "car-model-names",
    methods: Methods = "paper",
    counts: Annotated[str, typer.Option(help="Numbers of prompts, separated by commas; at most the notion's.")] = ",".join(
        str(count) for count in range(10, 151, 10)
    ),
    dim: Dimension = "128",
    seeds: Annotated[int, typer.Option(min=1, help="Samples of each size.")] = 5,
    encoder: EncoderName = None,
    metric: Metric = "map_at_r",
    out: OutputFile = None,
    plot: Plot = None,
    format: Format = "table",
) -> None:
    """Do more prompts help? (The paper's Figure 5.) Each run fits the notion on a sample of its prompts.

    As in the paper, five samples of each size: adam, lae and ae learn for seconds in each of the 75 runs, and oracle, which reads no prompt, in
    five. `--methods raw,exact` takes about a minute.

    Examples: `likeness analyze prompt-count --plot prompts.html`, `likeness analyze prompt-count cars196:FOLDER --notion cars196-car-model`
    """
    from likeness.data import read_dataset
    from likeness.plots import metric_curve
    from likeness.studies import prompt_counts

    metrics, sampled, numbers = _checked(metric, plot, format), notion_named(notion), whole_numbers(counts)
    size = one_dimension(dim)
    base = embedded(read_dataset(source), encoder)
    runs = _measured(
        "Prompts",
        out,
        lambda **watch: prompt_counts(base, sampled, numbers, _method_names(methods), size, range(seeds), metrics=metrics, **watch),
    )
    _report(runs, "prompts", metrics, format)
    _draw(runs, plot, "number of prompts", metric, lambda title: metric_curve(runs, "prompts", metric, title=title))


@analyze.command("trust", cls=ListedHelp)
def trust(
    source: Source = DATASET,
    notions: Notions = "all",
    method: Annotated[str, typer.Option(help="Of {methods}: whose space the labels judge.")] = "exact",
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of images and of what is random in the control.")] = 5,
    encoder: EncoderName = None,
    only: Annotated[
        Path | None, typer.Option(help="Text file of the images that judge, a path or file name a line, as `likeness train-photos` writes it.")
    ] = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Can it be told without labels how far a notion can be trusted? The score that the app shows beside MAP@R by the labels.

    `turned words` is the control: the same words in random directions, which mean nothing to the images.

    Examples: `likeness analyze trust`, `likeness analyze trust --encoder cars-small --out trust.csv`
    """
    from likeness.data import keep_listed, read_dataset
    from likeness.studies import trust_table

    check_format(format)
    table = read_dataset(source)
    base = embedded(keep_listed(table, only) if only else table, encoder)
    chosen = notions_for(base, notions)
    runs = _measured("Trust", out, lambda **watch: trust_table(base, chosen, method, range(seeds), **watch))
    print_table(runs.groupby(["notion", "row"], sort=False).mean(numeric_only=True).drop(columns="seed").round(3).reset_index(), format)


@analyze.command("changed-images", cls=ListedHelp)
def changed_images(
    source: Source = DATASET,
    keep: Annotated[str, typer.Option(help="The notion in which what is found is to be like the image.")] = "car-model",
    change: Annotated[str, typer.Option(help="The notion of which a word says what is to be another.")] = "car-color",
    count: Annotated[int, typer.Option(min=1, help="Queries of each seed.")] = 200,
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of the queries.")] = 5,
    encoder: EncoderName = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Does "this one, but red" find what was meant? Ways to put an image and a word together, judged by two labels: mean average precision.

    Examples: `likeness analyze changed-images`, `likeness analyze changed-images --keep car-color --change background-color -e cars-small`
    """
    from likeness.data import read_dataset
    from likeness.studies import changed_table

    check_format(format)
    kept, changed = notion_named(keep), notion_named(change)
    base = embedded(read_dataset(source), encoder)
    runs = _measured("Queries", out, lambda **watch: changed_table(base, kept, changed, count, range(seeds), **watch))
    means = runs.groupby(["space", "row"], sort=False)["map"].agg(["mean", "std"]).round(3)
    print_table(means.reset_index(), format)


@analyze.command("unnamed", cls=ListedHelp)
def unnamed(
    source: Source = DATASET,
    notions: Notions = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of random directions.")] = 5,
    encoder: EncoderName = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Do the directions that no word names show a notion nobody has named? Each notion is left out in turn, and its label judges.

    Printed is the share of the variance along a direction that the label explains, beside principal components and random directions.

    Examples: `likeness analyze unnamed`, `likeness analyze unnamed --encoder cars-small --out unnamed.csv`
    """
    from likeness.data import read_dataset
    from likeness.studies import unnamed_table

    check_format(format)
    base = embedded(read_dataset(source), encoder)
    runs = unnamed_table(base, notions_for(base, notions), seeds=range(seeds))
    _write_runs(runs, out)
    means = runs.groupby(["notion", "row", "direction"], sort=False)["explained"].mean().round(3)
    print_table(means.unstack("direction").reset_index().rename_axis(columns=None), format)


analyze.command("semantics", cls=ListedHelp)(semantics)
analyze.command("convergence", cls=ListedHelp)(convergence)
analyze.command("sentences", cls=ListedHelp)(sentences)
analyze.command("composed-queries", cls=ListedHelp)(composed_queries)


def _checked(metric: str, plot: Path | None, format: str) -> list[str]:
    """The metrics to measure: those of every analysis, and the one to plot; InputError for what could only fail later."""
    from likeness.evaluation import chosen_metrics
    from likeness.studies import ANALYSIS_METRICS

    chosen_metrics(metric)
    check_plot(plot)
    check_format(format)
    return list(dict.fromkeys((*ANALYSIS_METRICS, metric)))


def _method_names(methods: str) -> list[str]:
    """`raw,exact` -> ["raw", "exact"]; "all": every method; "paper": those of the InDiReCT paper."""
    from likeness.notions import METHODS, PAPER_METHODS

    groups = {"all": METHODS, "paper": PAPER_METHODS}
    return list(groups.get(methods.strip(), methods.split(",")))


def _measured(label: str, out: Path | None, analysis: "Callable[..., pd.DataFrame]") -> "pd.DataFrame":
    """Runs the analysis with a progress bar; after each run all that are finished are written, so that an end at any moment loses none."""
    import pandas as pd

    rows: list[dict[str, Any]] = []

    def keep(row: dict[str, Any]) -> None:
        rows.append(row)
        _write_runs(pd.DataFrame(rows), out)

    with progress_bar(label) as progress:
        runs = analysis(progress=progress, on_run=keep)
    _write_runs(runs, out)
    return runs


def _write_runs(runs: "pd.DataFrame", out: Path | None) -> None:
    from likeness.io import write_atomic

    if out and len(runs):
        write_atomic(out, runs.to_csv(index=False).encode())


def _report(runs: "pd.DataFrame", by: str, metrics: Sequence[str], format: str) -> None:
    """Prints the summary, a row per notion, method and value of `by`, and on stderr what was refused."""
    import pandas as pd

    from likeness.studies import refusals, summarize

    if by == "dim":
        table = summarize(runs, metrics)
    else:
        parts = [(value, summarize(part, metrics)) for value, part in runs.groupby(by, sort=False)]
        table = pd.concat([part.assign(**{by: value})[[by, *part.columns]] for value, part in parts], ignore_index=True)
    print_table(table, format)
    for sentence in refusals(runs):
        typer.echo(sentence, err=True)


def _draw(runs: "pd.DataFrame", plot: Path | None, along: str, metric: str, figure: "Callable[[str], Figure]") -> None:
    """Writes the figure as a page with what was refused below it, where a file is named."""
    from likeness.evaluation import metric_title
    from likeness.studies import refusals

    if plot:
        title = f"{metric_title(metric)} by {along}"
        write_plot(plot, figure(title), title, refusals(runs))
