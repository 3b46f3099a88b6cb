"""`likeness clusters`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.inputs import composition_named, embedded, source_table, space_named
from likeness.commands.options import EncoderName, Format, NotionName, Only, OutputFile, Seed, Source
from likeness.commands.terminal import print_table, progress_bar, write_csv
from likeness.defaults import DATASET
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.clusters import WordChoice

_MOST_DEPTHS = 6


def clusters(
    source: Source = DATASET,
    notion: NotionName = None,
    depths: Annotated[int, typer.Option(min=1, max=_MOST_DEPTHS, help="Maximum number of depths, from coarse to fine.")] = 3,
    words: Annotated[Path | None, typer.Option(help="Text file of words to name clusters by, one per line; by default the nouns of WordNet.")] = None,
    by: Annotated[str | None, typer.Option(help="Attribute whose values name the clusters, instead of words.")] = None,
    encoder: EncoderName = None,
    seed: Seed = 0,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Find clusters at several depths and name them by words; `--out` writes a CSV file with each image's cluster at each depth.

    In a notion's space clusters are named by its aspects, unless --words or --by is given; if the encoder has no text side, by attribute values and
    words of file names. The word vectors of 'photos' and 'cars' ship; other encoders embed 15,000 words on first use, which takes minutes.

    Examples: `likeness clusters cars --notion car-color --out clusters.csv`, `likeness clusters photos/ --words words.txt --depths 2`
    """
    from likeness.clusters import cluster, cluster_table, name_clusters, own_choice, with_cluster_names
    from likeness.data import CONTENT_COLUMN
    from likeness.io import text_of

    if words is not None and by is not None:
        raise InputError("--words and --by exclude each other; pass one of them.")
    given = own_choice(text_of(words).splitlines()) if words is not None else None
    space = space_named(embedded(source_table(source, only), encoder), notion)
    if given is None and notion and by is None:
        given = _aspects(notion)
    with progress_bar("Words") as progress:
        found = cluster(space, depths, seed=seed)
        names = name_clusters(space, found, given, column=by, seed=seed, progress=progress)
    table = cluster_table(found, names).drop(columns=["x", "y"])
    print_table(table.round({"confidence": 3}), format)
    write_csv(out, with_cluster_names(space.table, found, names).frame.drop(columns=CONTENT_COLUMN, errors="ignore"))


def _aspects(notion: str) -> "WordChoice":
    """The aspects of a notion, or of all notions of a composition that are not subtracted."""
    from likeness.clusters import notion_choice
    from likeness.notions import parts_of

    return notion_choice(*(part for weight, part in parts_of(composition_named(notion)) if weight > 0))
