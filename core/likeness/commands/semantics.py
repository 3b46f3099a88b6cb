"""`likeness analyze semantics`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.inputs import class_columns, composition_named, embedded, source_table, space_named, tell_left_out
from likeness.commands.options import Attribute, Dim, Encoders, Format, NotionName, OutputFile, Plot, Source
from likeness.commands.terminal import print_table, progress_bar, write_csv, write_plot
from likeness.defaults import DATASET, default_encoder
from likeness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from likeness.data import ImageTable
    from likeness.evaluation import Semantics
    from likeness.space import Space
    from likeness.studies import SemanticClasses

_MEANING = (
    "KL: divergence of the space's similarities from those of language, of images and of class means, mean ± standard deviation "
    "over rows. Smaller is better, but it depends on the spread of the cosines: compare only spaces of one kind.",
    "rank correlation: over all pairs of classes; 1: same order as language, 0: unrelated.",
    "own class: share of the nearest images with the query's class. related: mean language similarity between the query's class "
    "and the classes of the others; random: the same for randomly drawn images.",
)


def semantics(
    source: Source = DATASET,
    attribute: Attribute = None,
    encoder: Encoders = None,
    notion: NotionName = None,
    dim: Dim = None,
    language: Annotated[
        str, typer.Option(help="Language model for class names: minilm, clip:cars, clip, wordnet ...; several are averaged.")
    ] = "minilm",
    query: Annotated[list[str] | None, typer.Option("--query", "-q", help="Class whose retrieved other classes are shown; may be repeated.")] = None,
    top: Annotated[int, typer.Option(min=1, help="Classes to show for each query.")] = 5,
    neighbors: Annotated[int, typer.Option(min=1, help="Images retrieved for each image.")] = 20,
    unseen: Annotated[bool, typer.Option("--unseen", help="Only classes not used to train the runs.")] = False,
    min_images: Annotated[int, typer.Option(min=1, help="Minimum number of images per class.")] = 1,
    out: OutputFile = None,
    plot: Plot = None,
    format: Format = "table",
) -> None:
    """Are related classes near each other, and which classes are confused? (Language guidance, section 4.5 and Figure 3.)

    Prints a row per space; with --query, the other classes that images of a class retrieve, most related by language first. --notion adds a notion's
    space as the second one. --plot draws Figure 3 for the queries, or heat maps of all class similarities. --out writes a CSV with a row per space
    and class. Takes seconds on embedded images. The default --attribute is `class`, for the shipped images `car_color,body_type`.

    Examples: `likeness analyze semantics -e cars-small -e cars --plot maps.html`, `likeness analyze semantics --notion car-color
    --query "red van" --plot figure3.html`, `likeness analyze semantics -e run:runs/base -e run:runs/elg --unseen`
    """
    import pandas as pd

    from likeness.data import image_classes
    from likeness.evaluation import class_number, clustered_order, retrieved_classes, semantics as measure
    from likeness.language import language_is_here
    from likeness.studies import unseen_classes

    _check_spaces(encoder or [""], notion)
    for name in language.split(","):
        language_is_here(name.strip())  # refuses a name of no known form
    attributes, table = class_columns(attribute, source), source_table(source)
    encoders = encoder or [default_encoder(table.attributes)]
    kept = unseen_classes(encoders, attributes) if unseen else None
    classes, sims = _prepared(table, attributes, kept, min_images, language)
    tell_left_out(attributes, image_classes(table, attributes).left_out, len(table))
    queries = [classes.names[class_number(name, classes.names)] for name in query or []]
    bases = [embedded(table, name) for name in encoders]
    if bases[0].table.failed:
        classes, sims = _prepared(bases[0].table, attributes, kept, min_images, language)
    order = clustered_order(sims) if plot and not queries else None
    spaces = {}
    for name, vectors in _vectors(bases, notion, dim).items():
        with progress_bar(f"Comparing {name}") as progress:
            spaces[name] = measure(vectors[classes.rows], classes.labels, sims, classes.names, neighbors=neighbors, progress=progress)
    write_csv(out, pd.concat([space.per_class.assign(space=name)[["space", *space.per_class.columns]] for name, space in spaces.items()]))
    retrievals = {name: space.retrieval for name, space in spaces.items()}
    figures = {query: retrieved_classes(retrievals, query, top) for query in queries}
    if queries:
        _print_queries(figures, format)
    else:
        _print_summary(spaces, format)
    if plot:
        _draw(spaces, figures, order, language, plot)


def _check_spaces(names: list[str], notion: str | None) -> None:
    if len(names) + bool(notion) > 2:
        raise InputError(f"{len(names) + bool(notion)} spaces are too many to compare; name one or two.")
    if len(set(names)) < len(names):
        raise InputError(f"The encoder '{names[0]}' is given twice; give two different ones.")


def _prepared(table: "ImageTable", attributes: list[str], kept: set[str] | None, least: int, language: str) -> "tuple[SemanticClasses, Any]":
    """The classes and the language's similarities of their names."""
    from likeness.language import class_similarities
    from likeness.studies import classes_of

    classes = classes_of(table, attributes, kept, least)
    return classes, class_similarities(classes.names, [name.strip() for name in language.split(",")])


def _vectors(bases: "Sequence[Space]", notion: str | None, dim: int | None) -> dict[str, Any]:
    """The vectors of the spaces by name; unreadable images are reported on stderr."""
    first = bases[0]
    for failure in first.table.failed:
        typer.echo(f"skipped {failure.path}: {failure.reason}", err=True)
    for base in bases[1:]:
        if base.table.paths() != first.table.paths():
            raise InputError(f"'{first.encoder_name}' and '{base.encoder_name}' read different images; remove those that one could not read.")
    vectors = {base.encoder_name: base.vectors for base in bases}
    if notion:
        vectors[f"{first.encoder_name}, {composition_named(notion).name}"] = space_named(first, notion, dim).vectors
    return vectors


def _print_queries(figures: "dict[str, pd.DataFrame]", format: str) -> None:
    import pandas as pd

    parts = [table.assign(query=query)[["query", *table.columns]] for query, table in figures.items()]
    table = pd.concat(parts, ignore_index=True).rename(columns={"language_similarity": "language similarity"})
    table["language similarity"] = [f"{value:.3f}" for value in table["language similarity"]]
    print_table(table, format)
    for query in (query for query, part in figures.items() if part.empty):
        typer.echo(f"{query} found no other class", err=True)


def _print_summary(spaces: "dict[str, Semantics]", format: str) -> None:
    """Prints a row per space; column descriptions and classes worth a query go to stderr."""
    from likeness.evaluation import most_changed, semantics_table

    table = semantics_table(spaces)
    for level, title in (("image", "KL images"), ("class", "KL classes")):
        means, spread = table.pop(f"{level}_divergence"), table.pop(f"{level}_divergence ±")
        table.insert(1 if level == "image" else 2, title, [f"{mean:.3g} ± {deviation:.2g}" for mean, deviation in zip(means, spread, strict=True)])
    titles = {"rank_correlation": "rank correlation", "own_share": "own class", "relatedness": "related", "random_relatedness": "random"}
    for column in titles:
        table[column] = ["–" if value != value else f"{value:.3f}" for value in table[column]]
    print_table(table.rename(columns=titles), format)
    for sentence in _MEANING:
        typer.echo(sentence, err=True)
    if len(spaces) == 2:
        (first, a), (second, b) = spaces.items()
        changed = most_changed(a.retrieval, b.retrieval, 5)
        named = ", ".join(f"{name} ({old:.2f} to {new:.2f})" for name, old, new in zip(changed["class"], changed["a"], changed["b"], strict=True))
        if named:
            typer.echo(f"related changes most from {first} to {second} for: {named}. See one with --query '{changed['class'][0]}'.", err=True)


def _draw(spaces: "dict[str, Semantics]", figures: "dict[str, pd.DataFrame]", order: Any, language: str, plot: Path) -> None:
    from likeness.plots import class_heat_maps, retrieved_bars

    retrieval = next(iter(spaces.values())).retrieval
    if figures:
        title = f"Other classes among the {retrieval.neighbors} nearest images"
        note = (
            f"All images of the query's class are queries. Next to each class: similarity of its name with the query's, by {language}; "
            "most similar first."
        )
        write_plot(plot, retrieved_bars(figures, title=title), title, [note])
        return
    title = "Similarities of classes"
    matrices = {f"Language ({language})": retrieval.language}
    for name, space in spaces.items():
        matrices[f"{name}<br>rank correlation {space.rank_correlation:.2f}"] = space.similarities
    notes = [
        "Classes are ordered by clustering their names: a bright block in language should be bright in a space, too.",
        "Each panel has its own color scale, from its smallest to its largest similarity; a rank correlation of 1 means the same "
        "order of pairs as language.",
    ]
    write_plot(plot, class_heat_maps(matrices, retrieval.names, order, title=title), title, notes)
