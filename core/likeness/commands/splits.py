"""`likeness splits`: train-test splits of growing shift."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from likeness.commands.inputs import class_columns, embedded, source_table, tell_left_out
from likeness.commands.listed_help import ListedHelp
from likeness.commands.options import Attribute, Changes, EncoderName, Format, Seed, Source, one_of, output_file, plain_text
from likeness.commands.terminal import print_notes, print_table, progress_bar
from likeness.commands.train import changed
from likeness.defaults import DATASET
from likeness.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from likeness.data import ImageClasses, ImageTable
    from likeness.shifts import SplitFile, Step
    from likeness.training import RunConfig

splits = typer.Typer(name="splits", no_args_is_help=True, help="Build, show and measure train-test splits of growing shift (ooDML).")

Like = Annotated[
    str | None,
    typer.Option(help="Use the images, classes and backbone of a run's config or preset instead; its features are not scaled to unit length."),
]
Start = Annotated[
    str,
    typer.Option(
        callback=one_of("start", ("first", "random", "official")),
        help="Training classes: `first`: first half in natural order; `random`: a random half; `official`: as in a paper.",
    ),
]
_RULES, _REMOVALS, _HALVES = ("paper", "official"), ("paper", "score", "official"), ("images", "classes")


@splits.command(cls=ListedHelp)
def build(
    out: Annotated[Path, typer.Option("--out", "-o", callback=output_file, help="JSON file to write.")],
    source: Source = DATASET,
    attribute: Attribute = None,
    encoder: EncoderName = None,
    like: Like = None,
    change: Changes = None,
    count: Annotated[int, typer.Option(min=2, help="Number of splits to select, evenly spaced in distance.")] = 8,
    per_step: Annotated[int, typer.Option(min=1, help="Classes that each side swaps or loses per step.")] = 1,
    rule: Annotated[str, typer.Option(callback=one_of("rule", _RULES), help="Criterion for swaps: `paper` or `official` (authors' code).")] = "paper",
    removal: Annotated[
        str, typer.Option(callback=one_of("removal rule", _REMOVALS), help="Criterion for removals: `paper`, `score` or `official`.")
    ] = "paper",
    half: Annotated[
        str, typer.Option(callback=one_of("half", _HALVES), help="What half must remain of after removals: `images`, as in the paper, or `classes`.")
    ] = "images",
    control: Annotated[bool, typer.Option("--control", help="Also remove as many classes at random, a control without shift.")] = False,
    easier: Annotated[bool, typer.Option("--easier", help="Also build splits that are easier than the start.")] = False,
    start: Start = "first",
    seed: Seed = 0,
    every: Annotated[bool, typer.Option("--all", help="Write every step instead of a selection.")] = False,
    format: Format = "table",
) -> None:
    """Build train-test splits of growing distance by swapping classes between train and test, then removing some (ooDML, section 3.3).

    Examples: `likeness splits build -o cars.json`, `likeness splits build --like my.yaml --per-step 2 -o mine.json`
    """
    from likeness.shifts import choose_steps, class_mean_features, images_to_keep, split_file, split_steps, write_splits

    config = _config(like, change)
    _check_official(start, config.data.source if config else source)
    dataset, column, named, classes, features = _features(source, attribute, encoder, config)
    means = class_mean_features(features, classes.labels, len(classes.names))
    train, test = sides_at_start(start, config.data.source if config else source, column, classes, seed)
    images = images_to_keep(classes, cast(Any, half))
    steps = split_steps(means, train, test, per_step, cast(Any, rule), cast(Any, removal), easier, images, control, seed)
    chosen = steps if every else choose_steps(steps, count)
    about = {"dataset": dataset, "attribute": column, "encoder": named, "rule": rule, "removal": removal, "half": half, "per_step": per_step}
    made = split_file(chosen, classes.names, seed, **about)
    write_splits(out, made)
    print_table(_table(made), format)
    typer.echo(f"{len(chosen)} of {_counted(steps)} in {out}", err=True)


@splits.command(cls=ListedHelp)
def groups(
    group: Annotated[str, typer.Argument(help="Attribute whose values are kept on one side, such as the family of a species or the maker of a car.")],
    out: Annotated[Path, typer.Option("--out", "-o", callback=output_file, help="JSON file to write.")],
    source: Source = DATASET,
    attribute: Attribute = None,
    encoder: EncoderName = None,
    format: Format = "table",
) -> None:
    """Split the classes in halves that keep siblings together, and write both directions: each half trains in one split and tests in the other.

    Example: `likeness splits groups bird_family cub200/all:data/cub100 -a bird_species -e photos -o birds.json`
    """
    from likeness.data import image_classes
    from likeness.shifts import ClassSplit, SplitFile, class_mean_features, frechet_distance, group_halves, write_splits

    image_classes(source_table(source), group)  # refuses what is not there, before images are embedded
    dataset, column, named, classes, features = _features(source, attribute, encoder, None)
    sides = group_halves(_group_of_each(source_table(source), group, classes))
    means = class_mean_features(features, classes.labels, len(classes.names))
    distance = frechet_distance(means[sides[0]], means[sides[1]])
    first, second = (tuple(classes.names[number] for number in side) for side in sides)
    sides_of = {"forth": (first, second), "back": (second, first)}
    both = tuple(ClassSplit(name=name, distance=distance, train=train, test=test) for name, (train, test) in sides_of.items())
    note = f"{dataset}, halves that keep each {group} on one side, in both directions."
    made = SplitFile(dataset=dataset, attribute=column, encoder=named, note=note, splits=both)
    write_splits(out, made)
    print_table(_table(made), format)


def _group_of_each(table: "ImageTable", group: str, classes: "ImageClasses") -> list[str]:
    """The group of each class, shared by all its images."""
    from likeness.data import image_classes

    groups = image_classes(table, group)
    found: dict[int, int] = {}
    for number, own in zip(classes.labels.tolist(), groups.labels.tolist(), strict=True):
        if min(number, own) >= 0 and found.setdefault(number, own) != own:
            raise InputError(f"The class '{classes.names[number]}' has images of several '{group}'; choose an attribute with one for each class.")
    lacking = next((name for number, name in enumerate(classes.names) if number not in found), None)
    if lacking is not None:
        raise InputError(f"No image of the class '{lacking}' has a '{group}'; choose an attribute with one for each class.")
    return [groups.names[found[number]] for number in range(len(classes.names))]


@splits.command(cls=ListedHelp)
def show(
    file: Annotated[str, typer.Argument(help="Split file, or the name of a shipped one.")] = "",
    moved: Annotated[bool, typer.Option("--moved", help="Show which classes were swapped or removed since the previous split.")] = False,
    format: Format = "table",
) -> None:
    """Print the splits of a file, or list the shipped ones."""
    from likeness.shifts import read_splits, shipped_splits

    if not file:
        print_notes({name: read_splits(name).note for name in shipped_splits()})
        return
    found = read_splits(file)
    print_table(_table(found), format)
    if moved:
        for before, after in zip(found.splits, found.splits[1:], strict=False):
            for side, names in after.changes_from(before).items():
                if names:
                    typer.echo(f"{after.name}, {side}: {', '.join(names)}")


@splits.command("import", cls=ListedHelp)
def import_pickle(
    pickle: Annotated[Path, typer.Argument(help="Pickle of the ooDML benchmark; read without executing code.")],
    dataset: Annotated[str, typer.Option(callback=plain_text, help="Dataset of the pickle.")],
    out: Annotated[Path, typer.Option("--out", "-o", callback=output_file, help="JSON file to write.")],
    attribute: Annotated[str, typer.Option("--attribute", "-a", callback=plain_text, help="Class attribute.")] = "class",
    source: Annotated[str | None, typer.Option(help="The images, if the pickle names classes by folders or files.")] = None,
    format: Format = "table",
) -> None:
    """Convert a split file of the ooDML authors.

    Example: `likeness splits import cub200_splits.pkl --dataset cub200 --source cub200/all:data/cub200 -a bird_species -o data/cub200-oodml.json`
    """
    from likeness.shifts import import_official, read_plain_pickle, write_splits

    read_plain_pickle(pickle)  # refuses what is none, before images are read
    found = import_official(pickle, dataset, attribute, _aliases(source, attribute) if source else None)
    write_splits(out, found)
    print_table(_table(found), format)


def _aliases(source: str, attribute: str) -> dict[str, str]:
    from likeness.data import image_classes, labeled_images
    from likeness.shifts import class_aliases

    table = labeled_images(source_table(source), attribute)
    classes = image_classes(table, attribute)
    return class_aliases([str(path) for path in table.frame["path"]], [classes.names[number] for number in classes.labels])


@splits.command(cls=ListedHelp)
def distance(
    source: Source = DATASET,
    attribute: Attribute = None,
    encoder: EncoderName = None,
    like: Like = None,
    change: Changes = None,
    start: Start = "first",
    file: Annotated[str | None, typer.Option("--splits", help="Split file, instead of the start.")] = None,
    split: Annotated[str | None, typer.Option(help="Split in that file; by default the first.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Random repetitions of each reference.")] = 5,
    seed: Seed = 0,
    format: Format = "table",
) -> None:
    """Measure the distance between train and test, with random class splits and identical classes as references (ooDML, Table 1)."""
    from likeness.shifts import read_splits, reference_distances

    config, wanted = _config(like, change), read_splits(file) if file else None
    chosen = None if wanted is None else wanted.named(split) if split else wanted.splits[0]
    _check_official(start, config.data.source if config else source)
    _, column, _, classes, features = _features(source, attribute, encoder, config)
    train, test = sides_at_start(start, config.data.source if config else source, column, classes, seed)
    if chosen is not None:
        train, test = (_numbers(side, classes.names) for side in (chosen.train, chosen.test))
    with progress_bar("Draws") as progress:
        found = reference_distances(features, classes.labels, train, test, repeats, seed, progress)
    print_table(found, format)


def _features(
    source: str, attribute: str | None, encoder: str | None, config: "RunConfig | None"
) -> "tuple[str, str | tuple[str, ...], str, ImageClasses, np.ndarray[Any, Any]]":
    """Dataset name, attribute, encoder name, classes and features."""
    from likeness.data import image_classes

    if config is not None:
        from likeness.training import backbone_features

        with progress_bar("Images") as progress:
            table, classes, features = backbone_features(config, progress)
        tell_left_out(config.data.attribute, classes.left_out, len(table))
        return table.name, config.data.attribute, config.backbone.name, classes, features
    columns, table = class_columns(attribute, source), source_table(source)
    image_classes(table, columns)  # refuses what is not there, before images are embedded
    base = embedded(table, encoder)
    classes = image_classes(base.table, columns)
    tell_left_out(columns, classes.left_out, len(base))
    return base.table.name, columns[0] if len(columns) == 1 else tuple(columns), base.encoder_name, classes, base.vectors


def _config(like: str | None, change: list[str] | None) -> "RunConfig | None":
    from likeness.training import read_config, with_changes

    if like is not None:
        return with_changes(read_config(like), changed(change))
    if change:
        raise InputError("--set needs --like, whose config it changes.")
    return None


def sides_at_start(start: str, source: str, attribute: str | tuple[str, ...], classes: "ImageClasses", seed: int) -> tuple[list[int], list[int]]:
    """Numbers of the training and test classes at the start, "first", "random" or "official"."""
    from likeness.data import image_classes, read_official_parts
    from likeness.shifts import start_halves

    if start != "official":
        return start_halves(len(classes.names), start == "random", seed)
    table, count = read_official_parts(source)
    found = image_classes(table, attribute)
    training = {found.names[number] for number in found.labels[:count] if number >= 0}
    train = [number for number, name in enumerate(classes.names) if name in training]
    return train, [number for number in range(len(classes.names)) if number not in set(train)]


def _check_official(start: str, source: str) -> None:
    """Raises InputError if a paper's split is to be the start and the images have none."""
    from likeness.data import read_official_parts

    if start == "official":
        read_official_parts(source)


def _numbers(side: tuple[str, ...], names: list[str]) -> list[int]:
    place = {name: number for number, name in enumerate(names)}
    missing = next((name for name in side if name not in place), None)
    if missing is not None:
        raise InputError(f"The images have no class '{missing}' of the split; pass splits of these images.")
    return [place[name] for name in side]


def _table(found: "SplitFile") -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(
        [
            {"split": each.name, "distance": round(each.distance, 4), "train": len(each.train), "test": len(each.test), "tuning": len(each.tuning)}
            for each in found.splits
        ]
    )


_KINDS = {"easier": "easier", "swap": "exchanges", "removal": "removals", "random": "random removals"}


def _counted(steps: "list[Step]") -> str:
    kinds = [step.kind for step in steps]
    counts = [f"{kinds.count(kind)} {words}" for kind, words in _KINDS.items() if kind in kinds]
    return f"{len(steps)} steps ({', '.join(counts)})" if counts else f"{len(steps)} steps"
