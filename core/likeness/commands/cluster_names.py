"""`likeness analyze cluster-names`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.analysis_runs import measured
from likeness.commands.inputs import embedded, source_table, space_named
from likeness.commands.options import EncoderName, Format, NotionName, Only, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET

if TYPE_CHECKING:
    from likeness.data import ImageTable


def cluster_names(
    source: Source = DATASET,
    labels: Annotated[str | None, typer.Option(help="Attributes that judge, separated by commas; by default those that notions name.")] = None,
    groups: Annotated[
        Path | None, typer.Option(help='JSON file of groups of the first label\'s values, {"fish": ["ray", "shark"]}; they judge, too.')
    ] = None,
    notion: NotionName = None,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of what has random choices.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Do clusters' names say what is in them? The share of clusters whose name fits the class of most of their images.

    A name fits where it contains the class (`exact`), is another word for it (`synonym`), a kind of it (`kind`), or what it is a kind of at most four
    steps up (`hypernym`), by WordNet. Beside names dealt out anew, the nearest word, and the class list as vocabulary; clusters beside k-means and a
    random projection.

    Examples: `likeness analyze cluster-names --labels car_color`, `likeness analyze cluster-names cub200/all:FOLDER --labels bird_family`
    """
    from likeness.studies import cluster_names as run
    from likeness.studies import cluster_names_table, label_columns

    check_format(format)
    table = source_table(source, only)
    chosen = _chosen(table, labels)
    grouped = _groups(groups)
    base = space_named(embedded(table, encoder), notion)
    judging = label_columns(base, chosen, grouped)
    runs = measured("Clusters", out, lambda **watch: run(base, judging, range(seeds), **watch))
    print_table(cluster_names_table(runs).round(3), format)


def _chosen(table: "ImageTable", labels: str | None) -> list[str]:
    from likeness.errors import InputError
    from likeness.studies import judged_notions

    if labels is not None:
        return [name.strip() for name in labels.split(",")]
    found = list(dict.fromkeys(notion.attribute for notion in judged_notions(table, every=True) if notion.attribute))
    if not found:
        raise InputError(f"'{table.name}' has no labels that a notion names; choose them with --labels.")
    return found


def _groups(path: Path | None) -> dict[str, list[str]] | None:
    from likeness.errors import InputError
    from likeness.io import parse_json, text_of

    if path is None:
        return None
    found = parse_json(text_of(path), f"The file '{path.name}'")
    if not isinstance(found, dict) or not all(isinstance(each, list) and all(isinstance(value, str) for value in each) for each in found.values()):
        raise InputError(f'\'{path.name}\' must hold groups of names, such as {{"fish": ["ray", "shark"]}}.')
    return found
