"""`likeness compare`: compare two spaces of the same images, or two versions of a dataset."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.inputs import composition_named, embedded, listed_notions, source_table, space_named
from likeness.commands.listed_help import ListedHelp
from likeness.commands.options import EncoderName, Format, Only, OutputFile, Source, known_encoders, known_notions, one_of
from likeness.commands.terminal import print_first, printable, progress_bar, write_csv
from likeness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from likeness.comparisons import NeighborhoodChanges, QueryChanges
    from likeness.space import Space

compare = typer.Typer(
    name="compare",
    no_args_is_help=True,
    help="Compare two spaces of the same images, or two versions of a dataset: images that moved, queries that got better or worse, "
    "images added or removed, each with a noise baseline.",
)
_RAW = "raw"
_SPACE = "`raw`, a notion (`car-color`), an encoder (`@cars-small`, `@run:FOLDER`), or a notion on an encoder (`car-color@cars-small`)."


def _parts(text: str) -> tuple[str, str]:
    """Parses a space specification into notion ("" for none) and encoder."""
    notion, _, encoder = (part.strip() for part in text.partition("@"))
    if not notion and not encoder:
        raise InputError(f"Invalid space '{text}'; use {_SPACE}")
    return "" if notion == _RAW else notion, encoder


def _known_space(text: str) -> str:
    notion, encoder = _parts(text)
    known_notions(notion)
    known_encoders(encoder)
    return text


_From = Annotated[str, typer.Option("--from", callback=_known_space, help=f"Space to compare from: {_SPACE}")]
_To = Annotated[str, typer.Option("--to", callback=_known_space, help="Space to compare with; same syntax as --from.")]
_Count = Annotated[int, typer.Option(min=1, help="Rows to show; --out writes all.")]
_Seeds = Annotated[int, typer.Option(min=0, max=20, help="Number of random projections in the noise baseline; 0: none.")]


@compare.command(cls=ListedHelp)
def moved(
    source: Source,
    to: _To,
    from_: _From = _RAW,
    k: Annotated[int, typer.Option("--k", min=1, help="Number of nearest neighbors.")] = 10,
    count: _Count = 20,
    seeds: _Seeds = 3,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Find the images whose nearest neighbors changed most between two spaces: by the share of neighbors kept, and their ranks.

    The noise baseline is the share that random projections of the wider space to the same dimensions keep; changes no larger than that are noise.
    With more than 20,000 images, a random sample of 5,000 is compared against all.

    Examples: `likeness compare moved cars --to @cars-small`, `likeness compare moved cars --to car-color --out moved.csv`
    """
    from likeness.comparisons import neighborhood_changes

    a, b = _spaces(source, only, from_, to)
    with progress_bar("Neighbors") as progress:
        found = neighborhood_changes(a, b, k, seeds=range(seeds), progress=progress)
    _tell_moved(found, a, b)
    _show(found.frame(a.table).round(3), count, out, format)


@compare.command(cls=ListedHelp)
def queries(
    source: Source,
    to: _To,
    from_: _From = _RAW,
    label: Annotated[str | None, typer.Option(help="Label attribute; by default that of the notion of --to.")] = None,
    score: Annotated[str, typer.Option(help="map (average precision), map_at_r, r_precision or recall_at_1.")] = "map",
    per_class: Annotated[bool, typer.Option("--per-class", help="Show classes instead of queries.")] = False,
    best: Annotated[bool, typer.Option("--best", help="Show the largest gains instead of the largest losses.")] = False,
    count: _Count = 20,
    seeds: _Seeds = 1,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Find the queries that got better or worse from one space to another. Every image is a query for the others of its label.

    A summary line gives the 95 % interval of the mean difference over queries, and over classes, and a sign test.

    Examples: `likeness compare queries cars --to car-color`, `likeness compare queries cars --to @cars-small --label car_model --per-class`
    """
    from likeness.comparisons import SCORES, query_changes

    one_of("score", list(SCORES))(score)
    a, b = _spaces(source, only, from_, to)
    with progress_bar("Queries") as progress:
        found = query_changes(a, b, label or _judge(to, a), score, seeds=range(seeds), progress=progress)
    _tell_queries(found, a, b)
    frame = (found.per_class() if per_class else found.frame(a.table)).round({"p": 6, **dict.fromkeys(("a", "b", "difference", "control"), 3)})
    _show(frame.iloc[::-1] if best else frame, count, out, format)


@compare.command(cls=ListedHelp)
def versions(
    old: Annotated[str, typer.Argument(help="The old version: {datasets}")],
    new: Annotated[str, typer.Argument(help="The new version, of the same kind.")],
    notions: Annotated[
        str | None,
        typer.Option(help="Notions to measure in, besides the encoder's own space; separated by commas. `all`: those that can be trusted here."),
    ] = None,
    by: Annotated[str | None, typer.Option(help="Attribute whose changed values are counted, instead of comparing spaces.")] = None,
    encoder: EncoderName = None,
    count: _Count = 20,
    fail_above: Annotated[
        float | None, typer.Option(help="Exit with status 1 if a space drifted and its AUC is, with its interval, above this; 0.5: any drift.")
    ] = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Compare two versions of a dataset: images added, removed or changed, and whether they drifted in each space.

    --out writes a CSV file of images added, removed, changed or relabeled.

    AUC: how often a classifier, shown an image of each version, says which is the new one; 0.5 is chance. A space drifted if its p-value, adjusted
    for the number of spaces, is at most 0.05; this needs 30 images in each version.

    Examples: `likeness compare versions photos-may/ photos-june/ --out changes.csv`,
    `likeness compare versions old/ new/ --notions all --fail-above 0.6 --format json`
    """
    from likeness.comparisons import drift_sentence, version_changes, version_drift, version_values
    from likeness.found_notions import found_notions

    if fail_above is not None and not 0.5 <= fail_above < 1:
        raise InputError(f"--fail-above is {fail_above}; pass an AUC from 0.5, any drift, to below 1, such as 0.6.")
    if by is not None and (fail_above is not None or notions is not None):
        raise InputError("--fail-above and --notions are of spaces, and --by counts values instead; remove one of them.")
    listed = [] if notions == "all" else listed_notions(notions)
    old_table, new_table = source_table(old), source_table(new)
    spaces = []
    if by is None:
        before = embedded(old_table, encoder)
        named = [each.notion for each in found_notions(before) if each.trust.reads] if notions == "all" else listed
        after = embedded(new_table, before.encoder_name)
        old_table, new_table = before.table, after.table
        spaces = [(before, after), *((before.refit(notion), after.refit(notion)) for notion in named)]
    with progress_bar("Files") as progress:
        changes = version_changes(old_table, new_table, progress)
    counts = [f"{printable(str(line.change))} {line.images:,}" for line in changes.counts().itertuples()]
    typer.echo(f"{'; '.join(counts)} images.", err=True)
    write_csv(out, changes.frame(old_table, new_table))
    if by is not None:
        print_first(version_values(old_table, new_table, changes, by).round(4), count, format, "--count shows more")
        return
    with progress_bar("Spaces") as progress:
        found = version_drift(spaces, changes, progress)
    print_first(found.round(4), count, format, "--count shows more")
    typer.echo(drift_sentence(found), err=True)
    if fail_above is not None and found["auc"].isna().all():
        raise InputError("There are too few images to judge by --fail-above; remove it.")
    if fail_above is not None and (found["drifted"] & (found["low"] > fail_above)).any():
        raise typer.Exit(1)


def _spaces(source: str, only: Path | None, first: str, second: str) -> "tuple[Space, Space]":
    """The two spaces, on the same images."""
    a = _space(source, only, first, None)
    return a, _space(source, only, second, a)


def _space(source: str, only: Path | None, text: str, other: "Space | None") -> "Space":
    """The space of a specification, on the images of `other` if given."""
    notion, encoder = _parts(text)
    base = embedded(other.table if other else source_table(source, only), encoder or None)
    return space_named(base, notion or None).replace(name=text.strip())


def _judge(text: str, images: "Space") -> str:
    """The label attribute of the notion in a space specification."""
    name, _ = _parts(text)
    notion = composition_named(name) if name else None
    attribute = getattr(notion, "attribute", None)
    if attribute is None:
        known = ", ".join(images.table.attributes) or "none"
        raise InputError(f"'{text}' has no label attribute; pass one with --label: {known}.")
    return str(attribute)


def _tell_moved(found: "NeighborhoodChanges", a: "Space", b: "Space") -> None:
    names = f"from '{printable(a.name)}' to '{printable(b.name)}'"
    typer.echo(f"Of its {found.k} nearest images an image keeps {found.kept.mean():.1%} on average, {names}; chance: {found.expected:.1%}.", err=True)
    if found.noise.shape[1]:
        means, seeds = found.noise.mean(axis=0), found.noise.shape[1]
        dim = min(a.vectors.shape[1], b.vectors.shape[1])
        typer.echo(
            f"A random projection to {dim} dimensions keeps {means.mean():.1%} ({means.min():.1%} to {means.max():.1%} over {seeds}). "
            f"{found.beyond_noise.mean():.1%} of the images keep less than in each of them; of noise alone at most {1 / (seeds + 1):.0%} would.",
            err=True,
        )
    if found.message:
        typer.echo(found.message, err=True)


def _tell_queries(found: "QueryChanges", a: "Space", b: "Space") -> None:
    from likeness.comparisons import SCORES

    it = found.summary()
    over_classes = "" if it["class_low"] != it["class_low"] else f"; over classes {it['class_low']:+.3f} to {it['class_high']:+.3f}"
    typer.echo(
        f"{SCORES[found.score]}: {it['mean_a']:.3f} in '{printable(a.name)}', {it['mean_b']:.3f} in '{printable(b.name)}', "
        f"difference {it['difference']:+.3f} (95 % interval over queries {it['low']:+.3f} to {it['high']:+.3f}{over_classes}). "
        f"{it['better']:,.0f} queries are better, {it['worse']:,.0f} worse, {it['equal']:,.0f} equal (sign test p = {it['p']:.2g}).",
        err=True,
    )
    if found.control.shape[1]:
        dim = min(a.vectors.shape[1], b.vectors.shape[1])
        typer.echo(f"A random projection of '{printable(found.wide)}' to {dim} dimensions has {it['control']:.3f}.", err=True)


def _show(frame: "pd.DataFrame", count: int, out: Path | None, format: str) -> None:
    write_csv(out, frame)
    print_first(frame, count, format, f"--count shows more{'' if out else ', --out FILE writes all'}")
